"""Run a network: tokenizing, batching, pooling, device and threads."""

import os

# Kernels that oneDNN keeps compiled, 1,024 unless it is told otherwise. A batch of another length needs others, so that
# encoding 400 texts left 210 MB of them behind (all-MiniLM-L6-v2, bfloat16), and 300 texts 173 MB (explorer-gte-ko-en).
# With 128 a query takes 11.2 to 11.9 ms of CPU, with 32 it takes 13.2 to 15.1: those of some lengths are compiled again
# for every key. Read at the first product, under both names.
for _name in ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY"):
    os.environ.setdefault(_name, "128")
