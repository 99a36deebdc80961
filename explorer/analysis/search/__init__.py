"""Query grammar, filters, BM25 and rank fusion."""
