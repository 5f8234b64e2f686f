"""A jury of models, and an honest verdict."""
