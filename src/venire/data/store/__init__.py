"""Tables that do not fit into memory: their columns in files, read a stretch at a time."""
