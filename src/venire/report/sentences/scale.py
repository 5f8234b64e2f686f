"""How the figures of a document are shown: under which name, in which direction, and with how many digits.

Inside, every figure is a loss. People see the score where they know the score (AUC, R², accuracy). The digits are
decided once for a whole leaderboard, so that the table, the sentences, the page and the charts cannot differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from venire.report.document.shapes.verdict import LeaderboardRow, VerdictDocument
from venire.report.sentences.numbers import Scale, decimals_for, finite, interval_of, rounded, rounded_percent, signed

Document = VerdictDocument
Row = LeaderboardRow
Facts = Mapping[str, Any]  # any document with a metric, or any row of one with an error

# Losses that are one minus a score people know by name; for documents that do not say so themselves.
_SCORES = {"auc": "AUC", "r2": "R²", "f1": "F1"}
_RATES = ("error", "balanced_error")
_FINER = 100.0  # parts of an interval
_FINEST = 200.0  # parts of an error
_WIDEST = 9  # letters at the head of a column of figures


@dataclass(frozen=True, slots=True)
class Measure:
    """What is measured, and the format of every figure of it.

    >>> auc = measured_by({"metric": "auc"}, [{"error": 0.2123, "interval": [0.16, 0.28]}])
    >>> auc.show(0.2123), auc.show_interval([0.16, 0.28]), auc.say(0.2123), auc.label
    ('0.79', '[0.72, 0.84]', '0.79', 'AUC')
    >>> error = measured_by({"metric": "error"}, [{"error": 0.126, "interval": [0.08, 0.14]}])
    >>> error.show(0.239), error.say(0.239), error.say(0.126)
    ('0.239', '23.9 %', '12.6 %')
    """

    label: str
    higher_is_better: bool
    scale: Scale
    rate: bool = False  # a share of rows, which a sentence says in percent

    def value(self, loss: Any) -> float | None:
        """The figure people see of a loss; None where there is none."""
        number = finite(loss)
        return 1.0 - number if number is not None and self.higher_is_better else number

    def plotted(self, loss: float) -> float:
        """The same on an axis, which takes the power of ten out as the tables do."""
        return (1.0 - loss if self.higher_is_better else loss) / 10.0**self.scale.exponent

    def ends(self, interval: Any) -> tuple[float, float] | None:
        """An interval of losses as people see it, the lower end first."""
        found = interval_of({"interval": interval})
        if found is None:
            return None
        low, high = found
        return (1.0 - high, 1.0 - low) if self.higher_is_better else (low, high)

    def show(self, loss: Any) -> str:
        """A loss in a table."""
        return self.scale.show(self.value(loss))

    def show_interval(self, interval: Any) -> str:
        """An interval of losses in a table."""
        return self.scale.show_interval(self.ends(interval))

    def say(self, loss: Any, *, apart: float = 0.0) -> str:
        """A loss in a sentence; with more digits where a difference of `apart` has to be seen."""
        return self.say_value(self.value(loss), apart=apart)

    def say_value(self, number: Any, *, apart: float = 0.0) -> str:
        """What is a figure already in a sentence."""
        places = self.scale.places_of(number, apart)
        return rounded_percent(number, places) if self.rate else rounded(number, places)

    def say_interval(self, interval: Any) -> str:
        """An interval of losses in a sentence; empty where there is none."""
        found = self.ends(interval)
        return "" if found is None else " to ".join(self.say_value(end) for end in found)

    def say_difference(self, losses: Any, interval: Any) -> str:
        """One loss less another, with its interval, as people see it; empty where there is none.

        >>> rate = measured_by({"metric": "error"}, [{"error": 0.126, "interval": [0.08, 0.14]}])
        >>> rate.say_difference(0.012, [-0.004, 0.028])
        '+1.2 percentage points (95 % interval -0.4 to +2.8)'
        >>> auc = measured_by({"metric": "auc"}, [{"error": 0.2123, "interval": [0.16, 0.28]}])
        >>> auc.say_difference(0.012, [-0.004, 0.028])
        '-0.012 (95 % interval -0.028 to +0.004)'
        """
        number, found = finite(losses), interval_of({"interval": interval})
        if number is None:
            return ""
        ends = [] if found is None else list(found)
        if self.higher_is_better:
            number, ends = -number, [-end for end in reversed(ends)]
        places = decimals_for(ends[1] - ends[0] if ends else abs(number), least=-6)
        said = [signed(100 * one, places - 2) if self.rate else signed(one, places) for one in (number, *ends)]
        unit = " percentage points" if self.rate else ""
        return f"{said[0]}{unit}" + (f" (95 % interval {said[1]} to {said[2]})" if ends else "")

    @property
    def unit(self) -> str:
        """The power of ten taken out of every figure in a table; empty if none was."""
        return self.scale.unit

    @property
    def axis(self) -> str:
        """What an axis of these figures is called."""
        return f"{self.label} {self.unit}".strip()

    @property
    def short(self) -> str:
        """What is measured where there is little room."""
        return self.label if len(self.label) <= _WIDEST else "score" if self.higher_is_better else "error"

    @property
    def head(self) -> str:
        """What a column of these figures is called where there is little room."""
        return f"{self.short} {self.unit}".strip()

    @property
    def kind(self) -> str:
        """In one word: score or error."""
        return "score" if self.higher_is_better else "error"


def scale_of(document: Facts) -> Measure:
    """The format of all figures of a verdict: that of its leaderboard."""
    return measured_by(document, document.get("leaderboard") or (), finite(document.get("practical_difference")) or 0.0)


def measured_by(document: Facts, rows: Sequence[Facts], apart: float = 0.0) -> Measure:
    """The format for these rows; errors that differ by more than `apart` are to be told apart."""
    metric, score = str(document.get("metric") or "error"), score_label(document)
    label = score or str(document.get("metric_label") or metric.replace("_", " "))
    return Measure(label, score is not None, Scale.of(rows, apart, score=score is not None), metric in _RATES)


def side_by_side(document: Facts, chosen: Facts) -> float:
    """How far apart settings of one model have to be to read differently.

    They are judged on the same rows, so their differences are finer than the interval of each; and a wide interval must
    leave digits of an error to compare.
    """
    error, ends = abs(finite(chosen.get("error")) or 0.0), interval_of(chosen)
    small = 0.0 if ends and score_label(document) else error / _FINEST  # a score is not small where its loss is
    sizes = [small, (ends[1] - ends[0]) / _FINER if ends else 0.0]
    return min(filter(None, sizes), default=0.0)


def score_label(document: Facts) -> str | None:
    """What the score is called where higher is better; None where the loss itself is shown."""
    if "higher_is_better" in document:
        return str(document["score_label"]) if document["higher_is_better"] else None
    return _SCORES.get(str(document.get("metric")))


def shown_as_wrong(document: Facts) -> bool:
    """Whether the figure is the share of rows that are wrong, which has plainer words than its name."""
    return document.get("metric") == "error" and score_label(document) is None


def figure(document: Facts, loss: Any, *, apart: float = 0.0) -> str:
    """A loss as a sentence says it: a percentage where it is a rate, the score where people know the score."""
    return scale_of(document).say(loss, apart=apart)


def measure(document: Facts) -> str:
    """What `figure` is a figure of."""
    return scale_of(document).label
