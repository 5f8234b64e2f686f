from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn import ensemble
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from venire.data.generators import banana, chi_square
from venire.ensembles.adaboost.classifier import AdaBoostClassifier
from venire.ensembles.adaboost.rounds import Outcome
from venire.errors import UsageError, VenireWarning

X, Y = load_iris(return_X_y=True)
LINE = np.arange(10.0)[:, None]
STEPS = np.array([1, 1, 1, 0, 0, 0, 0, 1, 1, 1])


class Script(ClassifierMixin, BaseEstimator):
    """Says what it is told to, whatever the rows; the weights tell it which round it is."""

    def __init__(self, lines: tuple[tuple[int, ...], ...] = ()) -> None:
        self.lines = lines
        self.round = [0]

    def __sklearn_clone__(self) -> Script:
        return self

    def set_params(self, **params: object) -> Script:
        return self

    def fit(self, X: np.ndarray, y: np.ndarray, sample_weight: np.ndarray | None = None) -> Script:
        copy = Script(self.lines)
        copy.classes_ = np.unique(y)
        copy.predicted = np.array(self.lines[self.round[0] % len(self.lines)])
        self.round[0] += 1
        return copy

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.predicted


def script(*wrong: set[int], y: np.ndarray = STEPS) -> Script:
    return Script(tuple(tuple(int(1 - v if i in rows else v) for i, v in enumerate(y)) for rows in wrong))


def test_rounds_follow_the_book() -> None:
    boost = AdaBoostClassifier(script({0, 1, 2}, {3}, {4, 5}), 3).fit(LINE, STEPS)
    weights = np.full(10, 0.1)
    for t, wrong in enumerate([{0, 1, 2}, {3}, {4, 5}]):
        record = boost.rounds_[t]
        miss = np.isin(np.arange(10), list(wrong))
        error = weights[miss].sum()
        alpha = 0.5 * np.log((1 - error) / error)
        assert np.allclose(record.weights, weights)
        assert np.isclose(record.error, error)
        assert np.isclose(record.alpha, alpha)
        assert record.member == t
        weights = weights * np.where(miss, np.exp(alpha), np.exp(-alpha))
        weights /= weights.sum()
    assert np.allclose(boost.rounds_[1].weights.round(3)[:4], [0.167, 0.167, 0.167, 0.071])
    signs = sum(
        a * np.where(m.predicted == 1, 1, -1) for a, m in zip(boost.estimator_weights_, boost.estimators_, strict=True)
    )
    assert np.allclose(boost.decision_function(LINE), signs)
    assert np.allclose(boost.predict_proba(LINE)[:, 1], 1 / (1 + np.exp(-2 * signs)))


def test_it_stops_without_error() -> None:
    boost = AdaBoostClassifier(script({0}, set(), {1}), 10).fit(LINE, STEPS)
    assert [str(one.outcome) for one in boost.rounds_] == ["kept", "perfect"]
    assert boost.score(LINE, STEPS) == 1


def test_policies_for_a_weak_member() -> None:
    lines = ({0, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9}, {5})
    outcomes = {}
    for policy in ("stop", "reset", "invert"):
        boost = AdaBoostClassifier(script(*lines), 3, when_weak=policy).fit(LINE, STEPS)
        outcomes[policy] = [str(one.outcome) for one in boost.rounds_]
        if policy == "reset":
            assert np.allclose(boost.rounds_[2].weights, 0.1)
            assert boost.rounds_[1].member is None
        if policy == "invert":
            assert boost.estimator_weights_[1] < 0
            assert len(boost.estimators_) == 3
    assert outcomes["stop"] == ["kept", "weak"]
    assert outcomes["reset"] == ["kept", "reset", "kept"]
    assert outcomes["invert"] == ["kept", "inverted", "kept"]


def test_if_nothing_is_better_than_guessing_the_first_stands_alone() -> None:
    learner = script({0, 1, 2, 3, 4, 5})
    with pytest.warns(VenireWarning, match="no round of boosting was better than guessing .*60 %"):
        boost = AdaBoostClassifier(learner, 3).fit(LINE, STEPS)
    assert len(boost.estimators_) == 1
    assert (boost.predict(LINE) == boost.estimators_[0].predicted).all()
    assert boost.rounds_[0].outcome is Outcome.WEAK


def test_samme_goes_on_where_m1_gives_up() -> None:
    y = np.repeat([0, 1, 2, 3], 5)
    x = np.random.default_rng(0).normal(y[:, None], 0.3, (20, 1))
    samme = AdaBoostClassifier(n_estimators=30, algorithm="SAMME").fit(x, y)
    assert samme.rounds_[0].error == pytest.approx(0.5)
    assert samme.rounds_[0].alpha == pytest.approx(0.5 * np.log(3))
    assert len(samme.estimators_) == 30
    with pytest.warns(VenireWarning, match="stands alone"):
        AdaBoostClassifier(n_estimators=30, algorithm="M1").fit(x, y)


