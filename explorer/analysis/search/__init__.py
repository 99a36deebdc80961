"""Query grammar, filters, BM25 and the fusion of results."""
