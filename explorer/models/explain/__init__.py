"""Explain a similarity by the words that caused it."""
