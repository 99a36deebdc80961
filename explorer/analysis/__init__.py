"""Vectors to structure. Knows nothing of files, models or Qt."""
