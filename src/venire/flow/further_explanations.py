"""Which of the slower explanations a report draws: those that take little time beside the run, or all if asked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from venire.flow.explaining import Explainer
from venire.flow.learning import curve_fits, learned_family, learning_of
from venire.flow.refits import in_one_line
from venire.validation.trials.runner import Ran
from venire.verdict.judgement import Judgement
from venire.verdict.shown.class_curves import plains

SHARE = 0.1  # of the seconds of the run, for all of them together
_PROBED = 4  # rows whose Shapley values tell how long all take


@dataclass(frozen=True)
class Allowance:
    """The seconds that may be spent, None for as many as it takes, and when they began."""

    seconds: float | None
    began: float

    @classmethod
    def of(cls, timing: Mapping[str, Any], began: float, *, everything: bool, trials: float = 0.0) -> Allowance:
        """A share of the run and no more than its budget leaves, less what was spent since `began`.

        A run is as long as its `trials` took, however many of them were kept from earlier ones: the same command again
        draws the same pictures.
        """
        if everything:
            return cls(None, began)
        budget = timing["budget"]
        left = float("inf") if budget is None else budget - timing["seconds"] - (time.monotonic() - began)
        return cls(min(SHARE * max(timing["seconds"], trials), left), time.monotonic())

    def covers(self, expected: float) -> bool:
        """Whether there is time for so many seconds more."""
        return self.seconds is None or time.monotonic() - self.began + expected <= self.seconds


def further_explanations(judgement: Judgement, ran: Ran, explainer: Explainer, allowance: Allowance) -> dict[str, Any]:
    """Shapley values and the learning curve; `left_out` says what there was no time for, and how long it would take."""
    ways: dict[str, tuple[Callable[[], float], Callable[[], dict[str, Any]]]] = {
        "shapley": (lambda: _shapley_seconds(explainer, allowance), explainer.shapley),
        "learning_curve": (lambda: _curve_seconds(judgement, ran, explainer), lambda: _curve(judgement)),
    }
    drawn: dict[str, Any] = {}
    left_out: list[dict[str, Any]] = []
    for name, (expect, draw) in ways.items():
        try:
            expected = expect()
            if allowance.covers(expected):
                drawn[name] = draw()
            else:
                left_out.append({"picture": name, "seconds": expected, "error": None})
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # somebody's estimator may raise anything, or leave: the page says it
            left_out.append({"picture": name, "seconds": None, "error": in_one_line(error)})
    return {**drawn, "left_out": left_out}


def _shapley_seconds(explainer: Explainer, allowance: Allowance) -> float:
    """Of all rows that are explained, from some of them; not even these where there is no time to measure."""
    if allowance.seconds is None:
        return 0.0
    began = time.perf_counter()
    explainer.shapley(_PROBED)
    return (time.perf_counter() - began) * explainer.shapley_rows / _PROBED


def _curve_seconds(judgement: Judgement, ran: Ran, explainer: Explainer) -> float:
    """Every fit of the curve, each like a trial of the run, and no cheaper than the fit on all rows was.

    Trials of forests share their trees, so the seconds of one tell little of a fit without others.
    """
    family = learned_family(judgement, None)
    trial = ran.seconds.get(family, 0.0) / max(1, len(judgement.docket.plan.trials))
    return curve_fits(judgement, family) * max(trial, explainer.fit_seconds.get(explainer.chosen, 0.0))


def _curve(judgement: Judgement) -> dict[str, Any]:
    curve = learning_of(judgement, None, None)
    found = curve.to_dict()
    return {
        **found,
        **{name: plains(found[name]) for name in ("training", "held_out", "low", "high")},
        "folds": curve.losses.shape[1],
    }
