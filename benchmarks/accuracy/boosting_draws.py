"""How far apart do two boostings of the same rules lie? Log loss beside LightGBM over many draws of one kind of table.

    python -m benchmarks.accuracy.boosting_draws [--rows 100000] [--draws 5] [--bins 255 250 245]

Seven classes, 14 numeric and 40 binary columns, 100 rounds of 31 leaves at rate 0.1, a fifth of the rows for testing.
On equal bins the two grow the same trees for the first twenty rounds; then a near tie falls the other way, and all that
follows differs. One fit therefore says little: other bins move the loss of either program by a few thousandths. What
counts is the mean difference over draws and its standard error. Draws are other tables, of other classes; with several
numbers of bins, each draw is fitted with every one and its differences are averaged.
"""

from __future__ import annotations

import argparse
import math
from typing import Any

import numpy as np
from lightgbm import LGBMClassifier
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss

from benchmarks.results import Run
from venire import GradientBoostingClassifier

Table = tuple[NDArray[np.float32], NDArray[np.int64]]
CLASSES, GROUPS = 7, 36


def draw(rows: int, seed: int) -> Table:
    """Twelve informative numbers, two mixtures of them, and two categories as indicator columns."""
    x, y = make_classification(
        rows, 14, n_informative=12, n_redundant=2, n_classes=CLASSES, flip_y=0.03, random_state=seed
    )
    rng = np.random.default_rng(seed)
    shares = 0.5 * rng.dirichlet(np.ones(GROUPS), size=CLASSES) + 0.5 / GROUPS
    group = (rng.random(rows)[:, None] > shares.cumsum(axis=1)[y]).sum(axis=1).clip(max=GROUPS - 1)
    near = x[:, 0] + rng.normal(scale=0.5, size=rows)
    part = np.searchsorted(np.quantile(near, [0.4, 0.7, 0.9]), near)
    binary = np.zeros((rows, 4 + GROUPS), dtype=np.float32)
    binary[np.arange(rows), part] = 1
    binary[np.arange(rows), 4 + group] = 1
    return np.hstack([x.astype(np.float32), binary]), y


def losses(table: Table, bins: int) -> tuple[float, float]:
    """Ours and theirs on the last fifth."""
    x, y = table
    cut = len(y) * 4 // 5
    models: list[Any] = [
        GradientBoostingClassifier(max_bins=bins, n_jobs=1),
        LGBMClassifier(max_bin=bins, verbose=-1, n_jobs=1),
    ]
    ours, theirs = (float(log_loss(y[cut:], one.fit(x[:cut], y[:cut]).predict_proba(x[cut:]))) for one in models)
    return ours, theirs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--bins", type=int, nargs="+", default=[255])
    run = Run.of("accuracy-boosting-draws", parser)
    options = run.asked
    differences = []
    print(f"{'draw':>6}{'venire':>9}{'LightGBM':>10}{'difference':>12}")
    for seed in range(options.draws):
        table = draw(options.rows, 100 + seed)
        ours, theirs = np.mean([losses(table, bins) for bins in options.bins], axis=0)
        differences.append(ours - theirs)
        print(f"{seed:6}{ours:9.4f}{theirs:10.4f}{ours - theirs:+12.4f}", flush=True)
    error = np.std(differences, ddof=1) / math.sqrt(options.draws)
    print(f"mean difference {np.mean(differences):+.4f} ± {error:.4f}")
    run.results.add("log loss", "venire − LightGBM", difference=np.mean(differences), standard_error=error)
    run.finish()


if __name__ == "__main__":
    main()
