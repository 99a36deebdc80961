"""Walk a folder, apply ignore rules, and find what changed."""
