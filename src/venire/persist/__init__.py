"""The safe model file."""
