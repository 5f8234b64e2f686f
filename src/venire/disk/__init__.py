"""Files that others may use, too: locks, temporary folders, and reading what need not be a file."""
