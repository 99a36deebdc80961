"""Term counts, topic words and key words."""
