"""Bytes to documents to passages. Knows nothing of models or of Qt."""
