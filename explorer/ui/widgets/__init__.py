"""Widgets that know nothing of the session."""
