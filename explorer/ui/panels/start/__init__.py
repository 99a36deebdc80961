"""The start page and the plan of a folder."""
