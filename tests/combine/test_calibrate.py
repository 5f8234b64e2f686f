"""Calibration: planted distortions are undone, good probabilities are left alone, no fold calibrates itself."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, logit
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from venire.combine.calibrate import METHODS, SOBER, choose_calibration, cross_calibrated, fit_calibration


def drawn(rows: int, seed: int, bend: float = 1.0, shift: float = 0.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Probabilities whose log odds are `bend` times the true ones plus `shift`; the classes; four folds."""
    rng = np.random.default_rng(seed)
    truth = expit(1.5 * rng.normal(size=rows))
    said = expit(bend * logit(truth) + shift)
    y = (rng.random(rows) < truth).astype(int)
    return np.column_stack([1 - said, said]), y, np.arange(rows) % 4


def test_a_planted_distortion_is_undone() -> None:
    said, y, _ = drawn(4000, 0, bend=3.0, shift=1.0)
    line = fit_calibration(said, y, "sigmoid").maps[0]
    assert line.slope == pytest.approx(1 / 3, abs=0.03)
    assert line.shift == pytest.approx(-1 / 3, abs=0.1)
    at = np.linspace(0.05, 0.95, 19)
    wanted = expit((logit(at) - 1) / 3)
    bent = np.column_stack([1 - at, at])
    for method, near in (("sigmoid", 0.03), ("isotonic", 0.12)):
        assert np.abs(fit_calibration(said, y, method)(bent)[:, 1] - wanted).max() < near


def test_the_sigmoid_is_maximum_likelihood() -> None:
    said, y, _ = drawn(3000, 1, bend=2.0)
    line = fit_calibration(said, y, "sigmoid").maps[0]
    peer = LogisticRegression(C=1e12, tol=1e-10).fit(logit(said[:, 1])[:, None], y)
    assert line.slope == pytest.approx(peer.coef_[0, 0], abs=2e-3), "Platt's targets move it by no more"
    assert line.shift == pytest.approx(peer.intercept_[0], abs=2e-3)


def test_the_steps_are_those_of_scikit_learn() -> None:
    said, y, _ = drawn(300, 2, bend=2.0)
    ours = fit_calibration(said, y, "isotonic").maps[0]
    peer = IsotonicRegression(out_of_bounds="clip", y_min=1 / 302, y_max=1 - 1 / 302).fit(said[:, 1], y)
    at = np.linspace(0, 1, 201)
    np.testing.assert_allclose(ours(at), peer.predict(at), atol=1e-12)


@pytest.mark.parametrize("bend", [0.3, 3.0], ids=["timid", "rash"])
def test_bad_probabilities_are_calibrated(bend: float) -> None:
    said, y, fold = drawn(600, 3, bend=bend)
    found, crossed = choose_calibration(said, y, fold)
    assert found is not None
    assert np.abs(crossed[:, 1] - said[:, 1]).max() > 0.05


def test_good_probabilities_are_mostly_left_alone() -> None:
    touched = [choose_calibration(*drawn(400, seed))[0] is not None for seed in range(100)]
    assert np.mean(touched) < 0.25, "one standard error is the price of parsimony: a gain by luck happens"


def test_no_fold_has_a_say_in_its_own_calibration() -> None:
    said, y, fold = drawn(200, 4, bend=2.0)
    turned = np.where(fold == 2, 1 - y, y)
    for method in METHODS:
        before, after = (cross_calibrated(said, labels, fold, method) for labels in (y, turned))
        assert np.array_equal(before[fold == 2], after[fold == 2])
        assert not np.array_equal(before, after)


def test_nor_has_another_split_of_its_rows() -> None:
    """Split twice, every row stands twice: the second time must not teach the first."""
    said, y, fold = drawn(200, 4, bend=2.0)
    again = np.random.default_rng(0).permutation(fold)
    repeat_of = np.repeat([0, 1], 200)
    twice, folds = np.vstack([said, said]), np.concatenate([fold, 10 + again])
    rows = np.flatnonzero(fold == 2)
    turned = y.copy()
    turned[rows] = 1 - y[rows]
    for method in METHODS:
        before, after = (
            cross_calibrated(twice, np.tile(labels, 2), folds, method, repeat_of) for labels in (y, turned)
        )
        assert np.array_equal(before[rows], after[rows])
        alone = cross_calibrated(said, y, fold, method)
        assert np.array_equal(before[:200], alone), "as if there had been one split"


