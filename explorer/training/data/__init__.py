"""Training and evaluation data: reading, checking, splitting and mining."""
