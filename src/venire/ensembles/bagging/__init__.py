"""Bagging."""
