"""Word processor files, e-books and rich text."""
