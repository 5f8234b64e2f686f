"""How the work of a comparison grows with rows, columns, classes and folds: processor time at a size and at twice it.

python -m benchmarks.speed.growing_sizes rows|columns|classes|folds
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
import time

import numpy as np

MODELS = ["naive_bayes", "linear", "logistic", "tree", "forest", "adaboost", "boosting"]
_SIZE = {"rows": 4000, "columns": 20, "classes": 3, "folds": 4}


def processor_seconds(size: dict[str, int]) -> dict[str, float]:
    """Of the trials of every family."""
    import venire as vn

    rng = np.random.default_rng(0)
    X = rng.normal(size=(size["rows"], size["columns"]))
    signal = X[:, 0] * X[:, 1] + X[:, 2] + 0.7 * np.abs(X[:, 3]) + 0.7 * rng.normal(size=len(X))
    edges = np.quantile(signal, np.linspace(0, 1, size["classes"] + 1)[1:-1])
    y = np.searchsorted(edges, signal)
    found = {}
    for name in MODELS:
        with tempfile.TemporaryDirectory() as home:
            began = time.process_time()
            vn.compare(X, y, models=[name], folds=size["folds"], jobs=1, budget=None, home=home, progress=False)
            found[name] = time.process_time() - began
    return found


def main() -> None:
    which = sys.argv[1]
    once = processor_seconds(_SIZE)
    twice = processor_seconds(_SIZE | {which: 2 * _SIZE[which]})
    each = {name: round(math.log2(twice[name] / once[name]), 2) for name in MODELS}
    print(json.dumps({"exponent": math.log2(sum(twice.values()) / sum(once.values())), "exponents": each}))


if __name__ == "__main__":
    main()
