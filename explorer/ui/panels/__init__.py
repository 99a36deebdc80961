"""The panels of the window, each listening to the session alone."""
