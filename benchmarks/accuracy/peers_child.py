"""One system in its own process: trains within its budget, then predicts the test rows.

It imports nothing of the project but, for venire, the library itself: peers live in environments of their own.

    python peers_child.py FOLDER    with job.json, train.parquet and test.parquet; writes said.json and said.npy
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

warnings.simplefilter("ignore")
import numpy as np  # noqa: E402 -- warnings of imports are of no interest either
import pandas as pd  # noqa: E402 -- as above

Said = dict[str, Any]
CORES = 2


class Job:
    """What is asked for, and how much time is left."""

    def __init__(self, folder: Path) -> None:
        asked = json.loads((folder / "job.json").read_text())
        self.system, self.target, self.classes = asked["system"], asked["target"], asked["classes"]
        self.budget, self.seed, self.started = asked["budget"], asked["seed"], asked["started"]
        self.train, self.test = pd.read_parquet(folder / "train.parquet"), pd.read_parquet(folder / "test.parquet")
        if self.classes:
            self.train[self.target] = self.train[self.target].astype(str)

    def left(self) -> float:
        """Seconds of the budget."""
        return float(self.budget - (time.time() - self.started))

    def ready(self, **more: Any) -> Said:
        """A model is there now."""
        return {"seconds": time.time() - self.started, **more}

    def parts(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Rows to train on, and a fifth to stop by."""
        order = np.random.default_rng(self.seed).permutation(len(self.train))
        cut = round(0.8 * len(order))
        return self.train.iloc[order[:cut]], self.train.iloc[order[cut:]]


def venire(job: Job) -> tuple[Said, Any]:
    """`compare` with everything at its default but the metric and the budget."""
    import venire as vn
    from venire.verdict.differences import more_rows

    metric = "log_loss" if job.classes else "rmse"
    began = time.monotonic() - (time.time() - job.started)
    verdict = vn.compare(
        job.train, job.target, metric=metric, budget=job.budget, jobs=CORES, seed=job.seed, fit=True, began=began,
        progress=False, home="runs",
    )  # fmt: skip
    model, top = verdict.fit(), verdict.judgement.rows[0]
    chosen = f"{verdict.chosen['family']}: {verdict.chosen['setting']}"
    said = job.ready(reported=top.error, low=top.interval.low, high=top.interval.high, chosen=chosen)
    said["folds"] = verdict.plan.folds
    curve = more_rows(verdict.judgement)
    if curve is not None and np.isfinite(curve.at_all_rows.value):
        said["all_rows"] = curve.at_all_rows.value
    if not job.classes:
        return said, model.predict(job.test)
    return said | {"labels": [str(c) for c in model.classes_]}, model.predict_proba(job.test)


def autogluon(job: Job) -> tuple[Said, Any]:
    """`TabularPredictor` with a preset and a time limit."""
    from autogluon.tabular import TabularPredictor

    quality = "best_quality" if job.system.endswith("best") else "medium_quality"
    metric = "log_loss" if job.classes else "root_mean_squared_error"
    problem = "regression" if not job.classes else "binary" if job.train[job.target].nunique() == 2 else "multiclass"
    predictor = TabularPredictor(job.target, problem_type=problem, eval_metric=metric, path="models", verbosity=0)
    predictor.fit(job.train, presets=quality, time_limit=job.left(), num_cpus=CORES)
    said = job.ready(chosen=str(predictor.model_best))
    best = predictor.leaderboard().set_index("model").loc[predictor.model_best, "score_val"]
    said["reported"] = -float(best)
    if not job.classes:
        return said, predictor.predict(job.test).to_numpy()
    shares = predictor.predict_proba(job.test)
    return said | {"labels": [str(c) for c in shares.columns]}, shares.to_numpy()


def flaml(job: Job) -> tuple[Said, Any]:
    """`AutoML` with a time budget."""
    from flaml import AutoML

    found, X, y = AutoML(), job.train.drop(columns=job.target), job.train[job.target]
    task, metric = ("classification", "log_loss") if job.classes else ("regression", "rmse")
    found.fit(X, y, task=task, metric=metric, time_budget=job.left(), n_jobs=CORES, seed=job.seed, verbose=0)
    said = job.ready(reported=float(found.best_loss), chosen=str(found.best_estimator))
    if not job.classes:
        return said, found.predict(job.test)
    return said | {"labels": [str(c) for c in found.classes_]}, found.predict_proba(job.test)


