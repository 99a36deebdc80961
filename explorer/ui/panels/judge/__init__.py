"""Rate how similar two documents are."""
