"""How the procedure stands beside guessing: the findings, the page and the terminal draw the same lines."""

from __future__ import annotations

from typing import Literal

from venire.inference.certainty import SURE

LIKELY = 0.9  # from here to SURE it is said with how sure one can be: of tables with nothing in them, a tenth get here

Standing = Literal["better", "likely", "unclear", "no better", "worse"]


def standing(p_better: float, difference: float | None) -> Standing:
    """Where a probability of being better than guessing leaves us; `difference` is below zero where it is better.

    >>> standing(0.97, -0.1), standing(0.9475, -0.06), standing(0.84, -0.02)
    ('better', 'likely', 'unclear')
    >>> standing(0.0, 0.0), standing(0.01, 0.1)  # the same in every row, and worse
    ('no better', 'worse')
    """
    if p_better > SURE:
        return "better"
    if p_better > LIKELY:
        return "likely"
    if p_better == 0 and difference == 0:
        return "no better"
    return "worse" if p_better < 1 - SURE and (difference or 0.0) > 0 else "unclear"
