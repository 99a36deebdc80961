"""The database, the vector file and everything else on disk."""