def test_rounds_equal_those_of_scikit_learn() -> None:
    # Its α is twice ours: it leaves the weights of right answers alone and raises those of wrong ones by e^{2α}.
    ours = AdaBoostClassifier(GaussianNB(), 5).fit(X, Y)
    theirs = ensemble.AdaBoostClassifier(GaussianNB(), n_estimators=5).fit(X, Y)
    assert np.allclose(ours.rounds_.errors, theirs.estimator_errors_)
    assert np.allclose(2 * ours.rounds_.alphas, theirs.estimator_weights_)
    assert (ours.predict(X) == theirs.predict(X)).all()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_nets_and_logistic_models_by_weights_or_by_resampling() -> None:
    x, y = banana(150, np.random.default_rng(0))
    logistic = AdaBoostClassifier(make_pipeline(StandardScaler(), LogisticRegression()), 5).fit(x, y)
    assert len(logistic.estimators_) >= 2
    net = MLPClassifier((4,), max_iter=60, solver="lbfgs")
    boosted = AdaBoostClassifier(net, 3, resample=True, random_state=0).fit(x, y)
    assert boosted.score(x, y) > 0.9
    near = AdaBoostClassifier(KNeighborsClassifier(15), 5, resample=True, random_state=0).fit(x, y)
    again = clone(near).fit(x, y)
    assert (near.predict_proba(x) == again.predict_proba(x)).all()


def test_a_learner_without_weights_is_told_about_resampling() -> None:
    with pytest.raises(UsageError, match=r"KNeighborsClassifier doesn't support sample_weight") as caught:
        AdaBoostClassifier(KNeighborsClassifier()).fit(X, Y)
    assert "resample=True" in (caught.value.hint or "")


def test_staged_equals_refitted_and_weights_start_the_rounds() -> None:
    weights = np.where(Y == 1, 3.0, 1.0)
    boost = AdaBoostClassifier(n_estimators=6).fit(X, Y, sample_weight=weights)
    assert np.allclose(boost.rounds_[0].weights, weights / weights.sum())
    for t, (said, shares, score) in enumerate(
        zip(boost.staged_predict(X), boost.staged_predict_proba(X), boost.staged_score(X, Y), strict=True), start=1
    ):
        fewer = AdaBoostClassifier(n_estimators=t).fit(X, Y, sample_weight=weights)
        assert (fewer.predict(X) == said).all()
        assert np.allclose(fewer.predict_proba(X), shares)
        assert score == fewer.score(X, Y)
    assert np.allclose(list(boost.staged_decision_function(X))[-1], boost.decision_function(X))
    assert boost.round_outputs(X).shape == (6, 150, 3)


def test_class_weights_and_costs() -> None:
    heavy = AdaBoostClassifier(GaussianNB(), 1, class_weight={0: 1, 1: 1, 2: 50}).fit(X, Y)
    assert heavy.rounds_[0].weights[Y == 2].sum() > 0.95
    costs = 1.0 - np.eye(3)
    costs[1, 2] = 1e9
    shy = AdaBoostClassifier(n_estimators=5, costs=costs).fit(X, Y)
    assert (shy.predict(X) == 2).sum() < (AdaBoostClassifier(n_estimators=5).fit(X, Y).predict(X) == 2).sum()


def test_the_history_is_small_and_pickles() -> None:
    x, y = chi_square(2000, np.random.default_rng(0))
    boost = AdaBoostClassifier(n_estimators=20).fit(x, y)
    copy = pickle.loads(pickle.dumps(boost.rounds_))  # noqa: S301  # our own bytes, made on this line
    assert len(pickle.dumps(boost.rounds_)) < 30_000
    assert (copy[7].weights == boost.rounds_[7].weights).all()


def test_stumps_on_the_chi_square_problem() -> None:
    """The known figures are of the expected error; that of one draw of the rows scatters by half a per cent."""
    first, last = [], []
    for draw in range(6):
        x, y = chi_square(2000, np.random.default_rng([draw, 0]))
        x_new, y_new = chi_square(10_000, np.random.default_rng([draw, 1]))
        boost = AdaBoostClassifier(n_estimators=400).fit(x, y)
        first.append(1 - next(boost.staged_score(x_new, y_new)))
        last.append(1 - boost.score(x_new, y_new))
    assert 0.44 < np.mean(first) < 0.48
    assert 0.11 <= np.mean(last) <= 0.14


@pytest.mark.parametrize(
    "params", [{"n_estimators": 0}, {"when_weak": "cry"}, {"algorithm": "SAMME.R"}, {"resample": 2}]
)
def test_parameters_out_of_range(params: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=f"'{next(iter(params))}' parameter of AdaBoostClassifier must be"):
        AdaBoostClassifier(**params).fit(X, Y)  # type: ignore[arg-type]  # that is the point


def test_decision_values_of_several_classes_are_scikit_learns() -> None:
    X, y = load_iris(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=1, random_state=0).fit(X, y)
    assert set(np.unique(model.decision_function(X))) == {1, -0.5}
    more = AdaBoostClassifier(n_estimators=8, random_state=0).fit(X, y)
    assert more.decision_function(X).sum(axis=1) == pytest.approx(np.zeros(len(X)))
    assert np.array_equal(more.classes_[more.decision_function(X).argmax(axis=1)], more.predict(X))


def test_tiny_example_weights_are_the_same_as_plain_ones() -> None:
    X, y = load_iris(return_X_y=True)
    tiny = AdaBoostClassifier(n_estimators=5, random_state=0).fit(X, y, np.full(len(y), 1e-263))
    assert np.array_equal(tiny.predict(X), AdaBoostClassifier(n_estimators=5, random_state=0).fit(X, y).predict(X))


@pytest.mark.parametrize("weights", [[-1.0, -0.5, 0.2], [0.5, 0.5, -1.0]], ids=["negative", "nothing"])
def test_scores_keep_the_order_of_the_votes_whatever_the_weights_sum_to(weights: list[float]) -> None:
    x, y = load_iris(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=3, random_state=0).fit(x, y)
    model.estimator_weights_ = np.array(weights[: len(model.estimators_)])
    scores = model.decision_function(x)
    assert np.isfinite(scores).all()
    np.testing.assert_array_equal(model.classes_[scores.argmax(axis=1)], model.predict(x))
