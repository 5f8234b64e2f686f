"""Members of an ensemble: naming, seeding, fitting them, and hearing what they say in a common form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from inspect import Parameter, signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from venire.ensembles.error_classes import NoWeights
from venire.errors import DataError, UsageError, VenireError
from venire.models.tree.estimators import DecisionTreeClassifier

Floats = NDArray[np.float64]
Named = list[tuple[str, Any]]
DROPPED = "drop"  # in the place of a member: leave it out
LEAST_LEAF = 0.01  # of all weight: what a leaf of a default tree holds where classes weigh differently


def named(estimators: Any, *, dropped: bool = False) -> Named:
    """Members with their names: pairs as given, or plain estimators named after their class.

    Those that are dropped are there only if `dropped`.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> [name for name, _ in named([GaussianNB(), ("flat", GaussianNB(var_smoothing=1.0)), GaussianNB()])]
    ['gaussiannb', 'flat', 'gaussiannb2']
    """
    if not isinstance(estimators, Sequence) or isinstance(estimators, str) or not len(estimators):
        raise _no_members(estimators)
    found: Named = []
    for item in estimators:
        pair = isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str)
        if isinstance(item, tuple) and not pair:
            raise _no_members(estimators)
        name, member = item if pair else (type(item).__name__.lower(), item)
        out = isinstance(member, str) and member == DROPPED
        if not out and not hasattr(member, "fit"):
            raise UsageError(f"member {name!r} is {member!r}, which has no fit", hint="every member is an estimator")
        if pair:
            _check_name(name, dict(found), estimators)
        found.append((name if pair else _free(name, dict(found)), member))
    staying = [one for one, stays in zip(found, kept(estimators), strict=True) if stays]
    if not staying:
        raise UsageError("All estimators are dropped. At least one is required to be an estimator.")
    return found if dropped else staying


def _check_name(name: str, taken: dict[str, Any], estimators: Any) -> None:
    if name in taken:
        names = [item[0] for item in estimators if isinstance(item, tuple)]
        raise UsageError(f"Names provided are not unique: {names!r}", hint="give every member a name of its own")
    if "__" in name:
        raise UsageError(
            f"Estimator names must not contain __: got {[name]!r}",
            hint="two underscores part a member from its parameter",
        )


def kept(estimators: Any) -> list[bool]:
    """Which of the given members are not dropped."""
    seconds = [item[1] if isinstance(item, tuple) else item for item in estimators]
    return [not (isinstance(one, str) and one == DROPPED) for one in seconds]


def _no_members(estimators: Any) -> UsageError:
    return UsageError(
        "Invalid 'estimators' attribute, 'estimators' should be a non-empty list of members; "
        f"got {type(estimators).__name__} {estimators!r}",
        hint="give a list of (name, estimator) pairs",
    )


def _free(name: str, taken: dict[str, Any]) -> str:
    number = 2
    candidate = name
    while candidate in taken:
        candidate, number = f"{name}{number}", number + 1
    return candidate


def default_tree(class_weight: Any, **wishes: Any) -> DecisionTreeClassifier:
    """The tree that is boosted, or learns a bit, when no estimator is given.

    Where classes weigh differently, a leaf that holds nothing but rows of almost no weight would still speak for their
    class; so every leaf has to hold a share of all weight.
    """
    return DecisionTreeClassifier(min_weight_fraction_leaf=0.0 if class_weight is None else LEAST_LEAF, **wishes)


def seeded(member: Any, seed: int) -> Any:
    """An unfitted copy in which everything random, however deep inside, follows from the seed."""
    copy = clone(member)
    rng = np.random.RandomState(seed)
    random = {
        key: int(rng.randint(2**31 - 1))
        for key in sorted(copy.get_params(deep=True))
        if key == "random_state" or key.endswith("__random_state")
    }
    return copy.set_params(**random)


def weight_keyword(member: Any) -> str | None:
    """Under which name `fit` takes example weights; None when it takes none.

    A pipeline hands them to its last step.

    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.linear_model import LogisticRegression
    >>> weight_keyword(KNeighborsClassifier()), weight_keyword(make_pipeline(LogisticRegression()))
    (None, 'logisticregression__sample_weight')
    """
    if isinstance(member, Pipeline):
        if get_config()["enable_metadata_routing"]:
            asked = member.get_metadata_routing().consumes("fit", ["sample_weight"])
            return "sample_weight" if asked else None
        step, last = member.steps[-1]
        inner = weight_keyword(last)
        return None if inner is None else f"{step}__{inner}"
    if has_fit_parameter(member, "sample_weight"):
        return "sample_weight"
    parameters = signature(member.fit).parameters.values()
    return "sample_weight" if any(one.kind is Parameter.VAR_KEYWORD for one in parameters) else None


def weight_params(name: str, member: Any, weights: Floats | None) -> dict[str, Any]:
    """The weights as parameters of the member's `fit`; an error when it takes none."""
    if weights is None:
        return {}
    keyword = weight_keyword(member)
    if keyword is None:
        raise NoWeights(
            f"member {name!r}: Underlying estimator {type(member).__name__} does not support sample weights.",
            code="no_sample_weight",
            hint="leave the weights out, resample by them, or choose a learner that takes them",
        )
    return {keyword: weights}


