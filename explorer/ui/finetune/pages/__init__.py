"""The pages of the fine-tuning wizard."""
