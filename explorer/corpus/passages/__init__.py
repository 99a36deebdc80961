"""Split a document into passages that fit the model's token limit."""