def catboost(job: Job) -> tuple[Said, Any]:
    """As it comes, stopped early by a fifth of the rows or when time is up."""
    from catboost import CatBoostClassifier, CatBoostRegressor, Pool

    def pool(frame: pd.DataFrame, labelled: bool = True) -> Any:
        X = frame.drop(columns=[job.target], errors="ignore").copy()
        for column in texts:
            X[column] = [str(value) for value in X[column]]  # gaps too: CatBoost takes no NaN there
        return Pool(X, frame[job.target] if labelled else None, cat_features=texts)

    texts = _text_columns(job.train.drop(columns=job.target))
    inside, outside = job.parts()
    model = (CatBoostClassifier if job.classes else CatBoostRegressor)(
        iterations=10_000, early_stopping_rounds=100, thread_count=CORES, random_seed=job.seed, verbose=0,
        allow_writing_files=False,
    )  # fmt: skip
    until = time.time() + 0.95 * job.left()
    model.fit(pool(inside), eval_set=pool(outside), callbacks=[_Until(until)])
    said = job.ready(chosen=f"{model.tree_count_} rounds")
    if not job.classes:
        return said, model.predict(pool(job.test, labelled=False))
    return said | {"labels": [str(c) for c in model.classes_]}, model.predict_proba(pool(job.test, labelled=False))


class _Until:
    """Stops CatBoost when time is up."""

    def __init__(self, end: float) -> None:
        self._end = end

    def after_iteration(self, info: Any) -> bool:
        return time.time() < self._end


def lightgbm(job: Job) -> tuple[Said, Any]:
    """A random search for the time there is, each stopped early by a fifth of the rows; the best is fitted again."""
    import lightgbm as lgb

    texts = _text_columns(job.train.drop(columns=job.target))
    kinds = {column: pd.CategoricalDtype(sorted(job.train[column].dropna().astype(str).unique())) for column in texts}

    def columns(frame: pd.DataFrame) -> pd.DataFrame:
        X = frame.drop(columns=[job.target], errors="ignore").copy()
        for column in texts:
            X[column] = X[column].where(X[column].isna(), X[column].astype(str)).astype(kinds[column])
        return X.rename(columns={name: f"c{at}" for at, name in enumerate(X.columns)})

    inside, outside = job.parts()
    kind: Any = lgb.LGBMClassifier if job.classes else lgb.LGBMRegressor
    rng, best = np.random.default_rng(job.seed), np.inf
    kept: dict[str, Any] = {"n_estimators": 300}
    until, longest = time.time() + 0.8 * job.left(), 0.0
    while time.time() + longest < until:
        began = time.time()
        asked: dict[str, Any] = {
            "learning_rate": float(np.exp(rng.uniform(np.log(0.01), np.log(0.2)))),
            "num_leaves": int(rng.integers(7, 128)), "min_child_samples": int(rng.integers(3, 60)),
            "colsample_bytree": float(rng.uniform(0.3, 1.0)),
            "subsample": float(rng.uniform(0.5, 1.0)), "subsample_freq": 1,
            "reg_lambda": float(np.exp(rng.uniform(np.log(1e-3), np.log(10.0)))),
        }  # fmt: skip
        model = kind(n_estimators=3000, n_jobs=CORES, random_state=job.seed, verbose=-1, **asked)
        pair = [(columns(outside), outside[job.target])]
        model.fit(columns(inside), inside[job.target], eval_set=pair, callbacks=[lgb.early_stopping(50, verbose=False)])
        reached = next(iter(model.best_score_["valid_0"].values()))
        if reached < best:
            best, kept = reached, {**asked, "n_estimators": int(model.best_iteration_ or 3000)}
        longest = max(longest, time.time() - began)
    model = kind(n_jobs=CORES, random_state=job.seed, verbose=-1, **kept).fit(columns(job.train), job.train[job.target])
    said = job.ready(reported=float(best if job.classes else np.sqrt(best)), chosen=json.dumps(kept))
    if not job.classes:
        return said, model.predict(columns(job.test))
    return said | {"labels": [str(c) for c in model.classes_]}, model.predict_proba(columns(job.test))


def _text_columns(X: pd.DataFrame) -> list[str]:
    return [column for column in X.columns if not pd.api.types.is_numeric_dtype(X[column])]


SYSTEMS = {
    "venire": venire,
    "autogluon_medium": autogluon,
    "autogluon_best": autogluon,
    "flaml": flaml,
    "catboost": catboost,
    "lightgbm": lightgbm,
}

PACKAGE = {"autogluon_medium": "autogluon.tabular", "autogluon_best": "autogluon.tabular"}

if __name__ == "__main__":
    there = Path(sys.argv[1])
    asked = Job(there)
    said, predicted = SYSTEMS[asked.system](asked)
    said["version"] = version(PACKAGE.get(asked.system, asked.system))
    np.save(there / "said.npy", np.asarray(predicted, dtype=np.float64))
    (there / "said.json").write_text(json.dumps(said))
