"""How the program is frozen: read by build_app.spec."""
