"""Reranked results beside the first ranking."""
