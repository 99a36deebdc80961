"""What the user can do, one module per subject."""
