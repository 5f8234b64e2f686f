"""Packs of neural nets."""
