"""The documents as types: what page, terminal and `--json` may rely on, and what the published schema is made of."""
