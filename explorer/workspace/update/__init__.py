"""Bring a workspace up to date: sync files, split, encode, build the graph."""
