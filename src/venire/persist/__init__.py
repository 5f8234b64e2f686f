"""The place of the model file that is safe to load; empty so far."""
