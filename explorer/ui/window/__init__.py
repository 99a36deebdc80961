"""The shell: main window, docks, menus, query bar, status bar and saved view state."""
