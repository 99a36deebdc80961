"""Fit a model: losses, batches, steps and checkpoints."""
