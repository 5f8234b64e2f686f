"""What a validation came to, as plain data: `venire validate --json` prints this, and the terminal shows it."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from venire.data.show import account
from venire.report.document.shapes.validation import (
    Parts,
    SettingFigures,
    SplitFacts,
    TestedPart,
    Validated,
    ValidatedChoice,
    ValidationDocument,
)
from venire.validation.bootstrapping import Bootstrap
from venire.validation.honesty.document import certificate_facts
from venire.validation.question import metric_facts, table_facts
from venire.validation.results import OneLayer, TwoLayer
from venire.validation.ways import Way

if TYPE_CHECKING:
    from venire.data.table import Table
    from venire.inference.intervals import Interval
    from venire.validation.trials.family import Setting


def document_of(
    found: OneLayer | TwoLayer | Bootstrap, way: Way, table: Table, seed: int, seconds: float
) -> ValidationDocument:
    """The document; all but `timing` are the same for the same table and seed."""
    if isinstance(found, Bootstrap):
        metric, result = found.metric, _bootstrapped(found, table)
    else:
        metric = found.averaging.metric
        result = _one_layer(found) if isinstance(found, OneLayer) else _two_layer(found)
    return {
        **table_facts(table),
        **metric_facts(metric),
        "costs": None if metric.costs is None else {"matrix": [list(row) for row in metric.costs]},
        "model": found.family,
        "path": found.path_label,
        **_way(way, found, table),
        "seed": seed,
        **result,
        "stopped": found.stopped,
        "warnings": list(found.warnings),
        "certificates": [certificate_facts(found.certificate)],
        **account(table),
        "timing": {"seconds": round(seconds, 3)},
    }


def _way(way: Way, found: OneLayer | TwoLayer | Bootstrap, table: Table) -> SplitFacts:
    """How rows were split; what the way does not know is null."""
    drawn, shares = isinstance(found, Bootstrap), way.keeps_back
    several = len(found.settings) > 1
    return {
        "by": way.by,
        "layers": 2 if isinstance(found, TwoLayer) else 1,
        "splitting": _splitting(way, table),
        "folds": None if isinstance(found, Bootstrap) or shares else _folds(found, way, table.time is not None),
        "repeats": None if drawn else way.repeats,
        "inner_folds": way.inner_folds,
        "share": way.share if shares else None,
        "inner_share": way.inner_share if shares and several else None,
        "samples": way.samples if drawn else None,
        "estimate": way.estimate if drawn else None,
        "rule": None if drawn else way.rule,
    }


def _splitting(way: Way, table: Table) -> str:
    if table.time is not None:
        return "time"
    if table.groups is not None:
        return "grouped"
    return "stratified" if way.stratified else "random"


def _folds(found: OneLayer | TwoLayer, way: Way, in_time: bool) -> int:
    """The folds of one split: with inner folds of its own every one that is judged is a repeat of the plan."""
    if not found.plan.own_inner_folds:
        return found.plan.used_folds
    return len(found.places) // way.repeats + in_time  # the first in time is judged by nothing


def _two_layer(found: TwoLayer) -> Validated:
    one = found.one_layer
    # What was tested is what one part chose; of several parts nothing but all of them together says what to take.
    taken = found.chosen[0] if len(found.chosen) == 1 else one.chosen
    inner = found.averaging.mean(found.inner)
    often = np.bincount(found.chosen, minlength=len(found.settings))
    return {
        **_parts(found, found.chosen, found.training, found.losses),
        "trials": found.trials,
        "settings": [
            {**row, "inner_error": _number(inner[s]), "chosen_in": int(often[s])}
            for s, row in enumerate(_settings(one, taken))
        ],
        "chosen": {
            "setting": found.settings[taken].label,
            "error": _number(found.error),
            "interval": _ends(found.interval),
            "training_error": _number(found.training_error),
            "one_layer_error": _number(one.error),
            "one_layer_setting": one.setting,
            "optimism": _number(found.optimism),
        },
    }


def _one_layer(found: OneLayer) -> Validated:
    at = found.chosen
    return {
        **_parts(found, [at] * len(found.places), found.training[:, at], found.losses[:, at]),
        "trials": len(found.plan.trials),
        "settings": _settings(found, at),
        "chosen": {
            "setting": found.setting,
            "error": _number(found.error),
            "interval": _ends(found.interval),
            "training_error": _number(found.training_error),
        },
    }


def _settings(found: OneLayer, chosen: int) -> list[SettingFigures]:
    """Every setting with its training error beside its error on the folds left out."""
    training = found.training_errors
    return [
        {
            "setting": setting.label,
            "value": _value(setting, found.path_label),
            "training_error": _number(training[s]),
            "error": _number(found.errors[s]),
            "chosen": s == chosen,
        }
        for s, setting in enumerate(found.settings)
    ]


def _value(setting: Setting, path: str) -> str | None:
    """What stands beside the name of the path, where that is all that a setting sets."""
    return setting.shown[path] if list(setting.shown) == [path] else None


def _bootstrapped(found: Bootstrap, table: Table) -> Validated:
    figures = [_sampled(found, s) for s in range(len(found.settings))]
    tested = (found.drawn == 0).sum(axis=1)
    return {
        "trained_on": _range(table.rows - tested),  # different rows: those that are drawn again count once
        "tested_on": _range(tested),
        "trials": len(found.drawn) + 1,
        "settings": figures,
        "chosen": cast(
            "ValidatedChoice", {k: v for k, v in figures[found.chosen].items() if k not in ("chosen", "value")}
        ),
    }


def _sampled(found: Bootstrap, s: int) -> SettingFigures:
    """What the bootstrap says of a setting."""
    return {
        "setting": found.settings[s].label,
        "value": _value(found.settings[s], found.path_label),
        "training_error": _number(found.training[s]),
        "out_of_bag_error": _number(found.out_of_bag[s]),
        "no_information_error": _number(found.no_information[s]),
        "overfitting": _number(found.overfitting[s]),
        "weight": _number(found.weight[s]),
        "error_632": _number(found.error_632[s]),
        "error_632_plus": _number(found.error_632_plus[s]),
        "error": _number(found.errors[s]),
        "chosen": s == found.chosen,
    }


def _parts(found: OneLayer | TwoLayer, chosen: Iterable[int], training: Any, losses: Any) -> Parts:
    """Every part that was tested, at the setting chosen for it, and how many rows it was trained and tested on."""
    parts: list[TestedPart] = [
        {
            "trained_on": trained,
            "tested_on": tested,
            "setting": found.settings[s].label,
            "training_error": _number(training[at]),
            "error": _number(losses[at]),
        }
        for at, (s, (trained, tested)) in enumerate(zip(chosen, _sizes(found), strict=True))
    ]
    return {
        "trained_on": _range(part["trained_on"] for part in parts),
        "tested_on": _range(part["tested_on"] for part in parts),
        "parts": parts,
    }


def _sizes(found: OneLayer | TwoLayer) -> list[tuple[int, int]]:
    """Rows trained on and tested on, of every part."""
    plan = found.plan
    sizes = [np.bincount(fold_of, minlength=plan.folds) for fold_of in plan.fold_of]
    shared = not (plan.ordered or plan.own_inner_folds)  # all other folds are trained on, and there may be a fold a row
    pairs = []
    for repeat, fold in found.places:
        tested = sizes[repeat][fold]
        trained = plan.fold_of.shape[1] - tested
        if not shared:
            trained = sizes[repeat][list(plan.outer(repeat, fold).trial.train)].sum()
        pairs.append((int(trained), int(tested)))
    return pairs


def _range(sizes: Iterable[Any]) -> list[int]:
    several = [int(size) for size in sizes]
    return [min(several), max(several)]


def _ends(interval: Interval) -> list[float | None] | None:
    return [float(interval.low), float(interval.high)] if interval.defined else None


def _number(value: Any) -> float | None:
    return float(value) if isfinite(value) else None
