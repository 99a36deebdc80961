"""Plain text and text markup."""
