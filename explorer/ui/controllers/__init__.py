"""The controllers: what the user can do, one module per subject."""
