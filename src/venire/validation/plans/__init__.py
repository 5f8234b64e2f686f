"""Which rows are in which fold, and which trials follow from it."""
