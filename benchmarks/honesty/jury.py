"""A small jury, computed for all trials of a plan at once: baseline, naive Bayes, k nearest neighbours, ridge.

A proof takes tens of thousands of two-layer validations, so these four are written as fold sums and matrix products
over numeric columns without gaps. They stand for the families of the same names, and the tests hold them
to equal predictions. Rows of folds that no trial is trained on may be there too: fresh rows to learn the truth from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from venire.families.paths import one_by_one
from venire.metrics.predictions import Output
from venire.validation.plans.plan import Trial
from venire.validation.trials.family import Outcome, Setting

Floats = NDArray[np.float64]
Settings = tuple[Setting, ...]

SMOOTHING = one_by_one("var_smoothing", (1.0, 0.1, 1e-9), "smoothing")
LAMBDAS = one_by_one("alpha", (1000.0, 100.0, 10.0, 1.0, 0.01), "λ")
_NEVER = -1e6  # the log of an impossible class: below any other, and finite


def neighbours(rows: int) -> Settings:
    """A few odd k, up to √n."""
    return one_by_one("n_neighbors", [k for k in (15, 7, 3, 1) if k * k <= rows], "k")


@dataclass(frozen=True, eq=False)
class Scene:
    """Rows sorted by fold, and the trials to run on them."""

    X: Floats  # [row, column]
    y: NDArray[np.int32]
    start: NDArray[np.intp]  # [fold + 1]: where each fold's rows begin
    trials: Sequence[Trial]
    kept: Floats  # [trial, fold]: 1 where the trial is trained on the fold

    @classmethod
    def of(cls, X: Floats, y: NDArray[np.int32], fold_of: NDArray[np.int32], trials: Sequence[Trial]) -> Scene:
        """Sort rows by fold; within a fold they keep their order, as in a plan."""
        order = np.argsort(fold_of, kind="stable")
        folds = int(fold_of.max()) + 1
        kept = np.zeros((len(trials), folds))
        for at, trial in enumerate(trials):
            kept[at, list(trial.train)] = 1.0
        start = np.searchsorted(fold_of[order], np.arange(folds + 1))
        return cls(X[order], y[order], start, trials, kept)

    def rows(self, folds: tuple[int, ...]) -> NDArray[np.intp]:
        """The sorted places of some folds' rows, fold after fold."""
        return np.concatenate([np.arange(self.start[b], self.start[b + 1]) for b in folds])

    def sums(self, values: Floats) -> Floats:
        """Sums of `values` [row, …] over every trial's training rows: [trial, …]."""
        per_fold = np.add.reduceat(values, self.start[:-1], axis=0)
        return np.tensordot(self.kept, per_fold, axes=1)


@dataclass(frozen=True, eq=False)
class Member:
    """One family of the jury: its settings and what it says in every trial."""

    name: str
    settings: Settings
    outcomes: Mapping[Trial, Outcome]  # rows by fold, in the order of `trial.test`


def jury(scene: Scene, rows: int, wanted: Sequence[str] = ("baseline", "naive_bayes", "knn", "linear")) -> list[Member]:
    """Run all trials for the members wanted, in the bucket's order; `rows` is the size of the user's table."""
    makers: dict[str, Callable[[], Member]] = {
        "baseline": lambda: Member("baseline", (Setting("majority"),), dict(_baseline(scene))),
        "naive_bayes": lambda: Member("naive_bayes", SMOOTHING, dict(_naive_bayes(scene, SMOOTHING))),
        "knn": lambda: Member("knn", neighbours(rows), dict(_knn(scene, neighbours(rows)))),
        "linear": lambda: Member("linear", LAMBDAS, dict(_linear(scene, LAMBDAS))),
    }
    return [make() for name, make in makers.items() if name in wanted]


def _baseline(scene: Scene) -> Iterator[tuple[Trial, Outcome]]:
    shares = scene.sums(np.eye(2)[scene.y])
    shares /= shares.sum(axis=1, keepdims=True)
    for trial, share in zip(scene.trials, shares, strict=True):
        n = len(scene.rows(trial.test))
        yield trial, _outcome(Output.PROBABILITIES, np.broadcast_to(share, (1, n, 2)))


