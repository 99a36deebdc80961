"""The command line: one module per subject."""
