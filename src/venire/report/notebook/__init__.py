"""What a notebook shows: the verdict as a table, and how far a run is."""
