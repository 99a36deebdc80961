"""Run a network: tokenizing, batching, pooling, device and threads."""

import os

# Kernels that oneDNN keeps compiled, 1,024 unless it is told otherwise. A batch of another length needs others, so that
# encoding 300 posts left 172 MB of them behind (explorer-gte-ko-en, bfloat16); 67 MB with 128, 15 MB with 32. With 128
# a query takes 11.2 to 11.9 ms of CPU, with 32 13.2 to 15.1: those of some lengths are compiled again for every key.
# Read at the first product, under both names.
for _name in ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY"):
    os.environ.setdefault(_name, "128")
