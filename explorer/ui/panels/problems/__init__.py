"""Files that could not be read."""
