"""The part of the page where a reader moves the threshold: one slider drives every picture and the sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log10
from typing import Any

from venire.report.charts.figure import Figure, Numbers
from venire.report.charts.operating import threshold_cost
from venire.report.charts.style import Pictures
from venire.report.sentences.numbers import amount
from venire.report.sentences.operating import cheapest, cost_of, point_words
from venire.report.sentences.split import held_out_words
from venire.report.sentences.verdict import Document
from venire.wording import count, unbroken

DRIVEN = ("roc", "precision_recall", "threshold_cost", "cost_curve")  # the figures that the two sliders move
_RATIOS = 2.0  # powers of ten to either side of equal costs


@dataclass(frozen=True, slots=True)
class Panel:
    """What the template and the script need: the facts, the sentence of every point, and where it all starts."""

    facts: Mapping[str, Any]
    sentences: tuple[str, ...]

    @property
    def start(self) -> int:
        """The point that the procedure decides by."""
        return int(self.facts["decided"])

    @property
    def sentence(self) -> str:
        """What is said before anything is moved, and where no script runs."""
        return self.sentences[self.start]

    @property
    def cells(self) -> dict[str, int]:
        """The confusion matrix at the start."""
        point = self.facts["points"][self.start]
        missed, passed = self.facts["positives"] - point["found"], self.facts["negatives"] - point["alarms"]
        return {"found": point["found"], "missed": missed, "alarms": point["alarms"], "passed": passed}

    @property
    def ratio(self) -> float:
        """What a missed row costs at the start, in false alarms."""
        return float(self.facts["ratio"])

    @property
    def power(self) -> float:
        """The same as a power of ten, which the second slider moves over."""
        return round(log10(self.ratio), 2)

    @property
    def reach(self) -> float:
        """How far the second slider goes to either side."""
        return max(_RATIOS, abs(self.power) + 1.0)

    @property
    def cost(self) -> str:
        """What 1,000 rows cost at the start, and at the least."""
        best = cheapest(self.facts, self.ratio)
        now, least = (cost_of(self.facts, at, self.ratio) for at in (self.start, best))
        return f"1,000 rows cost {now:.1f} false alarms here; at the least, {least:.1f}."

    @property
    def script(self) -> dict[str, Any]:
        """What the script moves over."""
        known = ("positives", "negatives", "points", "decided", "ratio")
        return {**{key: self.facts[key] for key in known}, "sentences": [unbroken(one) for one in self.sentences]}


def operating_panel(pictures: Pictures) -> Panel | None:
    """The panel, where there is a threshold to move."""
    found = pictures.get("operating")
    if not found or not pictures.get("roc"):
        return None
    return Panel(found, tuple(point_words(found, at) for at in range(len(found["points"]))))


def _alarms(ratio: float) -> str:
    return "a false alarm" if ratio == 1.0 else f"{ratio:.3g} false alarms"


def threshold_figure(document: Document, pictures: Pictures) -> Figure:
    """What every threshold costs."""
    found: Mapping[str, Any] = pictures["operating"]
    ratio = float(found["ratio"])
    now, least = cost_of(found, found["decided"], ratio), cost_of(found, cheapest(found, ratio), ratio)
    caption = (
        f"{held_out_words(document)}. When a missed '{found['label']}' costs as much as {_alarms(ratio)}, 1,000 rows "
        f"cost {amount(now)} as the procedure decides (the dot), and at the least {amount(least)}. That least is "
        f"found on these same rows, so it looks a little too good."
    )
    rows = tuple(
        (f"{p['threshold']:.3g}", count(p["found"]), count(p["alarms"]), amount(cost_of(found, at, ratio)))
        for at, p in enumerate(found["points"])
    )
    numbers = Numbers(("threshold", "found", "false alarms", "cost of 1,000 rows"), rows)
    return Figure("threshold_cost", "What a threshold costs", caption, threshold_cost(document, pictures), numbers)
