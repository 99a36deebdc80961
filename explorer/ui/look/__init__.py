"""Theme and language."""
