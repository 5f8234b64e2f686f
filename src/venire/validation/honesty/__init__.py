"""The check that nothing is learned from rows that must not be seen."""
