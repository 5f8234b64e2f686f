"""One tool on one table, in its own process: chooses, reports, and is tried on fresh rows. Prints one JSON line.

python -m benchmarks.honesty.peer_child TOOL ROWS.npz SEED
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from typing import Any

import numpy as np

warnings.simplefilter("ignore")
Report = tuple[
    float, float | None, float | None, Any
]  # error, both ends of an interval if any, and the labels of fresh rows


def grid_search(X: Any, y: Any, fresh: Any, seed: int) -> Report:
    """The usual way: one GridSearchCV over several learners, ten folds; mean ± 1.96 standard errors over folds."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV, StratifiedKFold
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    grid = [
        {"model": [GaussianNB()], "model__var_smoothing": np.logspace(0, -9, 10)},
        {"model": [KNeighborsClassifier()], "model__n_neighbors": [1, 3, 5, 7, 9]},
        {"model": [DecisionTreeClassifier(random_state=seed)], "model__max_depth": [1, 2, 3, 5, 8, None]},
        {"model": [LogisticRegression()], "model__C": np.logspace(-4, 4, 9)},
        {"model": [SVC()], "model__C": np.logspace(-2, 2, 5), "model__kernel": ["linear", "rbf"]},
    ]
    folds = StratifiedKFold(10, shuffle=True, random_state=seed)
    search = GridSearchCV(Pipeline([("scale", StandardScaler()), ("model", GaussianNB())]), grid, cv=folds).fit(X, y)
    error = 1 - search.best_score_
    reach = 1.96 * search.cv_results_["std_test_score"][search.best_index_] / np.sqrt(9)
    return error, error - reach, error + reach, search.predict(fresh)


def flaml(X: Any, y: Any, fresh: Any, seed: int) -> Report:
    """FLAML as documented: `best_loss` after a search of ten seconds."""
    from flaml import AutoML

    found = AutoML()
    found.fit(X, y, task="classification", metric="accuracy", time_budget=10, seed=seed, verbose=0, n_jobs=1)
    return float(found.best_loss), None, None, found.predict(fresh)


def autogluon(X: Any, y: Any, fresh: Any, seed: int) -> Report:
    """AutoGluon as documented: the validation score of its best model."""
    import pandas as pd
    from autogluon.tabular import TabularPredictor

    names = [f"x{j}" for j in range(X.shape[1])]
    table = pd.DataFrame(X, columns=names).assign(y=y)
    found = TabularPredictor("y", eval_metric="accuracy", path="models", verbosity=0).fit(
        table, num_cpus=1, time_limit=60
    )
    best = found.leaderboard().set_index("model").loc[found.model_best, "score_val"]
    return 1 - float(best), None, None, found.predict(pd.DataFrame(fresh, columns=names)).to_numpy()


def venire(X: Any, y: Any, fresh: Any, seed: int) -> Report:
    """The first row of the leaderboard, and what `fit` hands over."""
    import venire as vn
    from benchmarks.honesty.problems import as_table

    models = ["baseline", "naive_bayes", "knn", "tree", "linear", "logistic", "svm", "vote", "stack"]
    verdict = vn.compare(as_table(X, y), models=models, seed=seed, jobs=1, budget=None, home="runs")
    top = verdict.judgement.rows[0]
    return top.error, top.interval.low, top.interval.high, np.asarray(verdict.fit().predict(fresh))


TOOLS = {"GridSearchCV": grid_search, "flaml": flaml, "autogluon": autogluon, "venire": venire}


def main() -> None:
    tool, path, seed = sys.argv[1:]
    data = np.load(path)
    began = os.times()
    error, low, high, labels = TOOLS[tool](data["X"], data["y"], data["fresh_X"], int(seed))
    ended = os.times()
    seconds = sum(ended[:4]) - sum(began[:4])
    fresh = float(np.mean(np.asarray(labels).astype(int) != data["fresh_y"]))
    print(json.dumps({"reported": error, "low": low, "high": high, "fresh": fresh, "seconds": round(seconds, 2)}))


if __name__ == "__main__":
    main()
