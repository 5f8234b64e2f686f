"""Naive Bayes: venire beside scikit-learn's GaussianNB and CategoricalNB, in one run.

Both sides get the same arrays, in turns, on one thread unless told otherwise (scikit-learn's run on one); the best of
the turns counts.

    python -m benchmarks.speed.bayes [--rows 1000000] [--columns 28] [--turns 3] [--threads 1]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from benchmarks.results import Run
from venire.models.bayes.classifier import NaiveBayesClassifier


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def race(name: str, peer: Any, ours: Any, X: Any, y: Any, turns: int) -> dict[str, dict[str, float]]:
    best: dict[tuple[str, str], float] = {}
    for _ in range(turns):
        for who, model in (("scikit-learn", peer), ("venire", ours)):
            jobs = {
                "fit": lambda m=model: m.fit(X, y),
                "predict": lambda m=model: m.predict(X),
                "predict_proba": lambda m=model: m.predict_proba(X),
            }
            for job, work in jobs.items():
                best[job, who] = min(seconds(work), best.get((job, who), np.inf))
    agreement = np.abs(peer.predict_proba(X[:10_000]) - ours.predict_proba(X[:10_000])).max()
    for job in ("fit", "predict", "predict_proba"):
        theirs, own = best[job, "scikit-learn"], best[job, "venire"]
        print(f"{name:12} {job:14} scikit-learn {theirs:7.3f} s   venire {own:7.3f} s   {theirs / own:5.1f} × faster")
    print(f"{name:12} largest difference of a probability: {agreement:.1e}")
    found: dict[str, dict[str, float]] = {}
    for (job, who), least in best.items():
        found.setdefault(who, {})[job] = least
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=28)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    run = Run.of("speed-bayes", parser)
    options = run.asked
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, options.rows)
    X = rng.standard_normal((options.rows, options.columns)) + 0.1 * y[:, None]
    gaussian = race("gaussian", GaussianNB(), NaiveBayesClassifier(n_jobs=options.threads), X, y, options.turns)
    codes = (rng.random(X.shape) * (18 + 2 * y[:, None])).astype(np.int64)
    every = np.ones(options.columns, dtype=bool)
    ours = NaiveBayesClassifier(categorical_features=every, n_jobs=options.threads)
    categorical = race("categorical", CategoricalNB(), ours, codes, y, options.turns)
    for kind, found in (("gaussian", gaussian), ("categorical", categorical)):
        for who, seconds_of in found.items():
            run.results.add(f"{kind}, {options.rows:,} × {options.columns}", who, **seconds_of)
    run.finish()


if __name__ == "__main__":
    main()
