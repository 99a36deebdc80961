"""Run a network: tokenizing, batching, pooling, device and threads."""
