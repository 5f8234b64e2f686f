"""What pages and pictures show of a verdict: curves, matrices, thresholds, groups of rows."""
