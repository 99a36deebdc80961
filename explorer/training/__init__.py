"""Examples to a better model, and how good a model is."""
