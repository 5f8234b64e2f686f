"""Model cards: what a model is, how good, from which rows, and what it is not for."""
