"""Lay out documents in two dimensions."""
