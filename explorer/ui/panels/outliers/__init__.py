"""Documents far from all others."""
