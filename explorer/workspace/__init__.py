"""The disk: all that is known of one folder. Knows nothing of Qt."""
