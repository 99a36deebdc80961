"""Document Similarity Explorer: see and search a folder of texts by meaning."""

__version__ = "0.1.0"
