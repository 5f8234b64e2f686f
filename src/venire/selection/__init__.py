"""Selecting columns: forward and backward, with the error of the selection itself."""
