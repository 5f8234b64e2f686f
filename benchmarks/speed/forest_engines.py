"""Every engine of the forest benchmark behind one call: the same data, number of trees, columns a node and depth.

What q means differs between the peers: scikit-learn counts the columns of a node that are constant there, oneDAL
(scikit-learn-intelex) draws on until q that vary have been seen. venire does either, so it runs both ways, and each
peer is compared with the way that means the same q.

XGBoost cannot grow full trees in reasonable memory; it gets depth 16, where its quality on D1 is the others'.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed.forest_jobs import Job

Predict = Callable[[NDArray[np.float32]], NDArray[Any]]
# Fits a job on (x, y) with so many threads, and gives back what predicts the shares of the classes.
Fit = Callable[[Job, NDArray[np.float32], NDArray[np.int32], int], Predict]


def venire() -> Fit:
    from venire.ensembles.forest.estimators import RandomForestClassifier
    from venire.models.tree.estimators import DecisionTreeClassifier

    return _scikit(RandomForestClassifier, DecisionTreeClassifier, tree_threads=True)


def venire_skipping() -> Fit:
    from venire.ensembles.forest.estimators import RandomForestClassifier
    from venire.models.tree.estimators import DecisionTreeClassifier

    skipping = partial(RandomForestClassifier, constant_columns="skip")
    return _scikit(skipping, DecisionTreeClassifier, tree_threads=True)


def scikit_learn() -> Fit:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.tree import DecisionTreeClassifier

    return _scikit(RandomForestClassifier, DecisionTreeClassifier)


def intelex() -> Fit:
    from sklearn.tree import DecisionTreeClassifier
    from sklearnex.ensemble import RandomForestClassifier

    return _scikit(RandomForestClassifier, DecisionTreeClassifier)


def _scikit(forest: Any, tree: Any, *, tree_threads: bool = False) -> Fit:
    def fit(job: Job, x: NDArray[np.float32], y: NDArray[np.int32], threads: int) -> Predict:
        if job.all_columns:
            model = tree(random_state=0, **({"n_jobs": threads} if tree_threads else {}))
        else:
            model = forest(n_estimators=job.trees, max_features="sqrt", random_state=0, n_jobs=threads)
        predict: Predict = model.fit(x, y).predict_proba
        return predict

    return fit


def xgboost() -> Fit:
    from xgboost import XGBRFClassifier

    def fit(job: Job, x: NDArray[np.float32], y: NDArray[np.int32], threads: int) -> Predict:
        share = 1.0 if job.all_columns else math.isqrt(x.shape[1]) / x.shape[1]
        model = XGBRFClassifier(
            n_estimators=job.trees,
            max_depth=16,
            colsample_bynode=share,
            subsample=1.0 if job.all_columns else 0.632,
            min_child_weight=0,
            reg_lambda=0,
            tree_method="hist",
            random_state=0,
            n_jobs=threads,
        )
        predict: Predict = model.fit(x, y).predict_proba
        return predict

    return fit


def ydf() -> Fit:
    import ydf as library

    library.verbose(0)

    def fit(job: Job, x: NDArray[np.float32], y: NDArray[np.int32], threads: int) -> Predict:
        learner = library.RandomForestLearner(
            label="y",
            num_trees=job.trees,
            max_depth=-1,
            min_examples=1,
            num_candidate_attributes=-1 if job.all_columns else math.isqrt(x.shape[1]),
            bootstrap_training_dataset=not job.all_columns,
            winner_take_all=False,
            compute_oob_performances=False,
            num_threads=threads,
        )
        model = learner.train({"x": x, "y": y})
        return lambda rows: model.predict({"x": rows}, num_threads=threads)

    return fit


OURS, SKIPPING = "venire", "venire, q of varying columns"
ENGINES: dict[str, Callable[[], Fit]] = {
    OURS: venire,
    SKIPPING: venire_skipping,
    "scikit-learn": scikit_learn,
    "scikit-learn-intelex": intelex,
    "XGBoost": xgboost,
    "YDF": ydf,
}


def same_q(peer: str) -> str:
    """Which of our two ways means the same q as a peer."""
    return SKIPPING if peer == "scikit-learn-intelex" else OURS


def competes(engine: str, job: Job) -> bool:
    """A plain tree draws no columns; intelex has none of its own, and XGBoost's depth limit makes no full one."""
    return not (job.all_columns and engine in {SKIPPING, "scikit-learn-intelex", "XGBoost"})
