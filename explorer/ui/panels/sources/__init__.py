"""The column of sources: what the list can show."""
