"""The window for rating pairs."""
