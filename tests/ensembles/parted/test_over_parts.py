"""Boosting over parts: the bytes of the model that is fitted to all rows in one place."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.models.parted.here import Here
from venire.ensembles.gradient.estimators import GradientBoostingClassifier, GradientBoostingRegressor
from venire.ensembles.parted.over_parts import fit_parts
from venire.ensembles.parted.part import Part
from venire.errors import DataError, UsageError
from venire.persist import save

ROWS = 20_000  # more than two blocks, the last of them short


def table(dtype: Any = np.float64) -> np.ndarray:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(ROWS, 5))
    X[:, 1] = np.round(X[:, 1])
    X[:, 2] = np.where(rng.random(ROWS) < 0.9, 0.0, X[:, 2])  # bundled on one machine
    X[:, 3] = np.where(rng.random(ROWS) < 0.95, -0.0, 1.0)
    X[rng.random(X.shape) < 0.03] = np.nan
    return X.astype(dtype)


def target(name: str, X: np.ndarray) -> np.ndarray:
    rng = np.random.default_rng(6)
    signal = np.clip(np.nan_to_num(X[:, 0]), -3, 3) + np.nan_to_num(X[:, 1]) * np.nan_to_num(X[:, 2])
    noisy = signal + rng.normal(size=ROWS)
    if name == "logistic":
        return np.where(noisy > 0, "yes", "no")
    if name == "multinomial":
        return np.digitize(noisy, [-1.0, 1.0])
    return rng.poisson(np.exp(signal / 3)).astype(float) if name == "poisson" else noisy


def model(name: str, **more: Any) -> Any:
    options = {"n_estimators": 25, "random_state": 0, "n_jobs": 1, **more}
    if name in ("logistic", "multinomial"):
        return GradientBoostingClassifier(**options)
    return GradientBoostingRegressor(loss=name, **options)


def in_parts(name: str, X: np.ndarray, y: np.ndarray, parts: int, lost: int = 0, **more: Any) -> tuple[Any, Here]:
    ends = sorted({0, 1, 4_000, 8_192, 12_345, 12_346, 19_999, ROWS})
    sources = [(X[a:b], y[a:b]) for a, b in pairwise(ends)]
    cuts = [len(sources) * k // parts for k in range(parts + 1)]
    team = Here(sources, cuts, numeric=name not in ("logistic", "multinomial"), part=Part, lost=lost)
    fitted = model(name, **more)
    fit_parts(fitted, team, numeric=name not in ("logistic", "multinomial"))
    return fitted, team


def content(fitted: Any, folder: Any) -> bytes:
    save(fitted, folder / "one.venire")
    return bytes((folder / "one.venire").read_bytes())


@pytest.mark.parametrize(
    ("name", "parts", "more"),
    [
        ("logistic", 1, {}),
        ("logistic", 7, {"max_features": 2, "colsample": 0.8}),
        ("multinomial", 3, {"n_estimators": 8}),
        ("squared", 2, {"monotone": [1, 0, 0, 0, 0]}),
        ("squared", 7, {"max_leaf_nodes": 8, "l2_regularization": 1.0}),
        ("poisson", 3, {"min_samples_leaf": 200}),
        ("logistic", 3, {"subsample": 0.5}),
        ("multinomial", 7, {"subsample": 0.1, "n_estimators": 5, "min_samples_leaf": 1}),
        ("logistic", 2, {"min_samples_leaf": 700, "learning_rate": 1.0, "rows_by_hessian": False}),
        ("logistic", 2, {"max_depth": 3}),
        ("squared", 2, {"max_leaf_nodes": 200, "min_samples_leaf": 1, "n_estimators": 3}),
    ],
)
def test_parts_grow_the_model_of_the_whole(name: str, parts: int, more: dict[str, Any], tmp_path: Any) -> None:
    X = table(np.float32 if name == "poisson" else np.float64)
    y = target(name, X)
    fitted, _ = in_parts(name, X, y, parts, **more)
    assert content(fitted, tmp_path) == content(model(name, **more).fit(X, y), tmp_path)


@pytest.mark.parametrize("name", ["logistic", "multinomial", "squared", "poisson"])
@pytest.mark.parametrize("weights", ["whole", "any"])
def test_weights_count_as_on_one_machine(name: str, weights: str, tmp_path: Any) -> None:
    X = table()
    y = target(name, X)
    rng = np.random.default_rng(9)
    w = rng.integers(0, 4, ROWS).astype(float) if weights == "whole" else rng.exponential(size=ROWS)
    w[:5_000] *= rng.random(5_000) < 0.5
    whole = model(name, n_estimators=6, subsample=0.7).fit(X, y, sample_weight=w)
    ends = [0, 4_000, 8_192, 12_345, 12_346, ROWS]
    sources = [(X[a:b], y[a:b], w[a:b]) for a, b in pairwise(ends)]
    fitted, numeric = model(name, n_estimators=6, subsample=0.7), name not in ("logistic", "multinomial")
    fit_parts(fitted, Here(sources, [0, 2, 3, 5], numeric=numeric, part=Part), numeric=numeric)
    assert content(fitted, tmp_path) == content(whole, tmp_path)


def test_categories_are_those_of_all_parts(tmp_path: Any) -> None:
    rng = np.random.default_rng(10)
    frame = pd.DataFrame(
        {
            "word": rng.choice([f"w{i}" for i in range(300)], ROWS),
            "kind": pd.Categorical(rng.choice(["b", "a", "d"], ROWS), categories=["d", "a", "b", "c"]),
            "number": rng.normal(size=ROWS),
        }
    )
    frame.loc[rng.random(ROWS) < 0.1, "kind"] = None
    frame.loc[:4_000, "kind"] = None
    frame["y"] = (frame["word"].str.len() + (frame["kind"] == "a") + rng.normal(size=ROWS) > 4).astype(int)
    whole = model("logistic", n_estimators=6).fit(frame[["word", "kind", "number"]], frame["y"])
    sources = [frame.iloc[a:b] for a, b in pairwise([0, 3_000, 9_000, 9_001, ROWS])]
    fitted = model("logistic", n_estimators=6)
    fit_parts(fitted, Here(sources, [0, 1, 3, 4], numeric=False, part=Part, target="y"), numeric=False)
    assert content(fitted, tmp_path) == content(whole, tmp_path)
    sources[2] = sources[2].assign(word=1.0)
    with pytest.raises(DataError, match="part 1: column 'word' holds numbers, and categories in other parts"):
        fit_parts(fitted, Here(sources, [0, 2, 3, 4], numeric=False, part=Part, target="y"), numeric=False)
    with pytest.raises(DataError, match="partition 2: column 0 holds numbers, and elsewhere categories"):
        fit_parts(fitted, Here(sources, [0, 2, 4], numeric=False, part=Part, target="y"), numeric=False)


def test_columns_of_codes(tmp_path: Any) -> None:
    X = table()
    X[:, 1] = np.random.default_rng(11).integers(0, 400, ROWS)
    y = target("squared", X)
    fitted, _ = in_parts("squared", X, y, 3, categorical_features=[1], n_estimators=8)
    whole = model("squared", categorical_features=[1], n_estimators=8).fit(X, y)
    assert content(fitted, tmp_path) == content(whole, tmp_path)
    X[15_000, 1] = -0.5
    with pytest.raises(DataError, match="column 1 is categorical"):
        in_parts("squared", X, y, 3, categorical_features=[1])


def test_very_many_rows_are_rounded_as_on_one_machine(tmp_path: Any) -> None:
    rows = 2**20 + 5_000  # from here on at random
    rng = np.random.default_rng(8)
    X = np.floor(rng.normal(size=(rows, 2)) * 8).astype(np.float32)
    y = X[:, 0] + rng.normal(size=rows) > 0
    fitted = model("logistic", n_estimators=2)
    team = Here([(X[:400_000], y[:400_000]), (X[400_000:], y[400_000:])], [0, 1, 2], numeric=False, part=Part)
    fit_parts(fitted, team, numeric=False)
    assert content(fitted, tmp_path) == content(model("logistic", n_estimators=2).fit(X, y), tmp_path)


def test_a_lost_part_costs_rounds_and_no_bytes(tmp_path: Any) -> None:
    X = table()
    y = target("logistic", X)
    _, undisturbed = in_parts("logistic", X, y, 3)
    whole = content(model("logistic").fit(X, y), tmp_path)
    # As it is encoded, in the first trees, and after some were kept.
    for share in (0.1, 0.5, 0.95):
        fitted, team = in_parts("logistic", X, y, 3, lost=int(undisturbed.questions * share))
        assert team.renewed == 2
        assert content(fitted, tmp_path) == whole


def test_a_tree_takes_about_eight_messages() -> None:
    X = table()
    y = target("squared", X)
    _, team = in_parts("squared", X, y, 2, n_estimators=20)
    assert team.methods.count("go_on") <= 20 * 12  # with the sums of gradients, and the root


def test_what_needs_all_rows_is_refused() -> None:
    X = table()
    y = target("squared", X)
    for more in ({"early_stopping": 5}, {"gradient_levels": 4}):
        with pytest.raises(UsageError, match="needs all rows in one place"):
            in_parts("squared", X, y, 2, **more)
    with pytest.raises(UsageError, match="loss='absolute' needs all rows"):
        in_parts("absolute", X, y, 2)


def test_partitions_that_do_not_go_together_are_named() -> None:
    X = table()
    y = target("squared", X)

    def fitted(*sources: Any) -> None:
        fit_parts(model("squared"), Here(sources, [0, 1, len(sources)], numeric=True, part=Part), numeric=True)

    with pytest.raises(DataError, match="part 1 has other columns than part 0: 4 columns, not 5 columns"):
        fitted((X[:50], y[:50]), (X[50:99, :4], y[50:99]))
    with pytest.raises(DataError, match="partition 2 has other columns than partition 1"):
        fitted((X[:50], y[:50]), (X[50:99], y[50:99]), (X[50:99, :4], y[50:99]))
    with pytest.raises(DataError, match="partition 1: it does not hold numbers alone"):
        fitted((X[:50], y[:50]), (X[50:99].astype(str), y[50:99]))
    with pytest.raises(DataError, match="partition 1: it holds infinite numbers"):
        fitted((X[:50], y[:50]), (np.where(X[50:99] > 0, np.inf, 0.0), y[50:99]))
    with pytest.raises(DataError, match="partition 1: the target has missing values"):
        fitted((X[:50], y[:50]), (X[50:99], np.full(49, np.nan)))
    with pytest.raises(DataError, match="the partitions have no rows"):
        fitted((X[:0], y[:0]), (X[:0], y[:0]))
