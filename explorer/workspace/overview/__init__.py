"""Clusters, topics and the map of the whole folder."""
