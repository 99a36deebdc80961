"""Draw maps as pictures with numpy, for the window, the command line and the report; no Qt."""
