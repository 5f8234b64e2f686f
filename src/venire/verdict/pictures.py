"""The data behind the pictures: plain lists, computed from the same evidence as the leaderboard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.metrics import ConfusionMatrix
from venire.metrics.all_rows import OF_ALL_ROWS, value_of
from venire.validation.choice import together
from venire.validation.held_out import HeldOut
from venire.validation.plans.plan import Held
from venire.validation.trials.docket import Docket
from venire.validation.trials.ledger import Ledger
from venire.verdict.finishing import setting_losses
from venire.verdict.held_out_predictions import held_out
from venire.verdict.judgement import Judgement
from venire.verdict.leaderboard import PROCEDURE
from venire.verdict.shown.class_confusion import confusion
from venire.verdict.shown.class_curves import plains, two_class_curves
from venire.verdict.shown.operating import operating_points
from venire.verdict.shown.path_lines import path_lines

Floats = NDArray[np.float64]

_MOST_DOTS = 2000


def pictures(judgement: Judgement) -> dict[str, Any]:
    """Everything the report can draw of this judgement."""
    drawn: dict[str, Any] = {
        "fold_errors": {PROCEDURE: plains(judgement.procedure.losses)}
        | {c.name: plains(c.losses) for c in judgement.candidates},
        "paths": _paths(judgement),
        "selection": {"per_fold": [c.name for c in judgement.procedure.picks.values()]},
    }
    matrix = confusion(judgement)
    if matrix is None:
        return drawn | {"scatter": _scatter(held_out(judgement, PROCEDURE))}
    drawn["confusion"] = _counted(matrix)
    if len(matrix.labels) != 2:
        return drawn
    return drawn | two_class_curves(judgement, matrix) | {"operating": operating_points(judgement, matrix)}


def picture_of(judgement: Judgement, name: str) -> dict[str, Any]:
    """The decisions of one model on held-out rows, or its predicted numbers."""
    matrix = confusion(judgement, name)
    if matrix is None:
        return {"scatter": _scatter(held_out(judgement, name)) | {"family": name}}
    return {"confusion": _counted(matrix) | {"family": name}}


def curves_of(judgement: Judgement, names: Sequence[str]) -> dict[str, Any]:
    """The curves of two classes of these models; none where there are not two classes."""
    matrix = confusion(judgement)
    return two_class_curves(judgement, matrix, names) if matrix is not None and len(matrix.labels) == 2 else {}


def _counted(matrix: ConfusionMatrix) -> dict[str, Any]:
    return {"labels": list(matrix.labels), "counts": matrix.counts.tolist()}


def _paths(judgement: Judgement) -> dict[str, Any]:
    """Training and one-layer error along every family's path, on the folds the leaderboard judges by."""
    docket = judgement.docket
    judged = tuple(docket.plan.outer(*place) for place in docket.plan.places)
    found = {}
    for name, ledger in judgement.ledgers.items():
        if len(ledger.settings) < 2:
            continue
        laid_out = path_lines(ledger.settings)
        found[name] = {
            "settings": list(laid_out.values),
            "label": laid_out.label,
            "lines": list(laid_out.lines),
            "axis": list(laid_out.axis),
            "training": plains(_seen_figures(docket, ledger, judged)),
            "held_out": plains(_held_out_figures(docket, ledger, judged)),
            "chosen": judgement.candidate(name).final_setting,
        }
    return found


def _held_out_figures(docket: Docket, ledger: Ledger, judged: Sequence[Held]) -> Floats:
    """Of every setting the figure of all rows, or the mean of folds; under costs as each decides best."""
    if docket.metric.name not in OF_ALL_ROWS:
        return together(setting_losses(docket, ledger, judged), docket.metric.power)
    truth = [docket.truth(held) for held in judged]
    said = [[docket.predicted(ledger.family, held, s) for held in judged] for s in range(len(ledger.settings))]
    return np.array([value_of(docket.metric, truth, parts) for parts in said])


def _seen_figures(docket: Docket, ledger: Ledger, judged: Sequence[Held]) -> Floats:
    """The same by models that have seen the rows; a family that does not tell gives losses of folds only."""
    by_folds = together(np.stack([ledger.training[held.trial] for held in judged]), docket.metric.power)
    unknown = any(docket.seen(ledger.family, held.trial, 0) is None for held in judged)
    if unknown or docket.metric.name not in OF_ALL_ROWS:
        return by_folds
    truth = [docket.seen_truth(held.trial) for held in judged]
    found = []
    for s in range(len(ledger.settings)):
        said = [docket.seen(ledger.family, held.trial, s) for held in judged]
        found.append(value_of(docket.metric, truth, [part for part in said if part is not None]))
    return np.array(found)


def _scatter(held: HeldOut) -> dict[str, Any]:
    """Actual against predicted, evenly thinned."""
    every = max(1, -(-len(held.rows) // _MOST_DOTS))
    return {"actual": plains(held.actual[::every]), "predicted": plains(held.predicted[::every])}
