"""The documents most similar to the focused one."""
