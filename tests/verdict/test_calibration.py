"""Calibration measured on held-out rows."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from scipy.special import expit

from tests.validation.tables import classification, plain
from tests.verdict.cases import BASELINE, BAYES, RIDGE, judged
from venire.metrics import calibration_curve
from venire.metrics.predictions import Output
from venire.validation.held_out import HeldOut
from venire.verdict import calibration as module
from venire.verdict.calibration import Reliability, reliability
from venire.verdict.findings.catalogue import review
from venire.verdict.held_out_predictions import held_out
from venire.verdict.judgement import Judgement


def test_the_figures_of_two_classes(tmp_path: Path) -> None:
    judgement = judged(tmp_path, classification(200, classes=2), [BASELINE, BAYES], folds=5)
    found = reliability(judgement, "bayes")
    assert found is not None
    held = held_out(judgement, "bayes")
    p, hit = held.outputs[:, 1].astype(float), held.actual == 1
    assert found.calibration_error == pytest.approx(calibration_curve(hit, p).expected_calibration_error)
    assert found.uncertainty == pytest.approx(hit.mean() * (1 - hit.mean()))
    assert found.bias == pytest.approx(p.mean() - hit.mean())
    brier = np.square(p - hit).mean()
    assert found.reliability - found.resolution + found.uncertainty == pytest.approx(brier, abs=0.02)
    assert found.rows == 200


def test_many_classes_are_judged_by_the_class_they_name(tmp_path: Path) -> None:
    judgement = judged(tmp_path, classification(150), [BASELINE, BAYES], folds=5)
    found, held = reliability(judgement, "bayes"), held_out(judgement, "bayes")
    assert found is not None
    assert found.uncertainty == pytest.approx(
        np.mean(held.predicted == held.actual) * np.mean(held.predicted != held.actual)
    )


def test_a_constant_is_never_accused_and_scores_are_not_measured(tmp_path: Path) -> None:
    judgement = judged(tmp_path, classification(90, classes=2), [BASELINE, RIDGE], folds=5)
    found = reliability(judgement, "baseline")
    assert found is not None
    assert not found.out_of_calibration
    assert reliability(judgement, "ridge") is None


def test_slope_tells_rash_from_timid(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    witness = rng.normal(size=300) + y
    rash = plain(np.column_stack([witness + 0.05 * rng.normal(size=300) for _ in range(6)]), y, classes=2)
    found = reliability(judged(tmp_path, rash, [BAYES], folds=5), "bayes")
    assert found is not None
    assert found.slope < 0.5
    assert found.out_of_calibration


@pytest.mark.parametrize(
    ("slope", "bias", "said"),
    [
        (0.5, 0.02, "too far apart"),
        (1.5, -0.04, "too close together"),
        (0.5, 0.1, "too high"),
        (1.1, 0.06, "too high"),
        (0.9, -0.1, "too low"),
    ],
)
def test_the_fault_is_named(slope: float, bias: float, said: str) -> None:
    assert (
        Reliability(
            "bayes",
            rows=100,
            calibration_error=0.1,
            by_chance=0.0,
            slope=slope,
            intercept=0.0,
            bias=bias,
            reliability=0.0,
            resolution=0.0,
            uncertainty=0.25,
            chance=0.0,
        ).fault
        == said
    )


def rare(rows: int, seed: int, slope: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Log odds of a rare event, of which a model says `slope` times as much; and what came true."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(-5.0, 1.2, size=rows)
    return expit(slope * (odds + 5.0) - 5.0), rng.random(rows) < expit(odds)


def measured(monkeypatch: pytest.MonkeyPatch, p: np.ndarray, hit: np.ndarray) -> Reliability:
    rows, none = np.arange(len(p)), np.zeros(len(p), np.int32)
    outputs = np.column_stack([1 - p, p])
    held = HeldOut(
        "one",
        Output.PROBABILITIES,
        rows=rows,
        folds=none,
        actual=hit.astype(int),
        predicted=none,
        outputs=outputs,
        classes=(),
        repeats=none,
    )
    monkeypatch.setattr("venire.verdict.calibration.held_out", lambda *_: held)
    docket = SimpleNamespace(plan=SimpleNamespace(seed=0), table=SimpleNamespace(target=None))
    case = SimpleNamespace(docket=docket)
    found = reliability(cast(Judgement, case), "one")
    assert found is not None
    return found


def test_what_is_real_but_small_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Probabilities of a rare event, too far apart beyond doubt: off by about one percentage point, no alarm."""
    found = measured(monkeypatch, *rare(20_000, 0, slope=1.5))
    assert found.chance < 1e-3
    assert abs(found.slope - 1) > 0.2
    assert found.calibration_error < 0.02
    assert not found.out_of_calibration


def test_what_is_real_and_large_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    odds = rng.normal(size=5000)
    found = measured(monkeypatch, expit(1.5 * odds), rng.random(5000) < expit(odds))
    assert found.out_of_calibration
    assert found.fault == "too far apart"


@pytest.mark.parametrize("rows", [200, 2000])
def test_the_gap_by_chance_is_that_of_probabilities_that_are_right(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    rng = np.random.default_rng(2)
    p = rng.uniform(0.05, 0.95, size=rows)
    gaps = [calibration_curve(rng.random(rows) < p, p).expected_calibration_error for _ in range(300)]
    found = measured(monkeypatch, p, rng.random(rows) < p)
    assert found.by_chance == pytest.approx(np.mean(gaps), rel=0.05)


def test_of_many_rows_some_are_measured_and_the_figure_says_how_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judgement = judged(tmp_path, classification(400, classes=2), [BASELINE, BAYES], folds=5)
    whole = reliability(judgement, "bayes")
    monkeypatch.setattr(module, "MOST_ROWS", 150)
    found = reliability(judgement, "bayes")
    assert whole is not None
    assert found is not None
    assert (whole.rows, found.rows) == (400, 150)
    assert reliability(judgement, "bayes") == found, "the same rows every time"
    held = held_out(judgement, "bayes")
    some = held.some(150, judgement.docket.plan.seed)
    at = np.searchsorted(held.rows, some.rows)
    np.testing.assert_array_equal(some.rows, held.rows[at])
    np.testing.assert_array_equal(some.outputs, held.outputs[at])
    np.testing.assert_array_equal(some.actual, held.actual[at])
    assert found.bias == pytest.approx(some.outputs[:, 1].mean() - (some.actual == 1).mean(), abs=1e-6)
    assert held.some(400, 0) is held
    assert module.looked_at(judgement) == "looked at in 150 of 400 rows"
    assert {check.code: check.reason for check in review(judgement)[1]}["V016"] == "looked at in 150 of 400 rows"
    monkeypatch.undo()
    assert module.looked_at(judgement) == ""


@pytest.mark.parametrize("positive", [0, 1])
def test_two_classes_are_judged_by_the_positive_one(positive: int) -> None:
    rng = np.random.default_rng(4)
    shares = rng.dirichlet([1.0, 1.0], size=50)
    actual = rng.integers(0, 2, 50)
    p, hit = module.event(shares, actual, positive)
    np.testing.assert_array_equal(p, shares[:, positive])
    np.testing.assert_array_equal(hit, actual == positive)
    expected = shares[:, positive].mean() - (actual == positive).mean()
    assert module.measured("one", p, hit).bias == pytest.approx(expected)