def test_several_splits_are_no_surer_than_one() -> None:
    """The same probabilities again and again bring no new rows, so they must not talk anybody into calibrating."""
    once, often = [], []
    for seed in range(40):
        said, y, fold = drawn(200, seed)
        once.append(choose_calibration(said, y, fold)[0])
        many = [np.concatenate([part] * 4) for part in (said, y)]
        folds = np.concatenate([fold + 10 * time for time in range(4)])
        often.append(choose_calibration(*many, folds, np.repeat(np.arange(4), 200))[0])
    assert sum(found is not None for found in often) <= sum(found is not None for found in once) + 2


def test_many_classes_sum_to_one_and_improve() -> None:
    rng = np.random.default_rng(5)
    truth = rng.dirichlet([1, 1, 1], 900)
    y = np.array([rng.choice(3, p=p) for p in truth])
    rash = truth**4 / (truth**4).sum(axis=1, keepdims=True)
    found, crossed = choose_calibration(rash, y, np.arange(900) % 5)
    assert found is not None
    np.testing.assert_allclose(crossed.sum(axis=1), 1.0)
    rows = np.arange(900)
    assert -np.log(crossed[rows, y]).mean() < -np.log(np.clip(rash[rows, y], 1e-7, 1)).mean() - 0.1


def test_separated_classes_and_constants_stay_finite() -> None:
    y = np.repeat([0, 1], 20)
    apart = np.column_stack([1.0 - y, y]).astype(float)
    for method in METHODS:
        said = fit_calibration(apart, y, method)(apart)
        assert np.isfinite(said).all()
        assert (said > 0).all()
        assert (said.argmax(axis=1) == y).all()
    constant = np.full((40, 2), 0.5)
    assert choose_calibration(constant, y, np.arange(40) % 4)[0] is None
    assert np.isfinite(fit_calibration(constant, y, "sigmoid")(constant)).all()
    upside_down = fit_calibration(1 - apart, y, "sigmoid")(np.array([[0.9, 0.1], [0.1, 0.9]]))
    np.testing.assert_allclose(upside_down, 0.5, atol=1e-6)


@pytest.mark.parametrize("classes", [2, 3, 40])
def test_what_no_row_went_against_is_not_impossible(classes: int) -> None:
    """By hand: of n rows none went another way, so about 1 of n + 2 may; a fold knows the rows of the others."""
    truth = np.arange(120) % classes
    certain = np.eye(classes)[truth]
    chosen, crossed = choose_calibration(certain, truth, np.arange(120) // 12)
    assert chosen is not None
    assert chosen.method == SOBER
    assert crossed[np.arange(120), truth] == pytest.approx(1 - 1 / (108 + 2))
    after = chosen(certain)
    assert after[np.arange(120), truth] == pytest.approx(1 - 1 / 122)
    assert after.min() == pytest.approx(1 / 122 / (classes - 1))
    assert after.sum(axis=1) == pytest.approx(1)


def test_rows_of_further_repeats_show_no_more() -> None:
    truth = np.tile(np.arange(60) % 2, 3)
    fold, repeat = np.tile(np.arange(60) // 10, 3) + np.repeat([0, 6, 12], 60), np.repeat(np.arange(3), 60)
    chosen, crossed = choose_calibration(np.eye(2)[truth], truth, fold, repeat)
    assert chosen is not None
    assert chosen(np.eye(2)).max() == pytest.approx(1 - 1 / 62)
    assert crossed.max() == pytest.approx(1 - 1 / 52)


def test_no_order_of_classes_changes() -> None:
    truth = np.arange(90) % 3
    chosen, _ = choose_calibration(np.eye(3)[truth], truth, np.arange(90) % 9)
    assert chosen is not None
    said = np.random.default_rng(3).dirichlet(np.full(3, 0.05), 200)
    np.testing.assert_array_equal(*(np.argsort(x, axis=1, kind="stable") for x in (chosen(said), said)))


def test_the_least_that_rows_show_is_left_alone() -> None:
    truth, fold = np.arange(80) % 2, np.arange(80) % 4
    sure = np.where(truth, 1 - 1 / 82, 1 / 82)
    assert choose_calibration(np.column_stack([1 - sure, sure]), truth, fold)[0] is None
