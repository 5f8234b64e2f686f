"""Figures of all held-out rows, and their intervals."""
