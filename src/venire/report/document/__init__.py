"""Results as plain data: what page, terminal and `--json` print."""
