"""The engines of the boosting benchmark: each fits 100 rounds of 31 leaves on 255 bins at rate 0.1, without sampling.

An engine is a function (job, table, threads) → a model with `predict_proba`. What makes it start is imported inside.

The same settings do not mean the same to all. So a peer that differs meets two venires: the plain one, and a twin that
means what the peer means (decisions 18 and 20):

- LightGBM's quantised mode rounds gradients at random to 4 levels; so does its twin.
- XGBoost penalises leaves by default, λ = 1 and a least hessian of 1, in place of the fewest rows, and with K > 2
  classes its hessian is 2 p (1 − p), where ours is K / (K − 1) of p (1 − p); its twin has both, in our units.
- scikit-learn asks the fewest rows of rows alone, and so does its twin. Its hessian is (K − 1) / K of ours for K > 2
  classes; its twin's rate and least hessian are as much higher.

LightGBM's bins hold three rows at least, which is as good as a penalty on tables of a few hundred rows. There its loss
is compared with bins that may hold one, as ours may (`SAME_BINS`), and as it comes for information.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.speed.boosting_jobs import Job, Table

OURS = "venire"
SAME_BINS = ("LightGBM, same bins", "LightGBM, quantised, same bins")
LEVELS, PENALTIES, RULES = "venire, 4 levels", "venire, XGBoost's penalties", "venire, scikit-learn's rules"


def venire(job: Job, table: Table, threads: int, **more: Any) -> Any:
    from venire import AdaBoostClassifier, DecisionTreeClassifier, GradientBoostingClassifier

    if job.kind == "adaboost":
        return AdaBoostClassifier(DecisionTreeClassifier(max_depth=1, n_jobs=threads), 200).fit(table.x, table.y)
    settings = {"n_jobs": threads, "random_state": 0, "categorical_features": table.categorical or None, **more}
    if "gradient_sampling" in more:
        settings["gradient_sampling"] = tuple(more["gradient_sampling"])  # it came as JSON
    return GradientBoostingClassifier(**settings).fit(table.x, table.y)


def with_levels(job: Job, table: Table, threads: int, **more: Any) -> Any:
    return venire(job, table, threads, gradient_levels=4, **more)


def with_penalties(job: Job, table: Table, threads: int, **more: Any) -> Any:
    share = job.classes / (2 * (job.classes - 1))  # of its hessian that ours is
    settings = {"l2_regularization": share, "min_hessian_leaf": share, "min_samples_leaf": 1}
    return venire(job, table, threads, learning_rate=0.1 * share, **settings, **more)


def with_other_rules(job: Job, table: Table, threads: int, **more: Any) -> Any:
    share = job.classes / (job.classes - 1) if job.classes > 2 else 1.0  # our hessian over its own
    settings = {"learning_rate": 0.1 * share, "min_hessian_leaf": 1e-3 * share, "rows_by_hessian": False}
    return venire(job, table, threads, **settings, **more)


def lightgbm(job: Job, table: Table, threads: int, **more: Any) -> Any:
    from lightgbm import LGBMClassifier

    model = LGBMClassifier(**{"n_jobs": threads, "verbose": -1, **more})
    return model.fit(table.x, table.y, categorical_feature=table.categorical or "auto")


def with_same_bins(job: Job, table: Table, threads: int, **more: Any) -> Any:
    return lightgbm(job, table, threads, min_data_in_bin=1, **more)


def quantised(job: Job, table: Table, threads: int, **more: Any) -> Any:
    return lightgbm(job, table, threads, use_quantized_grad=True, **more)


def quantised_with_same_bins(job: Job, table: Table, threads: int, **more: Any) -> Any:
    return with_same_bins(job, table, threads, use_quantized_grad=True, **more)


def xgboost(job: Job, table: Table, threads: int, **more: Any) -> Any:
    from xgboost import XGBClassifier

    settings = {"n_estimators": 100, "max_leaves": 31, "max_depth": 0, "grow_policy": "lossguide", "learning_rate": 0.1}
    settings |= {"max_bin": 255, "tree_method": "hist", "n_jobs": threads}
    if table.categorical:
        kinds = ["c" if j in table.categorical else "q" for j in range(table.x.shape[1])]
        settings |= {"enable_categorical": True, "feature_types": kinds}
    return XGBClassifier(**{**settings, **more}).fit(table.x, table.y)


def sklearn(job: Job, table: Table, threads: int, **more: Any) -> Any:
    if job.kind == "adaboost":
        from sklearn.ensemble import AdaBoostClassifier

        return AdaBoostClassifier(n_estimators=200).fit(table.x, table.y)
    from sklearn.ensemble import HistGradientBoostingClassifier

    settings = {"max_iter": 100, "early_stopping": False, "categorical_features": table.categorical or None, **more}
    return HistGradientBoostingClassifier(**settings).fit(table.x, table.y)


def catboost(job: Job, table: Table, threads: int, **more: Any) -> Any:
    from catboost import CatBoostClassifier

    settings = {"iterations": 100, "depth": 5, "learning_rate": 0.1, "border_count": 254, "thread_count": threads}
    settings |= {"verbose": False, "allow_writing_files": False, **more}
    return CatBoostClassifier(**settings).fit(_catboost_rows(table), table.y, cat_features=table.categorical or None)


def _catboost_rows(table: Table) -> Any:
    """Its categories must be whole numbers or words."""
    if not table.categorical:
        return table.x
    import pandas as pd

    frame = pd.DataFrame(table.x)
    for column in table.categorical:
        frame[column] = frame[column].fillna(-1).astype(int)
    return frame


class _Ydf:
    """YDF speaks of named columns."""

    def __init__(self, table: Table, threads: int) -> None:
        import ydf

        data = {**self._named(table.x), "y": table.y}
        self._model = ydf.GradientBoostedTreesLearner(
            label="y", num_trees=100, max_num_nodes=31, growing_strategy="BEST_FIRST_GLOBAL", max_depth=-1,
            shrinkage=0.1, early_stopping="NONE", validation_ratio=0.0, num_threads=threads,
            discretize_numerical_columns=True,
        ).train(data, verbose=0)  # fmt: skip

    @staticmethod
    def _named(x: Any) -> dict[str, Any]:
        return {f"x{j}": np.ascontiguousarray(x[:, j]) for j in range(x.shape[1])}

    def predict_proba(self, x: Any) -> Any:
        return self._model.predict(self._named(x))


def ydf(job: Job, table: Table, threads: int, **more: Any) -> Any:
    return _Ydf(table, threads)


class _Compiled:
    """LightGBM's trees, compiled to machine code by treelite."""

    def __init__(self, job: Job, table: Table, threads: int) -> None:
        import tl2cgen
        import treelite

        booster = lightgbm(job, table, threads).booster_
        self._folder = tempfile.TemporaryDirectory()
        model = treelite.frontend.from_lightgbm(booster)
        library = Path(self._folder.name) / "trees.so"
        tl2cgen.export_lib(model, toolchain="gcc", libpath=str(library), params={"parallel_comp": threads})
        self._predictor = tl2cgen.Predictor(str(library), nthread=threads)
        self._matrix = tl2cgen.DMatrix

    def predict_proba(self, x: Any) -> Any:
        return self._predictor.predict(self._matrix(x)).reshape(-1)


