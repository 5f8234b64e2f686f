"""A booster that takes its bins over holds codes once, and gradients not at all; its trees are the same to the bit."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from venire import GradientBoostingClassifier
from venire._core import Bins, Booster, BoostPlan
from venire.ensembles.gradient import base

Floats = NDArray[np.float64]
ROWS = 40_000  # enough for threads and for pieces of a node


def table(rows: int = ROWS) -> tuple[Floats, NDArray[np.bool_], Floats]:
    """Numbers with gaps, a one-hot code that is bundled, and categories; and numbers to be predicted, from 0 on."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((rows, 5))
    x[:, 1] = np.round(x[:, 1])
    x[rng.random(x.shape) < 0.05] = np.nan
    kind, place = rng.integers(0, 9, rows), rng.integers(0, 40, rows)
    x = np.column_stack([x, *(kind == k for k in range(9)), place])
    y = np.nan_to_num(x[:, 0] + x[:, 1] * x[:, 2]) + 0.3 * (kind == 3) + np.sin(place) + rng.standard_normal(rows)
    return x, np.arange(x.shape[1]) == x.shape[1] - 1, np.abs(y)


def boosted(loss: str, *, take: bool, threads: int = 1, weights: Floats | None = None, **settings: Any) -> Booster:
    x, categorical, y = table()
    plan = BoostPlan()
    plan.loss, plan.max_leaf_nodes, plan.min_samples_leaf = loss, 15, 20.0
    for name, value in settings.items():
        setattr(plan, name, value)
    if loss in ("logistic", "exponential", "multinomial"):
        y = np.digitize(y, [0.7, 1.5] if loss == "multinomial" else [0.7]).astype(np.float64)
    bins = Bins.of(x, categorical, weights, max_bins=255, threads=1)
    free = np.zeros(0, dtype=np.int8)
    booster = Booster.of(bins, y, weights, np.zeros(0), free, plan, threads=threads, take=take)
    assert (bins.rows == 0) == take
    booster.advance(5, threads=threads)
    return booster


def same(one: Booster, other: Booster) -> bool:
    return one.scores().tobytes() == other.scores().tobytes() and pickle.dumps(one.forest()) == pickle.dumps(
        other.forest()
    )


@pytest.mark.parametrize(
    "loss", ["squared", "absolute", "quantile", "huber", "poisson", "gamma", "logistic", "exponential", "multinomial"]
)
def test_all_losses(loss: str) -> None:
    outputs = 3 if loss == "multinomial" else 1
    apart = boosted(loss, take=False, outputs=outputs)
    assert same(apart, boosted(loss, take=True, outputs=outputs))
    assert same(apart, boosted(loss, take=True, threads=2, outputs=outputs))


@pytest.mark.parametrize(
    "settings", [{"subsample": 0.5}, {"top_share": 0.2, "other_share": 0.1}, {"levels": 16}, {"keep_losses": True}]
)
def test_rows_of_a_round(settings: dict[str, Any]) -> None:
    assert same(boosted("logistic", take=False, **settings), boosted("logistic", take=True, threads=2, **settings))


@pytest.mark.parametrize("least", [0, 1])
def test_weights_of_which_some_are_0(least: int) -> None:
    weights = np.random.default_rng(1).integers(least, 3, ROWS).astype(np.float64)
    apart = boosted("logistic", take=False, weights=weights)
    assert same(apart, boosted("logistic", take=True, threads=2, weights=weights))


def test_a_tree_of_one_leaf() -> None:
    hopeless: dict[str, Any] = {"min_split_gain": 1e12}
    assert same(boosted("logistic", take=False, **hopeless), boosted("logistic", take=True, **hopeless))


def test_a_model_that_holds_its_codes_once(monkeypatch: pytest.MonkeyPatch) -> None:
    x, _, y = table(5_000)
    model = GradientBoostingClassifier(n_estimators=5, random_state=0)
    apart = model.fit(x, y > 1).predict_proba(x)
    monkeypatch.setattr(base, "TAKEN_CODES", 1)
    assert model.fit(x, y > 1).predict_proba(x).tobytes() == apart.tobytes()
