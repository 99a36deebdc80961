"""The map: view, input, viewport, labels and legend."""
