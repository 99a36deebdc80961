"""Foreign formats are read in processes of their own, so that no file can hurt the program."""
