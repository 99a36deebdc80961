"""Exact and approximate vector search, the kNN graph, and similar pairs."""
