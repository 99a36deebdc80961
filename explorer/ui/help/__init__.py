"""Manual, tour, shortcuts and the about dialog."""
