"""Clustering, stable ids, edits, classification, outliers and trends."""
