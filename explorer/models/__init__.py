"""Texts to vectors, pairs to scores: the Sentence-BERT engine. Knows nothing of documents or of Qt."""
