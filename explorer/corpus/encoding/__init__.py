"""Decode bytes to text: charset detection and mojibake repair."""
