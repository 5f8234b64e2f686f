"""How we say it."""
