"""Read files into documents; one folder per family of formats."""
