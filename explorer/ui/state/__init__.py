"""The session, its frozen values, and undo."""
