"""Fine-tuning in the window: the wizard and the rating of pairs."""
