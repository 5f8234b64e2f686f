"""Voting among different members: crisp, averaged, weighted by confidence or estimated error, or greedily selected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.metaestimators import available_if

from venire.combine import average
from venire.combine.greedy import GreedyPath, greedy_path
from venire.data.table import Task
from venire.ensembles.base import MetaClassifier, MetaRegressor
from venire.ensembles.held_out import Parts, held_out, parts_of
from venire.ensembles.members import fit_classifier, fit_member, kept, probabilities, values, votes
from venire.ensembles.transforming import MemberColumns
from venire.ensembles.voting_state import CONSTRAINTS, OTHER_NAMES, VOTED
from venire.errors import UsageError
from venire.metrics.predictions import Output, decide
from venire.metrics.scores import Metric, metric, metric_names
from venire.sklearn_private import StrOptions
from venire.states.checked import CLASSES, FEATURES, Fitted

Floats = NDArray[np.float64]

# A member without an error on the held-out rows is taken to have made half of one.
LEAST_ERRORS = 0.5


class _Voting(MemberColumns):
    """What voting on classes and on numbers share: where the weights come from."""

    weights: ArrayLike | None
    voting: str
    prefit: bool
    cv: Any
    metric: str
    steps: int
    random_state: Any
    verbose: bool
    weights_: Floats
    errors_: Floats
    path_: GreedyPath

    @property
    def _way(self) -> str:
        return OTHER_NAMES.get(self.voting, self.voting)

    def _ask(self, member: Any, X: Any) -> Floats:
        raise NotImplementedError

    def _ask_once(self, name: str, member: Any, X: Any) -> Floats:
        return self._ask(member, X)[None]

    def _weigh(self, predicted: Floats, y: NDArray[Any], weights: Floats | None) -> None:
        """Find what each member counts for from what it said [member, row, output] of held-out rows."""
        raise NotImplementedError

    def _fit_and_weigh(
        self,
        X: Any,
        y: NDArray[Any],
        truth: NDArray[Any],
        weights: Floats | None,
        fit_params: dict[str, Any],
        fit: Callable[..., Any],
    ) -> Self:
        """Fit the members, unless they came fitted, and weigh them; `truth` has class codes, or the numbers."""
        self.weights_ = self._given_weights()
        params = {} if self.prefit else self._routed(weights, fit_params)
        if self.prefit:
            self._keep(self._given_fitted())
        if self.voting in ("error", "greedy"):
            predicted, rows = self._held_out(X, y, params, fit, classes=fit is fit_classifier)
            self._weigh(predicted, truth[rows], None if weights is None else weights[rows])
        if not self.prefit:
            self._keep(self._fit_all(X, y, params, fit, "Voting" if self.verbose else None))
        return self

    def _averaged(self, X: Any) -> Floats:
        """The weighted mean of what the members say, [row, output]."""
        X = self._rows(X)
        return average(np.stack([self._ask(member, X) for member in self.estimators_]), self.weights_)

    def _given_weights(self) -> Floats:
        count = len(self._members())
        if self.weights is None:
            return np.full(count, 1.0 / count)
        stay = kept(self.estimators)
        if len(np.atleast_1d(self.weights)) != len(stay):
            raise UsageError(
                "Number of `estimators` and weights must be equal; got "
                f"{np.size(self.weights)} weights, {len(stay)} estimators"
            )
        if self.voting in ("error", "greedy"):
            raise UsageError(f"weights were given, but voting={self.voting!r} finds its own", hint="leave them out")
        weights = np.asarray(self.weights, dtype=np.float64)[stay]
        if weights.shape != (count,) or not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
            raise UsageError(
                f"weights={self.weights!r} must be {count} numbers, one a member, none negative and not all zero"
            )
        return np.asarray(weights / weights.sum())

    def _held_out(
        self, X: Any, y: NDArray[Any], params: dict[str, dict[str, Any]], fit: Callable[..., Any], classes: bool
    ) -> tuple[Floats, NDArray[np.intp]]:
        """What the members say of rows they were not fitted on [member, row, output], and which rows these are.

        Members that came fitted are taken at the caller's word: the rows given to `fit` are those held out.
        """
        if self.prefit:
            return np.stack([self._ask(member, X) for member in self.estimators_]), np.arange(len(y))
        parts: Parts = parts_of(self.cv, X, y, classes=classes, random_state=self.random_state)
        predicted, _ = held_out(self._members(), X, y, parts, params, fit, self._ask_once, self.n_jobs)
        return np.stack([one[0] for one in predicted]), parts.rows

    def _select(self, predicted: Floats, y: NDArray[Any], weights: Floats | None, judge: Metric) -> None:
        """Greedy selection on held-out predictions."""
        output = Output.VALUES if judge.task is Task.REGRESSION else Output.PROBABILITIES

        def losses(tried: Floats) -> Floats:
            labels = None if output is Output.VALUES else decide(tried)
            return judge.losses(y, labels, tried, output, weights)

        self.path_ = greedy_path(predicted, losses, self.steps)
        self.weights_ = self.path_.weights

    def _judge(self, task: Task) -> Metric:
        if self.metric == "cost":
            raise UsageError("greedy selection by cost is not offered", hint="choose by brier, and decide by costs")
        return metric(self.metric, task)


def _not_hard(voting: Any) -> bool:
    if voting.voting == "hard":
        raise AttributeError("predict_proba is not available when voting='hard'")
    return True


class VotingClassifier(MetaClassifier, _Voting):
    """A vote among different members.

    `voting` is one of

    - `"crisp"`: every member has one vote; `"hard"` is the same, without `predict_proba`, as in scikit-learn;
    - `"average"` (or `"soft"`): the class probabilities are averaged;
    - `"confidence"`: a member's vote counts as much as the probability it gives its class;
    - `"error"`: a member's vote counts ln((1 − ε)(K − 1) / ε), with ε its error on held-out rows and K classes; one
      that is no better than guessing counts nothing;
    - `"greedy"`: probabilities are averaged over members selected one by one, with replacement, so as to make the
      average best on held-out rows by `metric` (see `path_`).

    A member without probabilities casts a whole vote where probabilities are asked for.

    Parameters
    ----------
    estimators
        The members: classifiers, or (name, classifier) pairs.
    voting
        How votes are counted, see above.
    weights
        One per member, for the first three ways of voting.
    prefit
        The members are already fitted and stay as they are; the rows given to `fit` must then be new to them.
    cv
        Where held-out rows come from: a number of folds, a share to hold out, or a splitter. Afterwards the members
        are fitted on all rows.
    metric
        What `"greedy"` makes small.
    steps
        How many times `"greedy"` selects a member.
    class_weight
        A dict of weights by class, or `"balanced"`; multiplies the example weights.
    costs
        A matrix `[actual][predicted]`; `predict` then gives the class of least expected cost.
    n_jobs
        How many members are fitted at once; it changes nothing but the time.
    random_state
        Of the held-out rows.
    flatten_transform
        Whether `transform` puts the probabilities of the members side by side, [row, member × class]; else they are
        [member, row, class].
    verbose
        Print the time that each member took.

    Attributes
    ----------
    weights_
        What each member counts for.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> members = [("bayes", GaussianNB()), ("logistic", LogisticRegression(max_iter=1000))]
    >>> jury = VotingClassifier(members, voting="greedy", random_state=0).fit(X, y)
    >>> jury.score(X, y) > 0.95, bool(abs(jury.weights_.sum() - 1) < 1e-12)
    (True, True)
    """

    _members_are: ClassVar[str | None] = "classifier"
    _fitted_constraints: ClassVar[Fitted] = {**FEATURES, **CLASSES, **VOTED}
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **CONSTRAINTS,
        "voting": [StrOptions({"crisp", "average", "confidence", "error", "greedy", "hard", "soft"})],
        "flatten_transform": ["boolean"],
        "metric": [StrOptions(set(metric_names(Task.CLASSIFICATION)))],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "costs": ["array-like", None],
    }

    def __init__(
        self,
        estimators: Any,
        *,
        voting: str = "average",
        weights: ArrayLike | None = None,
        prefit: bool = False,
        cv: Any = 5,
        metric: str = "brier",
        steps: int = 50,
        class_weight: Any = None,
        costs: ArrayLike | None = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
        flatten_transform: bool = True,
        verbose: bool = False,
    ) -> None:
        self.estimators = estimators
        self.voting = voting
        self.weights = weights
        self.prefit = prefit
        self.cv = cv
        self.metric = metric
        self.steps = steps
        self.class_weight = class_weight
        self.costs = costs
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.flatten_transform = flatten_transform
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fit the members and find what each counts for."""
        self._refuse_unrouted(fit_params)
        self._check_parameters()
        known = self._classes_of_fitted() if self.prefit else None
        X, y, weights = self._read_classes(X, y, sample_weight, known)
        return self._fit_and_weigh(X, y, self._codes(y), weights, fit_params, fit_classifier)

    def _weigh(self, predicted: Floats, y: NDArray[np.intp], weights: Floats | None) -> None:
        if self.voting == "greedy":
            self._select(predicted, y, weights, self._judge(Task.CLASSIFICATION))
            return
        wrong = decide(predicted) != y
        counted = np.ones(len(y)) if weights is None else weights
        self.errors_ = np.asarray([np.average(one, weights=counted) for one in wrong])
        floor = LEAST_ERRORS / len(y)
        errors = np.clip(self.errors_, floor, 1 - floor)
        odds = np.maximum(np.log((1 - errors) / errors) + np.log(max(len(self.classes_) - 1, 1)), 0.0)
        self.weights_ = odds / odds.sum() if odds.any() else np.full(len(odds), 1.0 / len(odds))

    def _ask(self, member: Any, X: Any) -> Floats:
        if self._way in ("crisp", "error"):
            return votes(member, X, self.classes_)
        predicted = probabilities(member, X, self.classes_)
        if self.voting != "confidence":
            return predicted
        winner = predicted.argmax(axis=1)[:, None] == np.arange(predicted.shape[1])
        return np.where(winner, predicted, 0.0)

    def _shares(self, X: Any) -> Floats:
        shares = self._averaged(X)
        if self.voting == "confidence":
            shares /= shares.sum(axis=1, keepdims=True)
        return shares

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the largest share, or with `costs` the one of least expected cost."""
        return self._decide(self._shares(X))

    @available_if(_not_hard)  # type: ignore[untyped-decorator]  # scikit-learn has no types
    def predict_proba(self, X: Any) -> Floats:
        """The shares of the (weighted) votes or the average of the probabilities."""
        return self._shares(X)

    def transform(self, X: Any) -> NDArray[Any]:
        """What each member says: probabilities, or where votes are counted the number of its class, [row, member]."""
        X = self._rows(X)
        if self._way in ("crisp", "error"):
            return np.stack([self._codes(np.asarray(member.predict(X))) for member in self.estimators_], axis=1)
        each = np.stack([probabilities(member, X, self.classes_) for member in self.estimators_])
        return np.hstack(list(each)) if self.flatten_transform else each

    def _member_widths(self) -> list[int]:
        crisp = self._way in ("crisp", "error")
        if not crisp and not self.flatten_transform:
            raise UsageError(
                f"get_feature_names_out is not supported when `voting={self.voting!r}` and `flatten_transform=False`"
            )
        return [1 if crisp else len(self.classes_)] * len(self.estimators_)


class VotingRegressor(MetaRegressor, _Voting):
    """The average of different members' numbers.

    Parameters
    ----------
    estimators
        The members: regressors, or (name, regressor) pairs.
    voting
        `"average"` (with `weights`), `"error"` (a member counts 1 / its mean squared error on held-out rows) or
        `"greedy"`, as of `VotingClassifier`.
    weights, prefit, cv, metric, steps, n_jobs, random_state, verbose
        As of `VotingClassifier`.

    Attributes
    ----------
    weights_
        What each member counts for.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> from venire.data.generators import linear_sinusoid
    >>> X, y = linear_sinusoid(200, np.random.default_rng(0))
    >>> jury = VotingRegressor([("line", LinearRegression()), ("near", KNeighborsRegressor())], voting="error")
    >>> jury.fit(X, y).weights_.round(2)
    array([0.03, 0.97])
    """

    _members_are: ClassVar[str | None] = "regressor"
    _fitted_constraints: ClassVar[Fitted] = {**FEATURES, **VOTED}
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **CONSTRAINTS,
        "voting": [StrOptions({"average", "error", "greedy"})],
        "metric": [StrOptions(set(metric_names(Task.REGRESSION)))],
    }

    def __init__(
        self,
        estimators: Any,
        *,
        voting: str = "average",
        weights: ArrayLike | None = None,
        prefit: bool = False,
        cv: Any = 5,
        metric: str = "rmse",
        steps: int = 50,
        n_jobs: int | None = None,
        random_state: Any = 0,
        verbose: bool = False,
    ) -> None:
        self.estimators = estimators
        self.voting = voting
        self.weights = weights
        self.prefit = prefit
        self.cv = cv
        self.metric = metric
        self.steps = steps
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fit the members and find what each counts for."""
        self._refuse_unrouted(fit_params)
        self._check_parameters()
        X, y, weights = self._read(X, y, sample_weight)
        return self._fit_and_weigh(X, y, y, weights, fit_params, fit_member)

    def _weigh(self, predicted: Floats, y: Floats, weights: Floats | None) -> None:
        if self.voting == "greedy":
            self._select(predicted, y, weights, self._judge(Task.REGRESSION))
            return
        squared = np.square(predicted[:, :, 0] - y)
        self.errors_ = np.asarray([np.average(one, weights=weights) for one in squared])
        # A member without any error counts as much as one with a billionth of the target's variance.
        precision = 1.0 / np.maximum(self.errors_, 1e-9 * max(float(np.var(y)), np.finfo(np.float64).tiny * 1e9))
        self.weights_ = precision / precision.sum()

    def _ask(self, member: Any, X: Any) -> Floats:
        return values(member, X)

    def predict(self, X: Any) -> Floats:
        """The (weighted) average of what the members predict."""
        return self._averaged(X)[:, 0]

    def transform(self, X: Any) -> Floats:
        """What each member predicts: [row, member]."""
        X = self._rows(X)
        return np.hstack([values(member, X) for member in self.estimators_])

    def _member_widths(self) -> list[int]:
        return [1] * len(self.estimators_)
