"""What venire relies on in scikit-learn's private modules; CI runs it with the oldest and the newest version."""

from __future__ import annotations

from numbers import Integral, Real
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier

from venire import sklearn_private
from venire.sklearn_private import (
    Composition,
    HasMethods,
    Interval,
    InvalidParameterError,
    QuietSVC,
    QuietSVR,
    StrOptions,
    check_partial_fit_first_call,
    check_sample_weight,
    compiled_tree,
    kernel_heights,
    kernel_numbers,
    num_samples,
)


class Constrained(BaseEstimator):
    """An estimator with one constraint of every kind that ours state."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "share": [Interval(Real, 0, 1, closed="right")],
        "count": [Interval(Integral, 1, None, closed="left"), None],
        "rule": [StrOptions({"gini", "entropy"})],
        "sampler": [HasMethods(["fit_resample"]), None],
        "verbose": ["boolean"],
        "costs": ["array-like", None],
        "seed": ["random_state"],
    }

    def __init__(self, share=0.5, count=None, rule="gini", sampler=None, verbose=False, costs=None, seed=None):
        self.share = share
        self.count = count
        self.rule = rule
        self.sampler = sampler
        self.verbose = verbose
        self.costs = costs
        self.seed = seed


class Members(Composition):
    """Named members, as our votes and stacks have them."""

    def __init__(self, estimators):
        self.estimators = estimators

    def get_params(self, deep=True):
        return self._get_params("estimators", deep=deep)

    def set_params(self, **params):
        return self._set_params("estimators", **params)


def test_every_name_listed_is_there() -> None:
    assert [name for name in sklearn_private.__all__ if not hasattr(sklearn_private, name)] == []


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"share": 1},
        {"share": np.float32(0.25), "count": np.int64(3)},
        {"rule": "entropy"},
        {"sampler": SimpleNamespace(fit_resample=len)},
        {"costs": [[0, 1], [1, 0]]},
        {"seed": np.random.RandomState(0)},
    ],
)
def test_what_a_constraint_allows_passes(given: dict[str, Any]) -> None:
    Constrained(**given)._validate_params()


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"share": 0}, r"'share' parameter of Constrained must be a float in the range \(0.0, 1.0\]"),
        ({"share": "half"}, "'share' parameter"),
        ({"count": 0}, r"'count' parameter .* an int in the range \[1, inf\) or None"),
        ({"count": 1.5}, "'count' parameter"),
        ({"rule": "mad"}, "'rule' parameter .* a str among .*Got 'mad' instead"),
        ({"sampler": object()}, "'sampler' parameter .* implementing 'fit_resample'"),
        ({"verbose": "loud"}, "'verbose' parameter"),
        ({"costs": 3}, "'costs' parameter"),
        ({"seed": -1}, "'seed' parameter"),
    ],
)
def test_what_a_constraint_forbids_is_named(given: dict[str, Any], match: str) -> None:
    with pytest.raises(InvalidParameterError, match=match):
        Constrained(**given)._validate_params()


def test_a_forbidden_value_is_a_value_error() -> None:
    # Our pages and tests speak of ValueError: the class itself is private.
    assert issubclass(InvalidParameterError, ValueError)


def test_a_composition_reaches_into_its_members() -> None:
    members = Members([("tree", DecisionTreeClassifier(max_depth=2)), ("stump", DecisionTreeClassifier(max_depth=1))])
    assert members.get_params()["tree__max_depth"] == 2
    members.set_params(tree__max_depth=3, stump=DecisionTreeClassifier(max_depth=7))
    assert [tree.max_depth for _, tree in members.estimators] == [3, 7]
    assert clone(members).get_params()["stump__max_depth"] == 7
    with pytest.raises(ValueError, match="not unique"):
        members._validate_names(["tree", "tree"])


def test_classes_are_set_by_the_first_batch_and_held_to_afterwards() -> None:
    learner = SimpleNamespace()
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        check_partial_fit_first_call(learner, None)
    assert check_partial_fit_first_call(learner, ["no", "yes", "no"])
    assert learner.classes_.tolist() == ["no", "yes"]
    assert not check_partial_fit_first_call(learner, None)
    with pytest.raises(ValueError, match="not the same as on last call"):
        check_partial_fit_first_call(learner, ["no", "perhaps"])


def test_weights_are_one_finite_number_a_row() -> None:
    rows = np.zeros((3, 2))
    weights = check_sample_weight([1, 2, 3], rows, dtype=np.float64, ensure_non_negative=True)
    assert weights.dtype == np.float64
    assert weights.tolist() == [1.0, 2.0, 3.0]
    for wrong, match in (([1, 2], "sample_weight.shape"), ([1, -1, 2], "[Nn]egative"), ([1, np.nan, 2], "NaN")):
        with pytest.raises(ValueError, match=match):
            check_sample_weight(wrong, rows, dtype=np.float64, ensure_non_negative=True)


@pytest.mark.parametrize("rows", [[[1], [2]], np.zeros((2, 3)), sparse.csr_matrix((2, 5)), ["a", "b"]])
def test_rows_of_anything_are_counted(rows: Any) -> None:
    assert num_samples(rows) == 2


@pytest.mark.parametrize("classes", [2, 3])
def test_kernel_machines_say_the_same_without_their_checks(classes: int) -> None:
    rng = np.random.default_rng(classes)
    X = rng.normal(size=(60, 4))
    y = rng.integers(0, classes, 60)
    machine = SVC(decision_function_shape="ovo").fit(X, y)
    for rows in (X, X[:1], np.asfortranarray(X)):
        assert kernel_heights(machine, rows).tobytes() == machine.decision_function(rows).tobytes()
        numbers = SVR().fit(X, X[:, 0])
        assert kernel_numbers(numbers, rows).tobytes() == numbers.predict(rows).tobytes()


def test_altered_support_vectors_are_not_read() -> None:
    X = np.random.default_rng(0).normal(size=(30, 3))
    for machine, ask in ((SVC().fit(X, X[:, 0] > 0), kernel_heights), (SVR().fit(X, X[:, 0]), kernel_numbers)):
        machine._n_support = machine._n_support + 1
        with pytest.raises(ValueError, match="were altered"):
            ask(machine, X)


def test_a_tree_is_compiled_from_its_arrays():
    x, y = np.arange(12.0).reshape(6, 2).astype(np.float32), [0, 1, 2, 0, 1, 2]
    model = DecisionTreeClassifier(random_state=0).fit(x, y)
    read = model.tree_
    made = compiled_tree(read, (read.n_node_samples, read.weighted_n_node_samples, read.impurity))
    assert type(made) is type(read)
    assert np.array_equal(made.__getstate__()["nodes"], read.__getstate__()["nodes"])
    assert np.array_equal(made.predict(x), read.predict(x))


@pytest.mark.parametrize(("quiet", "plain"), [(QuietSVC, SVC), (QuietSVR, SVR)])
def test_a_machine_that_is_left_unfinished_says_so_by_its_steps_alone(quiet: Any, plain: Any) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, size=60)
    stopped = quiet(C=1e3, max_iter=5).fit(X, y)  # warnings are errors here
    assert np.atleast_1d(stopped.n_iter_).tolist() == [5]
    with pytest.warns(UserWarning, match="terminated early"):
        loud = plain(C=1e3, max_iter=5).fit(X, y)
    assert stopped.dual_coef_.tobytes() == loud.dual_coef_.tobytes()
