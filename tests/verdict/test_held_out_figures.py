"""The figures of the leaderboard: those of all rows, by the one function that the proof runs, too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.validation.tables import classification, regression
from tests.verdict.cases import BASELINE, BAYES, RIDGE, judged
from venire.inference import row_figure
from venire.verdict.every_metric import scored
from venire.verdict.held_out_figures import HeldOutRows, joined
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
        rows=rows,
        fold_of=fold_of,
        folds=5,
        test_over_train=plan.test_over_train(),
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
