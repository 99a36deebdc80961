"""The user's own words about a folder: their database, what is in it, and its backups."""
