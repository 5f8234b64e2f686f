"""Models of rows that no machine holds together: each part of the rows stays where it is, and sums travel."""
