"""The examples of a first course, to walk through step by step: in the terminal, or as notebooks."""
