"""The figures of the leaderboard: those of all rows, by the one function that the proof runs, too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.validation.tables import classification, regression
from tests.verdict.cases import BASELINE, BAYES, NEAREST, RIDGE, judged
from venire.data.table import Task
from venire.inference import RowsTested, row_figure
from venire.inference.intervals import Interval
from venire.metrics import metric
from venire.metrics.predictions import Output, Predictions, joined
from venire.verdict.every_metric import scored
from venire.verdict.held_out_figures import HeldOutRows
from venire.verdict.pictures import pictures
from venire.verdict.said_of_rows import predicted_by


def test_an_rmse_is_that_of_all_rows(tmp_path: Path) -> None:
    judgement = judged(tmp_path, regression(60, 0), [BASELINE, RIDGE], folds=10)
    docket, row = judgement.docket, next(row for row in judgement.rows if row.family == "baseline")
    residuals = []
    for place in docket.plan.places:
        held = docket.plan.outer(*place)
        predicted = predicted_by(docket, judgement.candidate("baseline"), place, held)
        residuals.append(predicted.values - docket.truth(held))
    assert row.error == pytest.approx(np.sqrt(np.mean(np.square(np.concatenate(residuals)))), rel=1e-6)
    assert row.interval.low < row.error < row.interval.high


def test_the_interval_is_that_of_the_function_the_proof_runs(tmp_path: Path) -> None:
    judgement = judged(tmp_path, classification(90, classes=2), [BASELINE, BAYES], folds=5)
    docket, plan = judgement.docket, judgement.docket.plan
    candidate = next(c for c in judgement.candidates if c.kind == "member" and c.name != "baseline")
    rows = np.concatenate([plan.rows(0, (i,)) for i in range(5)])
    fold_of = plan.fold_of[0][rows].astype(np.intp)
    said = joined([predicted_by(docket, candidate, (0, i), plan.outer(0, i)) for i in range(5)])
    without_two = []
    for j in range(5):
        held = plan.inner(0, j)
        where = np.concatenate([np.flatnonzero(fold_of == h.fold) for h in held])
        without_two.append((where, joined([predicted_by(docket, candidate, (0, h.fold), h) for h in held])))
    found = row_figure(
        docket.metric,
        docket.table.y[rows],
        said,
        RowsTested(rows, fold_of, folds=5, test_over_train=plan.test_over_train()),
        without_two=without_two,
    )
    row = next(row for row in judgement.rows if row.family == candidate.name)
    assert (row.error, row.interval) == (found.value, found.interval)


def test_every_metric_has_the_leaderboards_figure(tmp_path: Path) -> None:
    judgement = judged(tmp_path, classification(90, classes=2), [BASELINE, BAYES], folds=5)
    found = scored(judgement, ["error", "log_loss"])
    for row in judgement.rows:
        shown = found["error"][row.family]
        assert (shown.value, shown.low, shown.high) == (row.error, row.interval.low, row.interval.high)
    assert all(one.low < one.value < one.high for one in found["log_loss"].values())


def test_repeats_do_not_narrow_it_below_one_table(tmp_path: Path) -> None:
    once, often = (judged(tmp_path / str(r), regression(60, 0), [BASELINE], folds=5, repeats=r) for r in (1, 6))
    widths = [HeldOutRows(j.docket, j.procedure.picks).figure().interval.width for j in (once, often)]
    assert widths[1] > 0.9 * widths[0]


@pytest.mark.parametrize("measure", ["f1", "auc", "balanced_error", "error", "log_loss"])
def test_without_a_choice_one_layer_reports_what_two_layers_do(tmp_path: Path, measure: str) -> None:
    """A model with one setting has nothing to be optimistic about: the two figures are the same one."""
    table = classification(93, classes=2)  # folds of different sizes
    judgement = judged(tmp_path, table, [BASELINE, NEAREST], measure=measure, folds=10, repeats=2)
    for row in judgement.rows[1:]:
        if judgement.docket.finishing:  # calibration is learned on fewer rows in two layers
            assert row.one_layer_error == pytest.approx(row.error, rel=0.5)
        else:
            assert row.one_layer_error == pytest.approx(row.error, rel=1e-12)


@pytest.mark.parametrize("measure", ["r2", "rmse", "mae"])
def test_the_same_holds_for_numbers(tmp_path: Path, measure: str) -> None:
    judgement = judged(tmp_path, regression(63, 0), [BASELINE, NEAREST], measure=measure, folds=10)
    for row in judgement.rows[1:]:
        assert row.one_layer_error == pytest.approx(row.error, rel=1e-12)


@pytest.mark.parametrize("measure", ["f1", "auc", "balanced_error"])
def test_a_training_figure_is_that_of_all_rows_once(tmp_path: Path, measure: str) -> None:
    judgement = judged(tmp_path, classification(80, classes=2), [BASELINE, BAYES], measure=measure, folds=8)
    docket, bayes = judgement.docket, judgement.candidate("bayes")
    rows, folds, labels, outputs = [], [], [], []
    for at, place in enumerate(docket.plan.places):
        trial = docket.plan.outer(*place).trial
        (seen,) = docket.plan.seen_rows(trial)
        said = docket.seen("bayes", trial, bayes.settings[place])
        assert said is not None
        assert said.labels is not None
        assert said.outputs is not None
        rows.append(seen)
        folds.append(np.full(len(seen), at))
        labels.append(said.labels)
        outputs.append(said.outputs[:, 1])
    y, fold, label, output = docket.table.y[np.concatenate(rows)], *map(np.concatenate, (folds, labels, outputs))
    assert sorted(np.concatenate(rows)) == list(range(80))
    one, other = [y == code for code in (0, 1)]
    if measure == "f1":
        positive = docket.metric.positive
        both = ((label == positive) & (y == positive)).sum()
        wanted = 1 - 2 * both / ((label == positive).sum() + (y == positive).sum())
    elif measure == "balanced_error":
        wanted = ((label != y)[one].mean() + (label != y)[other].mean()) / 2
    else:
        ahead = (output[one][:, None] > output[other]) + 0.5 * (output[one][:, None] == output[other])
        paired = fold[one][:, None] == fold[other]
        wanted = ahead[paired].mean()
    row = next(row for row in judgement.rows if row.family == "bayes")
    assert row.training_error == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("measure", ["f1", "auc", "r2"])
def test_the_path_shows_the_figure_of_the_leaderboard(tmp_path: Path, measure: str) -> None:
    table = regression(60, 0) if measure == "r2" else classification(90, classes=2)
    family = RIDGE if measure == "r2" else BAYES
    judgement = judged(tmp_path, table, [BASELINE, family], measure=measure, folds=6)
    drawn = pictures(judgement)["paths"][family.name]
    row = next(row for row in judgement.rows if row.family == family.name)
    assert drawn["held_out"][drawn["chosen"]] == pytest.approx(row.one_layer_error, rel=1e-5)


@pytest.mark.parametrize("measure", ["error", "log_loss", "f1"])
def test_copies_of_rows_have_the_interval_of_the_rows(measure: str) -> None:
    """Doubled predictions, whose copies share a number, say as much as the plain ones: no more and no less."""
    rng, rows, folds = np.random.default_rng(0), 90, 5
    y, fold_of = rng.integers(0, 2, rows), np.arange(rows) % folds
    chance = np.clip(0.5 + 0.25 * (2 * y - 1) + 0.2 * rng.normal(size=rows), 0.02, 0.98)
    shifts = 0.1 * rng.normal(size=(folds, rows))

    def said(sure: np.ndarray) -> Predictions:
        return Predictions((sure > 0.5).astype(np.int32), np.stack([1 - sure, sure], axis=1), Output.PROBABILITIES)

    def interval(times: int) -> Interval:
        at = np.tile(np.arange(rows), times)
        without = []
        for fold in range(folds):
            others = np.flatnonzero(fold_of[at] != fold)
            without.append((others, said(np.clip(chance + shifts[fold], 0.02, 0.98)[at[others]])))
        found = row_figure(
            metric(measure, Task.CLASSIFICATION),
            y[at],
            said(chance[at]),
            RowsTested(at, fold_of[at], folds=folds, test_over_train=1 / 4),
            without_two=without,
        )
        return found.interval

    once, twice = interval(1), interval(2)
    assert (twice.low, twice.high) == pytest.approx((once.low, once.high), rel=1e-9)  # another order of the sums
