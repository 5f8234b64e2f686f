"""Forward selection with least squares: venire beside scikit-learn's SequentialFeatureSelector, in one run.

5,000 rows, 100 columns of which 30 matter, 10 folds. Both get the same folds and the same criterion (the root mean
squared error, averaged over the folds) and are asked for the same number of attributes: the one that venire's own
stopping rule gives. The clock counts the time of the processor, on one thread. scikit-learn takes minutes.

    OMP_NUM_THREADS=1 python -m benchmarks.speed.selection [--rows 5000] [--columns 100] [--folds 10] [--backward]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold

from benchmarks.results import Run
from venire import BackwardSelection, ForwardSelection

PROMISED = 50.0


def table(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Correlated columns, a third of which carry the target, under much noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns)) + 0.5 * rng.standard_normal((rows, 1))
    matter = columns * 3 // 10
    return X, X[:, :matter] @ rng.standard_normal(matter) + 5.0 * rng.standard_normal(rows)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    done = work()
    return time.process_time() - start, done


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--backward", action="store_true")
    run = Run.of("speed-selection", parser)
    options = run.asked
    X, y = table(options.rows, options.columns)
    folds = KFold(options.folds, shuffle=True, random_state=0)
    kind, direction = (BackwardSelection, "backward") if options.backward else (ForwardSelection, "forward")

    seconds, ours = timed(lambda: kind(LinearRegression(), cv=folds).fit(X, y))
    whole, path = timed(lambda: kind(LinearRegression(), cv=folds, whole_path=True).fit(X, y))
    wanted = len(ours.attributes_)
    print(f"{options.rows:,} rows, {options.columns} columns, {options.folds} folds, {direction}")
    print(f"venire: {seconds:.2f} s to {wanted} attributes, {ours.n_subsets_} subsets looked at")
    print(f"venire: {whole:.2f} s for the whole path, {path.n_subsets_} subsets looked at", flush=True)
    theirs = SequentialFeatureSelector(
        LinearRegression(),
        n_features_to_select=wanted,
        direction=direction,
        scoring="neg_root_mean_squared_error",
        cv=folds,
    )
    slow, _ = timed(lambda: theirs.fit(X, y))
    same = bool((theirs.get_support() == ours.get_support()).all())
    print(f"scikit-learn: {slow:.1f} s to {wanted} attributes, the same ones: {same}")
    job = f"{options.rows:,} × {options.columns}, {options.folds} folds, {direction}"
    run.results.add(job, "venire", seconds=seconds, whole_path_seconds=whole, attributes=wanted)
    run.results.add(job, "scikit-learn", seconds=slow, ratio=slow / seconds)
    print(f"×{slow / seconds:.0f}; promised: at least ×{PROMISED:.0f}")
    run.finish()


if __name__ == "__main__":
    main()
