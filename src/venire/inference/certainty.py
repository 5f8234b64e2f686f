"""From which probability on something is said without reserve: one line for findings, sentences and comparisons."""

from __future__ import annotations

# The level of every interval shown, so that a sentence and the interval beside it ask for the same evidence: of tables
# on which there is no difference, about one in twenty is said to have one.
SURE = 0.95
