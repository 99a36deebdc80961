"""Hybrid search, similar documents, duplicates, comparison and snippets."""
