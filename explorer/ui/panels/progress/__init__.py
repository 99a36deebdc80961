"""Jobs that are running."""
