"""Tokens, Korean morphology, stop words, phrases, language and diffs."""
