"""A model on labelled rows: how good it is on them, whether its probabilities hold, and what drifted since training."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.combine.conformal import likely_classes, residual_scores
from venire.data.labelled import labelled, no_outcome
from venire.data.readers.blocks import BLOCK_BYTES
from venire.data.spaced_rows import spaced_rows
from venire.data.streamed import Asked, Written, streamed
from venire.data.table import Target, Task, label_text
from venire.ensembles.table_model import TableModel
from venire.inference import accuracy_interval
from venire.inference.one_test_set import fixed_model_interval
from venire.metrics import calibration_curve, confusion_matrix, metric, metric_names
from venire.metrics.predictions import Output, Predictions
from venire.metrics.scores import Metric
from venire.report.document.held_out import ends, number, reliability_facts
from venire.report.document.shapes.use import CalibrationBin, Covered, EvaluationDocument, MetricFacts
from venire.report.document.shapes.verdict import CalibrationFacts
from venire.use.account import InputAccount, used_model
from venire.use.drift import DriftAccount
from venire.use.read_ahead import read_ahead
from venire.validation.question import metric_facts
from venire.verdict.calibration import MOST_ROWS, event, measured

_SAME = {"accuracy", "balanced_accuracy", "roc_auc"}  # other names of metrics that are listed
_COVERAGE = 0.9


def evaluate(
    model: TableModel,
    source: Any,
    *,
    written: Written | None = None,
    file: str = "",
    block_bytes: int = BLOCK_BYTES,
    tick: Callable[[int], None] = lambda rows: None,
) -> EvaluationDocument:
    """The model on rows with known targets that it was not trained on, read part by part.

    `file` is the name of the model, for the document; `tick` hears how many rows are done.
    """
    began = monotonic()
    target = target_of(model)
    account, drift = InputAccount(model), DriftAccount(model)
    truths: list[NDArray[Any]] = []
    said: list[Predictions] = []
    asked = Asked(model.columns_, target, model.reading_)
    for part in read_ahead(streamed(source, asked, written, block_bytes=block_bytes)):
        account.add(part.rows)
        X, y = labelled(part.rows, target)
        if len(y):
            truths.append(y)
            said.append(model.predicted(X))
            drift.add(X, y)
        tick(account.rows)
    if not truths:
        raise no_outcome(target, account.source)
    y, predictions = np.concatenate(truths), _together(said)
    facts, about = account.facts(), model.about_ or {}
    metrics = [_metric_facts(one, y, predictions) for one in metrics_of(model)]
    first = bool(metrics) and about.get("metric") == metrics[0]["metric"]
    calibration, bins = _calibration(about.get("family") or "model", y, predictions, target.positive)
    return {
        **used_model(model, file),
        **facts,
        "rows_without_target": account.rows - len(y),
        "family": about.get("family"),
        "metrics": metrics,
        "promised": {"error": about["error"], "interval": about["interval"]} if first else None,
        "confusion": _confusion(model, y, predictions),
        "calibration": calibration,
        "calibration_bins": bins,
        "calibrated_class": None if target.positive is None or calibration is None else target.labels[target.positive],
        "covered": _covered(model, y, predictions),
        "drift": drift.facts(facts),
        "timing": {"seconds": round(monotonic() - began, 3)},
    }


def target_of(model: TableModel) -> Target:
    """The target of the table that the model was trained on, without its values."""
    classes = tuple(model.classes_.tolist()) if model.task_ is Task.CLASSIFICATION else ()
    positive = (model.about_ or {}).get("positive")
    labels = [label_text(label) for label in classes]
    code = labels.index(positive) if positive in labels else 1 if len(classes) == 2 else None
    return Target(model.target_name_, model.task_, np.empty(0), classes, code)


def metrics_of(model: TableModel) -> list[Metric]:
    """Every metric that the model can be judged by, that of its verdict first."""
    target, about = target_of(model), model.about_ or {}
    costs = None if model.finish is None else model.finish.costs
    names = [name for name in metric_names(target.task) if name not in _SAME and (name != "cost" or costs is not None)]
    found = [metric(name, target.task, target.positive, costs if name == "cost" else None) for name in names]
    found.sort(key=lambda one: one.name != about.get("metric"))
    if found[0].name == about.get("metric") and about.get("higher_is_better"):
        found[0] = replace(found[0], higher_is_better=True)  # as it was asked for: accuracy, not the error rate
    return [one for one in found if one.accepts(model.gives)]


def _together(said: list[Predictions]) -> Predictions:
    labels = [one.labels for one in said if one.labels is not None]
    outputs = [one.outputs for one in said if one.outputs is not None]
    return Predictions(
        np.concatenate(labels) if labels else None, np.concatenate(outputs) if outputs else None, said[0].output
    )


def _metric_facts(measure: Metric, y: NDArray[Any], said: Predictions) -> MetricFacts:
    found = fixed_model_interval(measure, y, said)
    higher = measure.higher_is_better
    shown = measure.shown_interval(found.low, found.high)
    return {
        **metric_facts(measure),
        "error": number(found.value),
        "interval": ends(found.interval),
        "score": number(measure.shown(found.value)) if higher else None,
        "score_interval": [number(end) for end in shown] if higher and found.interval.defined else None,
        "method": found.method,
    }


def _confusion(model: TableModel, y: NDArray[Any], said: Predictions) -> list[list[int]] | None:
    if said.labels is None:
        return None
    labels = tuple(label_text(label) for label in model.classes_)
    return [[int(n) for n in row] for row in confusion_matrix(y, said.labels, labels).counts]


def _calibration(
    family: str, y: NDArray[Any], said: Predictions, positive: int | None
) -> tuple[CalibrationFacts | None, list[CalibrationBin]]:
    """How far probabilities are from what came true, at most on so many rows at equal distances."""
    if said.output is not Output.PROBABILITIES or said.outputs is None:
        return None, []
    at = spaced_rows(len(y), MOST_ROWS)
    p, hit = event(np.asarray(said.outputs)[at], y[at], positive)
    curve = calibration_curve(hit, p)
    bins: list[CalibrationBin] = [
        {"predicted": float(predicted), "observed": float(observed), "rows": int(rows)}
        for predicted, observed, rows in zip(curve.predicted, curve.observed, curve.count, strict=True)
    ]
    return reliability_facts(measured(family, p, hit)), bins


def _covered(model: TableModel, y: NDArray[Any], said: Predictions) -> Covered | None:
    """Whether intervals or sets of the usual coverage hold the truth of these rows as often as they say."""
    held = getattr(model, "conformal_", None)
    if held is None or held.independent < _COVERAGE / (1 - _COVERAGE):
        return None
    radius = held.radius(_COVERAGE)
    if said.output is Output.VALUES:
        within = residual_scores(y, said.values) <= radius
    else:
        within = likely_classes(np.asarray(said.outputs), radius)[np.arange(len(y)), y]
    inside = int(within.sum())
    found = accuracy_interval(inside, len(y))
    return {"coverage": _COVERAGE, "held": inside / len(y), "interval": [found.low, found.high]}
