"""LightGBM, XGBoost and CatBoost as members: equal to the plain loop, without leaks, never there unasked."""

from __future__ import annotations

import importlib.util
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.families.cases import assert_identical, case, compared
from tests.flows import quickly, written
from tests.validation.tables import classification
from venire.errors import UsageError
from venire.families.boosters import BoosterFamily, boosters
from venire.families.bucket import COMBINATIONS, default_bucket
from venire.families.paths import one_by_one
from venire.families.requested import asked_families
from venire.models.boosters import engines
from venire.models.boosters.engines import ENGINES
from venire.models.boosters.estimators import BoosterClassifier, BoosterRegressor
from venire.validation.honesty.garble import leaks
from venire.validation.plans.folds import make_plan

LIBRARIES = [
    pytest.param(
        name,
        marks=pytest.mark.skipif(
            importlib.util.find_spec(name) is None, reason=f"{name} is not installed: pip install 'venire[boosters]'"
        ),
    )
    for name in ENGINES
]


def family(library: str) -> BoosterFamily:
    """With a short path, whose first and last settings are far apart."""
    return BoosterFamily(library).with_path(one_by_one("n_estimators", [3, 10, 25], "T"))


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("classes", [0, 2, 3])
@pytest.mark.parametrize("name", ["mixed", "weights", "missing class", "category of one fold"])
def test_every_number_of_rounds_is_read_off_one_fit(library: str, name: str, classes: int) -> None:
    """To the bit what a fresh fit of so many rounds says."""
    table, plan = case(name, classes)
    found = compared(family(library), table, plan)
    for ours, loop in found:
        assert_identical(ours, loop)
    assert any(np.ptp(ours.outputs, axis=0).any() for ours, _ in found), "more rounds say something else"


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_trial_fits_once(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    engine, fits = ENGINES[library], []
    whole = engine.train
    monkeypatch.setattr(type(engine), "train", lambda self, *given: fits.append(1) or whole(*given))
    table, plan = case("mixed", 2)
    one = BoosterFamily(library)
    outcome = one.run(one.prepare(table, plan), plan.trials[0])
    assert len(outcome.outputs) == 20
    assert len(fits) == 1


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("classes", [0, 3])
def test_nothing_leaks(library: str, classes: int) -> None:
    table, plan = case("mixed", classes)
    assert leaks(family(library), table, plan, np.random.default_rng(0), trials=2) is None


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_same_bytes_twice(library: str) -> None:
    table, plan = case("mixed", 3)
    one = family(library)
    first, second = (one.run(one.prepare(table, plan), plan.trials[-1]) for _ in range(2))
    assert_identical(first, second)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("kind", [BoosterClassifier, BoosterRegressor])
def test_a_row_of_weight_two_is_that_row_twice_and_one_of_weight_zero_is_not_there(library: str, kind: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 8, (300, 2)).astype(float)  # few values: the bins of a column are the same either way
    y = X[:, 0] - X[:, 1] + rng.normal(size=300)
    y = (y > 0).astype(int) if kind is BoosterClassifier else y
    weights = np.tile([0.0, 1.0, 2.0], 100)
    twice = np.repeat(np.arange(300), weights.astype(int))
    # What counts rows instead of weight is switched off.
    more = {"bootstrap_type": "No", "random_strength": 0, "l2_leaf_reg": 0} if library == "catboost" else {}
    settings = {"n_estimators": 5, "random_state": 0, "params": more, "min_samples_leaf": 1}
    ask = "predict_proba" if kind is BoosterClassifier else "predict"
    weighed = getattr(kind(library, **settings).fit(X, y, weights), ask)(X)
    repeated = getattr(kind(library, **settings).fit(X[twice], y[twice]), ask)(X)
    np.testing.assert_allclose(weighed, repeated, atol=1e-4)
    there = weights > 0
    alone = getattr(kind(library, **settings).fit(X[there], y[there], weights[there]), ask)(X)
    np.testing.assert_array_equal(weighed, alone)


@pytest.mark.parametrize("library", LIBRARIES)
def test_categories_and_gaps_are_taken_as_they_are(library: str) -> None:
    """The classes alternate along the codes, and a gap is the one sure sign: neither is an order."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 12, 600).astype(float)
    gaps = rng.random(600) < 0.2
    X = np.column_stack([codes, np.where(gaps, np.nan, rng.normal(size=600))])
    y = np.where(gaps, 1, codes.astype(int) % 2)
    more = {"min_data_per_group": 1, "cat_smooth": 1.0} if library == "lightgbm" else {}
    settings = {"n_estimators": 40, "random_state": 0, "params": more, "learning_rate": 0.3}
    model = BoosterClassifier(library, categorical_features=[0], **settings).fit(X, y)
    assert model.score(X, y) > 0.98
    unknown = model.predict_proba(np.array([[50.0, 0.0], [np.nan, np.nan]]))
    np.testing.assert_allclose(unknown.sum(axis=1), 1.0, atol=1e-6)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_target_far_from_nought_keeps_its_digits(library: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = X[:, 0] + 1e8
    model = BoosterRegressor(library, n_estimators=100, random_state=0).fit(X, y)
    assert np.corrcoef(model.predict(X) - 1e8, X[:, 0])[0, 1] > 0.97


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_fitted_model_can_be_kept_in_a_file(library: str) -> None:
    table = classification(60, classes=3)
    model = BoosterClassifier(library, n_estimators=5, categorical_features=[2, 3, 4]).fit(table.X, table.y)
    again = pickle.loads(pickle.dumps(model))  # noqa: S301  # our own bytes
    np.testing.assert_array_equal(again.predict_proba(table.X), model.predict_proba(table.X))


@pytest.mark.parametrize("library", LIBRARIES)
def test_it_stands_on_the_leaderboard_and_can_be_handed_over(library: str, tmp_path: Path) -> None:
    found = quickly(models=["baseline", library], folds=3, home=tmp_path)
    assert {row["family"] for row in found.to_dict()["leaderboard"]} == {"procedure", "baseline", library}
    kept = found.fit(library)
    np.testing.assert_allclose(kept.predict_proba(written(found.table)).sum(axis=1), 1.0, atol=1e-6)


def test_without_being_asked_for_none_is_there() -> None:
    asked, _ = asked_families(None)
    assert not {one.name for one in asked} & set(ENGINES)


def test_a_plus_adds_to_the_default_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "find_spec", lambda name: name)
    defaults = [one.name for one in default_bucket()]
    for asked in ("+lightgbm", ["+lightgbm"], "+lightgbm, +tree"):
        families, combined = asked_families(asked)
        assert [one.name for one in families] == [*defaults, "lightgbm"]
        assert combined == COMBINATIONS
    families, combined = asked_families(["tree", "catboost"])
    assert [one.name for one in families] == ["tree", "catboost"]
    assert combined == ()
    mine = BoosterFamily("xgboost")
    mine._name = "mine"
    assert [one.name for one in asked_families(["+lightgbm", mine])[0]] == [*defaults, "lightgbm", "mine"]


@pytest.mark.parametrize(
    ("models", "code", "words"),
    [
        ("tree,+lightgbm", "mixed_models", r"\+lightgbm adds to all default models, and tree without \+"),
        ("+lihgtgbm", "unknown_model", "no model called 'lihgtgbm'; did you mean 'lightgbm'"),
    ],
)
def test_what_makes_no_sense_is_refused(models: str, code: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        asked_families(models)
    assert caught.value.code == code
    assert caught.value.hint


def test_a_library_that_is_missing_is_named_with_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "find_spec", lambda name: None)
    for asked in ("+lightgbm", ["lightgbm"]):
        with pytest.raises(UsageError, match="lightgbm is not installed") as caught:
            asked_families(asked)
        assert caught.value.code == "missing_library"
        assert "venire[boosters]" in (caught.value.hint or "")
    assert asked_families("tree")[0], "nobody asked for it"


@pytest.mark.parametrize("one", boosters(), ids=lambda one: one.name)
def test_its_cost_grows_with_the_table(one: BoosterFamily) -> None:
    small, large = classification(60, classes=2), classification(600, classes=2)
    costs = [one.cost(table, make_plan(table, folds=4)) for table in (small, large)]
    assert 0 < costs[0].seconds < costs[1].seconds
    assert not costs[0].guess
