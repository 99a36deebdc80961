"""Evaluate models: metrics, bootstrap, general benchmark and model card."""
