"""The same work on a Ray cluster: reading, splitting and encoding on other machines, one writer here."""
