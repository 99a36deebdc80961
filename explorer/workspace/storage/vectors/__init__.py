"""The vectors: their files, their rows, their checksums, and those a user imports."""
