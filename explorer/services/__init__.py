"""What the window and the command line share. No Qt."""
