"""What one threshold comes to, in words: how many of the class are found, how many alarms are false, what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from venire.wording import share

Operating = Mapping[str, Any]
RARE = 0.2  # a class with a smaller share of the rows is spoken of by itself


def point_words(found: Operating, at: int) -> str:
    """The sentence of one point.

    >>> one = {"found": 21, "alarms": 3, "threshold": 0.4}
    >>> facts = {"label": "fraud", "other": "normal", "positives": 37, "negatives": 343, "points": [one]}
    >>> point_words(facts, 0).split(". ")[0]
    "Of 100 'fraud' rows it finds 57 (21 of 37); 1,000 'normal' rows raise 9 false alarms (3 of 343)"
    >>> point_words(facts, 0).split(". ")[1]
    '12.5 % of its alarms are false.'
    """
    point = found["points"][at]
    hits, alarms = point["found"], point["alarms"]
    positives, negatives = found["positives"], found["negatives"]
    false = _per(alarms, negatives, 1000)
    words = (
        f"Of 100 '{found['label']}' rows it finds {_per(hits, positives, 100)} ({hits:,} of {positives:,}); "
        f"1,000 '{found['other']}' rows raise {false} false {'alarm' if false == '1' else 'alarms'} "
        f"({alarms:,} of {negatives:,})."
    )
    flagged = hits + alarms
    return f"{words} {share(alarms / flagged)} of its alarms are false." if flagged else f"{words} It flags nothing."


def cost_of(found: Operating, at: int, ratio: float) -> float:
    """What 1,000 rows cost at a point, in false alarms, when a missed row costs as much as `ratio` of them."""
    point = found["points"][at]
    missed = found["positives"] - point["found"]
    return float(1000 * (ratio * missed + point["alarms"]) / (found["positives"] + found["negatives"]))


def cheapest(found: Operating, ratio: float) -> int:
    """The point that costs least on these rows; of equals the one that flags least."""
    return min(range(len(found["points"])), key=lambda at: (cost_of(found, at, ratio), at))


def _per(part: int, whole: int, of: int) -> str:
    """A share as a whole number out of so many; only none is 0, and only all is all."""
    number = of * part / whole
    if 0 < number < 0.5:
        return "fewer than 1"
    if of - 0.5 <= number < of:
        return f"{of - 1:,}"
    return f"{round(number):,}"
