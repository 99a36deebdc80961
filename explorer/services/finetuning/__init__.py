"""Fine-tuning as the wizard and the command line run it."""
