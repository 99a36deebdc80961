"""scikit-network, whose compiled modules import each other unseen."""

hiddenimports = ["sknetwork.topology.minheap"]
