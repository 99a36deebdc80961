"""CSV, JSON and Parquet tables."""
