"""The families on the tree core, and what they share."""