def treelite_(job: Job, table: Table, threads: int, **more: Any) -> Any:
    return _Compiled(job, table, threads)


Engine = Callable[..., Any]
ENGINES: dict[str, Engine] = {
    OURS: venire,
    LEVELS: with_levels,
    PENALTIES: with_penalties,
    RULES: with_other_rules,
    "LightGBM": lightgbm,
    SAME_BINS[0]: with_same_bins,
    "LightGBM, quantised": quantised,
    SAME_BINS[1]: quantised_with_same_bins,
    "XGBoost": xgboost,
    "scikit-learn": sklearn,
    "CatBoost": catboost,
    "YDF": ydf,
    "treelite, compiled": treelite_,
}
_TWINS = {"LightGBM, quantised": LEVELS, SAME_BINS[1]: LEVELS, "XGBoost": PENALTIES, "scikit-learn": RULES}
PEERS = [engine for engine in ENGINES if engine not in (OURS, *_TWINS.values())]
_BY_KIND = {
    "adaboost": {"scikit-learn"},
    "predict": {"LightGBM", "XGBoost", "YDF", "treelite, compiled", "CatBoost"},
}
INFORMATION = {("predict", "CatBoost")}  # symmetric trees are another model


def competes(peer: str, job: Job) -> bool:
    return peer in _BY_KIND.get(job.kind, set(PEERS) - {*SAME_BINS, "YDF", "treelite, compiled"})


def twin_of(peer: str, job: Job) -> str:
    """The venire that means what a peer means."""
    return _TWINS.get(peer, OURS) if job.kind in ("fit", "small") else OURS
