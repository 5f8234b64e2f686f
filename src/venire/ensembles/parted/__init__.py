"""One model fitted to rows that no machine holds together: each part stays where it is, and sums travel."""
