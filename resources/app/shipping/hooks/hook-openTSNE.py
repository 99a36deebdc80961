"""openTSNE, whose compiled modules import each other unseen."""

hiddenimports = ["openTSNE._matrix_mul.matrix_mul", "openTSNE.quad_tree", "openTSNE.kl_divergence"]
