"""Held-out predictions into one prediction; arrays only."""