@contextmanager
def speaking_of(name: str, member: Any, action: str) -> Iterator[None]:
    """A failure inside says which member it was and what was asked of it."""
    who = f"member {name!r} ({type(member).__name__})"
    try:
        yield
    except VenireError:
        raise
    except (ValueError, ArithmeticError, RuntimeError, LookupError) as error:
        first_line = (str(error) or type(error).__name__).splitlines()[0]
        raise DataError(
            f"{who} could not {action}: {first_line}",
            code="member_failed",
            hint="try this member alone to see what it needs, or leave it out",
        ) from error
    except Exception as error:  # a mistake in a program rather than in a table: it keeps its kind
        error.add_note(f"{who} could not {action}")
        raise


def fit_member(name: str, member: Any, X: Any, y: NDArray[Any], params: dict[str, Any]) -> Any:
    """Fit one member; a failure says whose it was."""
    with speaking_of(name, member, f"be fitted on {len(y)} rows"):
        fitted = member.fit(X, y, **params)
    return fitted if hasattr(fitted, "fit") else member  # not every estimator of a user's own returns itself


def fit_classifier(name: str, member: Any, X: Any, y: NDArray[Any], params: dict[str, Any]) -> Any:
    """Fit a member that predicts classes. Rows with a single class give a member that always says that class.

    Many learners refuse such rows, though they can turn up in any bootstrap or fold when a class is rare. Rows without
    weight do not count.
    """
    weights = next((value for key, value in params.items() if key.endswith("sample_weight")), None)
    counted = y if weights is None else y[np.asarray(weights) > 0]
    if len(counted) and (counted == counted[0]).all():
        return DummyClassifier(strategy="most_frequent").fit(X, np.full_like(y, counted[0]))
    return fit_member(name, member, X, y, params)


def probabilities(member: Any, X: Any, classes: NDArray[Any], **metadata: Any) -> Floats:
    """What a member says of each of `classes`: probabilities, or a whole vote when it gives none.

    A class it has not seen gets 0.
    """
    if not hasattr(member, "predict_proba"):
        return votes(member, X, classes, **metadata)
    return aligned(np.asarray(member.predict_proba(X, **metadata), dtype=np.float64), member.classes_, classes)


def log_probabilities(member: Any, X: Any, classes: NDArray[Any], **metadata: Any) -> Floats:
    """The logarithms of the probabilities, by the member's own method, which may know those that are nearly 0."""
    predicted = np.asarray(member.predict_log_proba(X, **metadata), dtype=np.float64)
    return aligned(predicted, member.classes_, classes, unknown=-np.inf)


def votes(member: Any, X: Any, classes: NDArray[Any], **metadata: Any) -> Floats:
    """One for the class a member predicts, zero for the others."""
    predicted = np.searchsorted(classes, np.asarray(member.predict(X, **metadata)))
    cast = np.zeros((len(predicted), len(classes)))
    cast[np.arange(len(predicted)), predicted] = 1.0
    return cast


def aligned(predicted: Floats, known: NDArray[Any], classes: NDArray[Any], *, unknown: float = 0.0) -> Floats:
    """Columns for `known` classes spread over the columns of all `classes`."""
    if len(known) == len(classes):
        return predicted
    spread = np.full((len(predicted), len(classes)), unknown)
    spread[:, np.searchsorted(classes, known)] = predicted
    return spread


def values(member: Any, X: Any, **metadata: Any) -> Floats:
    """The numbers a regressor predicts, a column for each target."""
    predicted = np.asarray(member.predict(X, **metadata), dtype=np.float64)
    return predicted if predicted.ndim == 2 else predicted.reshape(-1, 1)