def _naive_bayes(scene: Scene, settings: Settings) -> Iterator[tuple[Trial, Outcome]]:
    X = scene.X - scene.X.mean(axis=0)  # a shared shift: it changes no density and keeps the squares small
    of_class = np.eye(2)[scene.y][:, :, None]
    count = scene.sums(of_class)
    safe = np.maximum(count, 1.0)
    total, squares = (scene.sums(of_class * power[:, None, :]) for power in (X, X * X))
    mean = total / safe
    variance = squares / safe - mean**2
    n = count.sum(axis=1)
    widest = (squares.sum(axis=1) / n - (total.sum(axis=1) / n) ** 2).max(axis=1)  # [trial]
    prior = np.where(count > 0, np.log(safe / n[:, None]), _NEVER)[:, :, 0]  # [trial, class]
    amounts = np.array([setting.params["var_smoothing"] for setting in settings])
    smoothed = (
        variance[:, None] + (amounts[None, :] * widest[:, None])[:, :, None, None]
    )  # [trial, setting, class, col]
    steep = 0.5 / np.where(smoothed > 0, smoothed, 1.0)
    level = prior[:, None] + (0.5 * np.log(steep) - steep * mean[:, None] ** 2).sum(axis=3)
    slope = 2 * steep * mean[:, None]
    for at, trial in enumerate(scene.trials):
        rows = X[scene.rows(trial.test)]
        joint = level[at][:, None] - _through(rows * rows, steep[at]) + _through(rows, slope[at])
        joint -= joint.max(axis=2, keepdims=True)
        shares = np.exp(joint)
        yield trial, _outcome(Output.PROBABILITIES, shares / shares.sum(axis=2, keepdims=True))


def _through(rows: Floats, weights: Floats) -> Floats:
    """[row, column] and [setting, class, column] to [setting, row, class]."""
    settings, classes, columns = weights.shape
    flat = rows @ weights.reshape(-1, columns).T
    return flat.reshape(len(rows), settings, classes).transpose(1, 0, 2)


def _standardised(scene: Scene) -> tuple[Floats, Floats, Floats]:
    """The shifted rows, and every trial's own mean and spread of them."""
    X = scene.X - scene.X.mean(axis=0)
    n = scene.sums(np.ones(len(X)))[:, None]
    mean = scene.sums(X) / n
    spread = np.sqrt(scene.sums(X * X) / n - mean**2)
    return X, mean, np.where(spread > 0, spread, 1.0)


def _linear(scene: Scene, settings: Settings) -> Iterator[tuple[Trial, Outcome]]:
    X, mean, spread = _standardised(scene)
    signs: Floats = 2.0 * scene.y.astype(np.float64) - 1.0
    n = scene.sums(np.ones(len(X)))
    gram = scene.sums(X[:, :, None] * X[:, None, :]) - n[:, None, None] * mean[:, :, None] * mean[:, None, :]
    gram /= spread[:, :, None] * spread[:, None, :]
    level = scene.sums(signs) / n
    pull = (scene.sums(X * signs[:, None]) - n[:, None] * mean * level[:, None]) / spread
    values, vectors = np.linalg.eigh(gram)
    turned = np.einsum("tcd,tc->td", vectors, pull)
    penalties = np.array([setting.params["alpha"] for setting in settings])
    shrunk = turned[:, None] / (
        np.maximum(values, 0.0)[:, None] + penalties[None, :, None]
    )  # [trial, setting, direction]
    weights = np.einsum("tcd,tsd->tsc", vectors, shrunk) / spread[:, None]
    offset = level[:, None] - np.einsum("tsc,tc->ts", weights, mean)
    for at, trial in enumerate(scene.trials):
        score = weights[at] @ X[scene.rows(trial.test)].T + offset[at][:, None]
        yield trial, _outcome(Output.SCORES, np.stack([-score, score], axis=2), (score > 0).astype(np.int16))


def _knn(scene: Scene, settings: Settings) -> Iterator[tuple[Trial, Outcome]]:
    X, _, spread = _standardised(scene)
    counts = np.array([setting.params["n_neighbors"] for setting in settings])
    most = int(counts.max())
    for at, trial in enumerate(scene.trials):
        scaled = X / spread[at]
        train, test = scene.rows(trial.train), scene.rows(trial.test)
        near = scaled[train]
        # The test row's own length is the same for all its neighbours, so it is left out.
        distance = (0.5 * np.einsum("ij,ij->i", near, near)) - scaled[test] @ near.T
        nearest = np.argpartition(distance, most - 1, axis=1)[:, :most] if most < len(train) else _all(distance)
        order = np.argsort(np.take_along_axis(distance, nearest, axis=1), axis=1)
        labels = scene.y[train[np.take_along_axis(nearest, order, axis=1)]]
        votes = np.cumsum(labels, axis=1)[:, counts - 1].T / counts[:, None]  # [setting, row]
        yield trial, _outcome(Output.PROBABILITIES, np.stack([1 - votes, votes], axis=2))


def _all(distance: Floats) -> NDArray[np.intp]:
    return np.broadcast_to(np.arange(distance.shape[1]), distance.shape)


def _outcome(output: Output, outputs: Floats, labels: NDArray[np.int16] | None = None) -> Outcome:
    decided = (outputs[:, :, 1] > outputs[:, :, 0]).astype(np.int16) if labels is None else labels
    return Outcome(output, outputs.astype(np.float32), decided, {})
