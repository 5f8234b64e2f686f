"""Tables with numbers, categories and gaps, and verdicts on them."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

import venire as vn

FAMILIES = ("baseline", "naive_bayes", "tree", "bagging", "forest", "forest_rc", "boosting")
CLASS_FAMILIES = (*FAMILIES, "adaboost", "linear", "logistic", "perceptron", "neural_net", "vote", "stack")
NUMBER_FAMILIES = tuple(name for name in (*FAMILIES, "linear", "neural_net", "vote", "stack") if name != "naive_bayes")
_WORDS = np.array(["red", "green", "blue", "a colour with a longer name"])


def frame(rows: int, seed: int = 0) -> pd.DataFrame:
    """Two columns of numbers, one of words, one of truth values; one value in ten is missing."""
    rng = np.random.default_rng(seed)
    size, weight = rng.normal(size=(2, rows)).round(3)
    colour = _WORDS[rng.integers(0, len(_WORDS), rows)]
    table = pd.DataFrame({"size": size * 100, "weight": weight, "colour": colour, "sold": rng.random(rows) < 0.4})
    table["sold"] = table["sold"].astype(object)
    for name in table:
        table.loc[rng.random(rows) < 0.1, name] = None
    return table.astype({"size": float, "weight": float})


def signal(table: pd.DataFrame) -> np.ndarray:
    """What the target follows, with noise."""
    rng = np.random.default_rng(1)
    told = table["size"].fillna(0) / 100 + 2 * (table["colour"] == "blue") - (table["sold"] == True)  # noqa: E712  # gaps
    return np.asarray(told.to_numpy() + rng.normal(scale=0.5, size=len(table)))


def new_rows(rows: int = 200) -> pd.DataFrame:
    """Rows that were not there in training, some with a word that was not either."""
    table = frame(rows, seed=5)
    table.loc[::17, "colour"] = "never seen"
    return table


@cache
def verdict(task: str) -> vn.Verdict:
    """A verdict on two classes, many classes or numbers."""
    table = frame(160)
    told = signal(table)
    if task == "two":
        table["y"] = np.where(told > 0.5, "yes", "no")
    elif task == "many":
        table["y"] = np.digitize(told, [-0.5, 0.5, 1.5]) * 10
    else:
        table["y"] = 1000 + 50 * told
    names = NUMBER_FAMILIES if task == "numbers" else CLASS_FAMILIES
    return vn.compare(table, "y", models=list(names), folds=3, budget=None, jobs=1)
