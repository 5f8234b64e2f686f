"""The bootstrap against hand computation, a plain loop, and the case .632+ was made for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from tests.validation.tables import classification, noise, plain, regression
from venire.data.table import Task
from venire.errors import DataError, UsageError
from venire.families.neighbors import NeighborsFamily
from venire.families.paths import neighbours
from venire.metrics.predictions import Output, Predictions
from venire.metrics.scores import metric
from venire.validation import bootstrap
from venire.validation.bootstrapping import mixture


def test_the_mixture_by_hand() -> None:
    """err = .10, Err₁ = .30, γ = .45: R = .2/.35, w = .632/(1 − .368 R)."""
    found = mixture(np.array([0.10]), np.array([0.30]), np.array([0.45]))
    R = 0.20 / 0.35
    w = 0.632 / (1 - 0.368 * R)
    assert found.overfitting == pytest.approx(R)
    assert found.weight == pytest.approx(w)
    assert found.error_632 == pytest.approx(0.368 * 0.10 + 0.632 * 0.30)
    assert found.error_632_plus == pytest.approx((1 - w) * 0.10 + w * 0.30)
    assert found.error_632_plus == pytest.approx(0.26006, abs=5e-6)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_the_mixture_stays_between_its_parts(training: float, out_of_bag: float, gamma: float) -> None:
    found = mixture(np.array([training]), np.array([out_of_bag]), np.array([gamma]))
    assert 0 <= found.overfitting[0] <= 1
    assert 0.632 <= found.weight[0] <= 1 + 1e-12
    assert min(training, out_of_bag) - 1e-12 <= found.error_632_plus[0] <= max(training, out_of_bag) + 1e-12
    if out_of_bag <= training or gamma <= training:
        assert found.error_632_plus == found.error_632, "no overfitting, so no correction"


def test_one_nearest_neighbour_on_noise_is_what_632_plus_is_for() -> None:
    """The training error is 0 whatever happens: .632 is about .316 where the truth is .5."""
    plain_estimates, corrected = [], []
    for seed in range(4):
        table = noise(100, seed)
        found = bootstrap(KNeighborsClassifier(1), table, samples=40, seed=seed)
        assert found.training[0] == 0
        plain_estimates.append(found.error_632[0])
        corrected.append(found.error_632_plus[0])
    assert np.mean(plain_estimates) == pytest.approx(0.316, abs=0.03)
    assert np.mean(corrected) == pytest.approx(0.5, abs=0.04)


@pytest.mark.parametrize("name", ["error", "log_loss", "brier"])
def test_every_row_is_judged_by_the_samples_without_it(name: str) -> None:
    table = classification(40, classes=2, seed=1)
    X, y = np.nan_to_num(table.X), table.y
    found = bootstrap(GaussianNB(), (X, y), samples=12, metric=name, encoding="none")
    measure = metric(name, Task.CLASSIFICATION, positive=1)
    of_row: list[list[float]] = [[] for _ in y]
    for times in found.drawn:
        rows = np.repeat(np.arange(40), times)
        fitted = GaussianNB().fit(X[rows], y[rows])
        for i in np.flatnonzero(times == 0):
            said = Predictions(fitted.predict(X[[i]]), fitted.predict_proba(X[[i]]), Output.PROBABILITIES)
            of_row[i].append(measure.loss(y[[i]], said))
    expected = np.mean([np.mean(losses) for losses in of_row if losses])
    assert found.out_of_bag[0] == pytest.approx(expected, rel=1e-6)


def test_squares_are_mixed_where_roots_are_shown() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    y = X @ [1.0, 2.0, 0.0] + rng.normal(size=50)
    found = bootstrap(LinearRegression(), (X, y), samples=10, encoding="none", task="regression")
    fitted = LinearRegression().fit(X, y)
    said = fitted.predict(X)
    err = np.mean((said - y) ** 2)
    gamma = np.mean((said[None, :] - y[:, None]) ** 2)
    assert found.training[0] == pytest.approx(np.sqrt(err))
    assert found.no_information[0] == pytest.approx(np.sqrt(gamma))
    squares = []
    for i in range(50):
        without = [np.repeat(np.arange(50), times) for times in found.drawn if times[i] == 0]
        models = [LinearRegression().fit(X[rows], y[rows]) for rows in without]
        if models:
            squares.append(np.mean([(model.predict(X[[i]])[0] - y[i]) ** 2 for model in models]))
    out_of_bag = np.mean(squares)
    assert found.out_of_bag[0] == pytest.approx(np.sqrt(out_of_bag))
    expected = mixture(*(np.array([part]) for part in (err, out_of_bag, gamma)))
    assert found.error_632_plus[0] == pytest.approx(np.sqrt(expected.error_632_plus[0]))


def test_rows_in_a_regular_order_change_no_estimate() -> None:
    """Labels that alternate in a long table: γ is ½, however the targets are shifted against the predictions."""
    y = np.arange(1998) % 2
    X = np.random.default_rng(0).normal(size=(1998, 2))
    found = bootstrap(DecisionTreeClassifier(random_state=0), (X, y), samples=3, task="classification")
    assert found.no_information[0] == pytest.approx(0.5)
    assert found.error_632_plus[0] > 0.45


def test_all_settings_from_the_same_samples() -> None:
    family = NeighborsFamily("knn", classifier=KNeighborsClassifier(), path=neighbours)
    table = classification(64, seed=2)
    found = bootstrap(family, table, samples=8)
    assert found.settings == family.path(table), "a sample has more rows than the table, but the same path"
    assert found.losses.shape == (8, len(found.settings))
    loops = bootstrap(family, table, samples=8, naive=True)
    np.testing.assert_allclose(found.error_632_plus, loops.error_632_plus, rtol=1e-12)
    assert found.chosen == loops.chosen
    assert found.error == found.errors[found.chosen] == found.errors.min()
    held = found.held_out()
    for sample in range(8):
        own = held.repeats == sample
        np.testing.assert_array_equal(np.sort(held.rows[own]), np.flatnonzero(found.drawn[sample] == 0))
        wrong = np.mean(held.predicted[own] != held.actual[own])
        assert wrong == pytest.approx(found.losses[sample, found.chosen])


def test_randomised_learners_differ_from_sample_to_sample_and_seeds_decide() -> None:
    table = classification(40, classes=2)
    one, same, other = (bootstrap(DecisionTreeClassifier(), table, samples=5, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.losses, same.losses)
    np.testing.assert_array_equal(one.drawn, same.drawn)
    assert (one.drawn != other.drawn).any()
    assert (one.drawn.sum(axis=1) == 40).all()


def test_groups_are_drawn_as_a_whole() -> None:
    groups = np.arange(60, dtype=np.int32) // 5
    found = bootstrap(Ridge(), regression(60, groups=groups), samples=6)
    for times in found.drawn:
        assert all(len(set(times[groups == group])) == 1 for group in range(12))


@pytest.mark.parametrize("name", ["auc", "balanced_error", "f1"])
def test_ranks_and_ratios_are_averaged_over_samples(name: str) -> None:
    found = bootstrap(GaussianNB(), classification(50, classes=2), samples=6, metric=name)
    assert found.out_of_bag[0] == pytest.approx(np.nanmean(found.losses[:, 0]))
    if name != "f1":  # whose value without information hangs on how often the class is predicted
        assert found.no_information[0] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("data", "options", "error", "words"),
    [
        (noise(20, 0), {"samples": 0}, UsageError, "samples must be at least 1, not 0"),
        (noise(20, 0), {"seed": -2}, UsageError, "seed must be 0 or more, not -2"),
        (noise(20, 0), {"estimate": "633"}, UsageError, "no estimate '633'"),
        (noise(20, 0), {"jobs": 0}, UsageError, "jobs must be at least 1"),
        (classification(20, time=np.arange(20.0)), {}, UsageError, "knows no time order"),
        (classification(20, groups=np.zeros(20, np.int32)), {}, DataError, "at least 2 groups, and there is 1"),
        (plain(np.zeros((5, 1)), np.zeros(5), classes=2), {}, DataError, "one class only"),
    ],
)
def test_what_cannot_be_drawn_is_refused(data: Any, options: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        bootstrap(GaussianNB(), data, **options)
