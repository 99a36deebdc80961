"""Draw points as pictures with numpy alone."""
