"""Compare two documents side by side."""
