"""venire in a browser: tables, runs, verdicts and predictions on pages of this machine."""
