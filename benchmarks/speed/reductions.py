"""One against the rest and one against one with 26 classes: venire beside scikit-learn, in one run.

The table is the size of the letter recognition problem: 20,000 rows, 16 attributes, 26 classes. Both sides get the same
base learner and the same number of jobs, in turns; the best of the turns counts. Data is made outside the clock, which
counts the time of the processor for one job (a busy neighbour does not matter then) and the time on the wall for more.

    python -m benchmarks.speed.reductions [--rows 20000] [--turns 3] [--jobs 1]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn import multiclass
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from benchmarks.results import Run
from venire.reductions import OneVsOneClassifier, OneVsRestClassifier

CLASSES, COLUMNS = 26, 16


def letters(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Clouds around three centres a class, which neither a line nor a single split can tell apart."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, CLASSES, rows)
    centres = 2.0 * rng.standard_normal((CLASSES, 3, COLUMNS))
    return centres[y, rng.integers(0, 3, rows)] + rng.standard_normal((rows, COLUMNS)), y


def seconds(work: Callable[[], Any], jobs: int) -> tuple[float, Any]:
    clock = time.process_time if jobs == 1 else time.perf_counter
    start = clock()
    done = work()
    return clock() - start, done


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=1)
    run = Run.of("speed-reductions", parser)
    options = run.asked
    X, y = letters(2 * options.rows)
    X, X_new, y, y_new = X[::2], X[1::2], y[::2], y[1::2]
    learners = {"tree": DecisionTreeClassifier(random_state=0), "logistic": LogisticRegression(max_iter=300)}
    kinds = {
        "one-vs-rest": (OneVsRestClassifier, multiclass.OneVsRestClassifier),
        "one-vs-one": (OneVsOneClassifier, multiclass.OneVsOneClassifier),
    }
    for kind, pair in kinds.items():
        for name, learner in learners.items():
            best = np.full((2, 2), np.inf)  # [side, fit or predict]
            accuracy = [0.0, 0.0]
            for _ in range(options.turns):
                for side, maker in enumerate(pair):
                    model = maker(clone(learner), n_jobs=options.jobs)
                    fitting, _ = seconds(partial(model.fit, X, y), options.jobs)
                    predicting, said = seconds(partial(model.predict, X_new), options.jobs)
                    best[side] = np.minimum(best[side], [fitting, predicting])
                    accuracy[side] = float((said == y_new).mean())
            ratios = best[1] / best[0]
            for side, who in enumerate(("venire", "scikit-learn")):
                fit, predict = best[side]
                run.results.add(f"{kind}, {name}", who, fit=fit, predict=predict, accuracy=accuracy[side])
            print(
                f"{kind}, {name}: fit {best[0, 0]:.2f} s against {best[1, 0]:.2f} (×{ratios[0]:.2f}), "
                f"predict {best[0, 1]:.2f} s against {best[1, 1]:.2f} (×{ratios[1]:.2f}); "
                f"accuracy {accuracy[0]:.3f} against {accuracy[1]:.3f}"
            )
    print("above ×1 venire is the faster; promised: at least ×1")
    run.finish()


if __name__ == "__main__":
    main()
