"""Read foreign formats in separate processes, so that no file can harm the program."""
