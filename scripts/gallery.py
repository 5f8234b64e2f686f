"""Draw the gallery: every picture from data that ship with venire, as docs/gallery/*.svg, and the page around them.

.venv/bin/python scripts/gallery.py            writes docs/gallery.md and docs/gallery/
.venv/bin/python scripts/gallery.py --page     writes the page alone
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression

import venire as vn
from venire import pictures
from venire.data.datasets import dataset, load
from venire.data.generators import banana, chi_square, linear_sinusoid, linear_sinusoid_truth
from venire.inference.decomposition import bias_variance
from venire.models.gradient_ascent import logistic_ascent
from venire.report.charts.figure import Figure

DOCS = Path(__file__).parents[1] / "docs"
SEED = 0


class Entry(NamedTuple):
    """A picture of the gallery: how it is asked for, whether a report has it, and how it is drawn here."""

    name: str
    title: str
    call: str
    report: str
    saved_as: str  # the name for --save-plot; empty where there is none
    draw: Callable[[], Figure]


def _banana(rows: int = 200) -> tuple[Any, Any]:
    return banana(rows, np.random.default_rng(SEED))


@cache
def _verdict() -> vn.Verdict:
    models = ["baseline", "naive_bayes", "logistic", "tree", "knn", "svm"]
    return vn.compare(load("banknotes"), models=models, folds=5, budget=None, jobs=1, seed=SEED)


@cache
def _regression() -> vn.Verdict:
    X, y = linear_sinusoid(150, np.random.default_rng(SEED))
    return vn.compare(X, y, models=["baseline", "linear", "knn", "tree"], folds=5, budget=None, jobs=1, seed=SEED)


def _of_verdict(name: str, *arguments: Any, **options: Any) -> Callable[[], Figure]:
    return lambda: getattr(_verdict().plot, name)(*arguments, **options)


def _of_numbers(name: str) -> Callable[[], Figure]:
    return lambda: getattr(_regression().plot, name)()


def _boundary() -> Figure:
    X, y = _banana()
    seen = np.arange(len(y)) % 2 == 0
    model = vn.DecisionTreeClassifier(min_samples_leaf=5).fit(X[seen], y[seen])
    return pictures.decision_boundary(model, X, y, in_bag=seen)


def _members() -> Figure:
    X, y = _banana(120)
    return pictures.member_boundaries(vn.BaggingClassifier(n_estimators=50, random_state=SEED).fit(X, y), X, y)


def _rounds() -> Figure:
    X, y = _banana(120)
    return pictures.boosting_rounds(vn.AdaBoostClassifier(n_estimators=40, random_state=SEED).fit(X, y), X, y)


def _stages() -> Figure:
    X, y = linear_sinusoid(80, np.random.default_rng(SEED))
    model = vn.AdditiveRegressor(vn.DecisionTreeRegressor(max_depth=2), n_estimators=10, random_state=SEED)
    return pictures.residual_stages(model.fit(X, y), X, y, stages=(1, 2, 10))


def _tree() -> Figure:
    days = pd.read_csv(dataset("play_golf").path, dtype=str)
    tree = vn.DecisionTreeClassifier(criterion="entropy", categorical="multiway")
    return pictures.tree_diagram(tree.fit(days.drop(columns="play"), days["play"]))


def _forest() -> Figure:
    rng = np.random.default_rng(SEED)
    (X, y), (new_X, new_y) = chi_square(400, rng), chi_square(1500, rng)
    return pictures.forest_curves(X, y, new_X, new_y, trees=60, seed=SEED)


def _kappa() -> Figure:
    rng = np.random.default_rng(SEED)
    (X, y), (new_X, new_y) = chi_square(500, rng), chi_square(1000, rng)
    forest = vn.RandomForestClassifier(n_estimators=30, random_state=SEED).fit(X, y)
    return pictures.kappa_error(forest, new_X, new_y)


def _bias() -> Figure:
    truth = lambda X: linear_sinusoid_truth(X[:, 0])  # noqa: E731  # it is one line of a formula
    return pictures.bias_and_variance(bias_variance(LinearRegression(), linear_sinusoid, 50, truth=truth, seed=SEED))


def _votes() -> Figure:
    iris = load("iris")
    labels = np.array(iris.target.labels, dtype=object)[iris.y] if iris.target else iris.y
    model = vn.OneVsOneClassifier(vn.DecisionTreeClassifier(max_depth=2)).fit(iris.X, labels)
    return pictures.one_vs_one_votes(model, iris.X[[0, 70, 77, 100, 106, 119]])


def _ascent() -> Figure:
    X, y = _banana()
    return pictures.ascent_history(logistic_ascent((X - X.mean(axis=0)) / X.std(axis=0), y, eta=0.5))


def _selected() -> Figure:
    iris = load("iris")
    return pictures.selection_path(vn.select(iris, model="naive_bayes", folds=5, seed=SEED, jobs=1))
