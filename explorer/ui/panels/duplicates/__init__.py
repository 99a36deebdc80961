"""Documents and passages that occur more than once."""
