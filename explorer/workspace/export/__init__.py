"""Write tables, pages, reports and TensorBoard files."""
