"""Whose code runs: ours and scikit-learn's, or somebody else's."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import VotingClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import venire as vn
from tests.validation.estimators import ScalesWithAll, Slow
from venire.families.boosters import boosters
from venire.families.bucket import default_bucket
from venire.selection.select import select
from venire.validation import trying
from venire.validation.trials.naive import Naive
from venire.validation.trials.whose_code import is_others, others_code


def doubled(X: Any) -> Any:
    return 2 * X


@pytest.mark.parametrize(
    ("estimator", "others"),
    [
        (GaussianNB(), False),
        (vn.DecisionTreeClassifier(), False),
        (Slow(), True),
        (make_pipeline(FunctionTransformer(np.log1p), Ridge()), False),
        (make_pipeline(FunctionTransformer(doubled), Ridge()), True),
        (make_pipeline(FunctionTransformer(partial(np.clip, a_max=1)), Ridge()), True),
        (VotingClassifier([("a", GaussianNB()), ("b", LogisticRegression())]), False),
        (VotingClassifier([("a", GaussianNB()), ("b", Slow())]), True),
        (KNeighborsClassifier(metric=lambda a, b: 0.0), True),
        (None, False),
    ],
)
def test_an_estimator_is_others_where_any_part_of_it_is(estimator: Any, others: bool) -> None:
    assert is_others(estimator) is others
    assert others_code(vn.GenericFamily("one", classifier=estimator)) is others
    assert others_code(Naive(vn.GenericFamily("one", classifier=estimator))) is others


def test_code_without_a_module_is_not_pythons_own() -> None:
    """Classes and functions of a text that is run say that they are of `builtins`, or nothing."""
    made: dict[str, Any] = {}
    code = "from sklearn.naive_bayes import GaussianNB\nclass Made(GaussianNB): pass\ndef made(X): return X\n"
    exec(code, made)  # notebooks and consoles do so
    assert is_others(made["Made"]())
    assert is_others(FunctionTransformer(made["made"]))
    assert not is_others([None, 1.5, "auto", len, int, {"a": (1, 2)}, np.random.RandomState(0)])


def test_settings_may_bring_other_peoples_code_along() -> None:
    pipeline = make_pipeline(FunctionTransformer(), Ridge())
    path = (vn.Setting("doubled", {"functiontransformer__func": doubled}),)
    assert others_code(vn.GenericFamily("one", regressor=pipeline, path=path))
    assert others_code(vn.GenericFamily("one", regressor=pipeline).with_path(path))


def test_families_of_the_bucket_are_ours_and_all_others_are_not() -> None:
    assert not any(map(others_code, default_bucket()))
    assert all(map(others_code, boosters()))
    assert others_code(ScalesWithAll("own", classifier=GaussianNB()))


@pytest.mark.parametrize(("estimator", "others"), [(Slow(), True), (GaussianNB(), False)])
def test_a_selection_is_as_its_estimator(estimator: Any, others: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stop(Exception):
        pass

    def asked(docket: Any, *_: Any, **__: Any) -> None:
        (family,) = docket.families.values()
        assert others_code(family) is others
        raise Stop

    monkeypatch.setattr(trying, "run_trials", asked)
    X = np.random.default_rng(0).normal(size=(40, 3))
    with pytest.raises(Stop, match=r"^$"):
        select((X, X[:, 0] > 0), model=estimator)
