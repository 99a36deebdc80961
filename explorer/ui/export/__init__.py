"""Export panels, reports and the map."""
