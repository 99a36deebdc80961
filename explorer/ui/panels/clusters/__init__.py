"""The tree of clusters."""
