"""How clusters grow and shrink over time."""
