"""Model folders, weights, the catalog and downloads."""
