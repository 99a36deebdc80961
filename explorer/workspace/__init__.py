"""The disk: everything known about one folder. Knows nothing of Qt."""
