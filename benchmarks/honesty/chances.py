"""Is P(best) what it says, by every metric? And are learners with equal errors called different?

    python -m benchmarks.honesty.chances [--set proof] [--repetitions 200] [--first-seed 0] [--jobs 1] [--results FILE]

Several cheap learners on the same folds of many tables. Which is truly the best is known from fresh rows of all tables
together; so P(best), as the leaderboard has it, can be held against how often that model is the best: of all claims of
about 0.8 four in five should be right. A cell in which the two best differ by less than three standard errors is left
out, for there nobody knows. Learners of `mirror` see either of two halves of the columns that mean the same: in at most
5 % of tables may one be called better than the other with more than 0.95.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.honesty.metric_learners import LEARNERS
from benchmarks.honesty.metric_problems import CLASSES, DEVELOPMENT, NUMBERS, Draw, Drawn
from benchmarks.honesty.metric_proof import PROOF
from benchmarks.honesty.metric_tables import predictions
from benchmarks.honesty.records import complete, read
from benchmarks.results import Run
from venire.data.table import Task
from venire.inference import joint_posterior, probability_best
from venire.metrics.all_rows import all_rows
from venire.metrics.scores import metric

Floats = NDArray[np.float64]
Record = dict[str, Any]
FIELDS = ("set", "problem", "n", "seed")
FRESH, FOLDS, SURE = 1000, 10, 0.95
_STREAM = {"development": 13_000, "proof": 17_000}
BINS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)


@dataclass(frozen=True)
class Contest:
    """A way to draw tables, and the learners: which, and on which columns."""

    draw: Draw
    learners: tuple[tuple[str, slice], ...]
    metrics: tuple[str, ...]
    rows: tuple[int, ...]
    equal: bool = False  # learners in pairs that err alike: the first half against the second


_ALL, _TWO, _THREE = slice(None), slice(0, 2), slice(0, 3)
_OF_CLASSES = (("naive_bayes", _ALL), ("naive_bayes", _TWO), ("logistic", _ALL), ("logistic", _TWO), ("tree", _ALL))
_OF_NUMBERS = (("linear", _ALL), ("linear", _TWO), ("linear", _THREE), ("tree", _ALL))
_LEFT, _RIGHT = slice(0, 3), slice(3, 6)


def _mirror(share: float, numbers: bool) -> Draw:
    """Two halves of the columns that mean the same."""

    def draw(n: int, rng: np.random.Generator) -> Drawn:
        X = rng.standard_normal((n, 6))
        score = X[:, 0] + X[:, 3] + rng.standard_normal(n)
        y: NDArray[Any] = score if numbers else (score > share).astype(np.int32)
        return X, y, None

    return draw


def _halves(*names: str) -> tuple[tuple[str, slice], ...]:
    return (*((name, _LEFT) for name in names), *((name, _RIGHT) for name in names))


def _contests(problems: Any, names: Sequence[str], rows: tuple[int, ...]) -> dict[str, Contest]:
    return {
        name: Contest(
            problems[name].draw,
            _OF_NUMBERS if problems[name].metrics == NUMBERS else _OF_CLASSES,
            NUMBERS if problems[name].metrics == NUMBERS else CLASSES,
            rows,
        )
        for name in names
    }


CONTESTS: dict[str, dict[str, Contest]] = {
    "development": {
        **_contests(DEVELOPMENT, ("straight boundary", "10 % positive", "curved boundary", "normal noise"), (60, 200)),
        "mirror": Contest(_mirror(0.0, False), _halves("naive_bayes", "logistic"), CLASSES, (60, 200), equal=True),
    },
    "proof": {
        **_contests(
            PROOF, ("ring", "ten questions", "12 % positive", "far", "noise of gamma", "steps, small tree"), (80, 300)
        ),
        "mirror": Contest(
            _mirror(0.8, False), _halves("naive_bayes", "logistic", "tree"), CLASSES, (60, 200, 600), equal=True
        ),
        "mirror of numbers": Contest(
            _mirror(0.0, True), _halves("linear", "tree"), NUMBERS, (60, 200, 600), equal=True
        ),
    },
}  # fmt: skip


def work(key: tuple[Any, ...]) -> Record:
    """One table: by every metric the losses of every learner by folds, and on fresh rows."""
    which, name, n, seed = key
    contest = CONTESTS[which][name]
    rng = np.random.default_rng([_STREAM[which] + list(CONTESTS[which]).index(name), n, seed])
    while True:
        X, y, _ = contest.draw(n, rng)
        fold_of = rng.permutation(n) % FOLDS
        classes = 0 if y.dtype.kind == "f" else 2
        if not classes or min(len(np.unique(fold_of[y == code])) for code in range(2)) >= 2:
            break
    fresh_X, fresh_y, _ = contest.draw(FRESH, rng)
    used = np.array([fold_of != fold for fold in range(FOLDS)], dtype=np.float64)
    task = Task.CLASSIFICATION if classes else Task.REGRESSION
    known = {label: metric(label, task, positive=1 if classes else None) for label in contest.metrics}
    found: dict[str, list[Any]] = {label: [[], []] for label in known}
    for learner, columns in contest.learners:
        fitted = LEARNERS[learner](X[:, columns], y, used, classes)
        said = fitted(X[:, columns], slice(None))[fold_of, np.arange(n)]
        fresh = fitted(fresh_X[:, columns], [seed % FOLDS])[0]
        for label, measure in known.items():
            rows = all_rows(measure, y, predictions(measure, said, classes), fold_of)
            truth = all_rows(measure, fresh_y, predictions(measure, fresh, classes), np.zeros(FRESH, dtype=np.intp))
            found[label][0].append([float(f"{v:.7g}") for v in rows.by_fold(fold_of, FOLDS)])
            found[label][1].append(float(f"{truth.base:.6g}"))
    return {"set": which, "problem": name, "n": n, "seed": seed, "metrics": found}


Cells = dict[tuple[str, int, str], tuple[Floats, Floats]]


def by_cell(records: Sequence[Record], equal: bool) -> Cells:
    """Of every cell the losses [table, learner, fold] and the figures on fresh rows [table, learner]."""
    parted: dict[tuple[str, int, str], list[Any]] = {}
    for one in records:
        if CONTESTS[one["set"]][one["problem"]].equal == equal:
            for label, kept in one["metrics"].items():
                parted.setdefault((one["problem"], one["n"], label), []).append(kept)
    return {key: (np.array([k[0] for k in part]), np.array([k[1] for k in part])) for key, part in parted.items()}


def claims(cells: Cells) -> tuple[Floats, NDArray[np.bool_], NDArray[np.str_], int]:
    """Every P(best), whether that model is the best, by which metric; and how many cells were left out."""
    said, right, by, left_out = [], [], [], 0
    for (_, _, label), (losses, fresh) in cells.items():
        mean = fresh.mean(axis=0)
        first, second = np.argsort(mean)[:2]
        gap = fresh[:, second] - fresh[:, first]
        if len(gap) < 3 or gap.mean() < 3 * gap.std(ddof=1) / np.sqrt(len(gap)):
            left_out += 1
            continue
        for at, table in enumerate(losses):
            best, _ = probability_best(table, 1 / (FOLDS - 1), np.random.default_rng([at, 5]), draws=2000)
            said.append(best)
            right.append(np.arange(len(best)) == first)
            by.append(np.full(len(best), label))
    if not said:
        return np.zeros(0), np.zeros(0, dtype=bool), np.zeros(0, dtype=str), left_out
    return np.concatenate(said), np.concatenate(right), np.concatenate(by), left_out


def false_winners(cells: Cells) -> dict[tuple[str, int, str], tuple[int, float, float]]:
    """Of every cell: tables, the share in which a pair that errs alike is told apart, the worst pair's; and of any."""
    found = {}
    for key, (losses, _) in cells.items():
        half = losses.shape[1] // 2
        pairs = [(a, a + half) for a in range(half)] + [(a + half, a) for a in range(half)]
        posteriors = [joint_posterior(table, 1 / (FOLDS - 1)) for table in losses]
        called = np.array([[p.compare(a, b).p_better > SURE for a, b in pairs] for p in posteriors])
        found[key] = (len(losses), float(called.mean(axis=0).max()), float(called.mean()))
    return found


def print_chances(records: Sequence[Record]) -> dict[str, dict[str, float]]:
    """Both tables as Markdown, and their figures."""
    said, right, by, left_out = claims(by_cell(records, equal=False))
    found: dict[str, dict[str, float]] = {}
    print("| P(best) claimed | claims | mean claim | truly the best | the same by metric |")
    print("|---|--:|--:|--:|---|")
    for low, high in zip(BINS, (*BINS[1:], 1.0 + 1e-9), strict=True):
        here = (said >= low) & (said < high)
        if not here.any():
            continue
        share = float(right[here].mean())
        parts = [
            f"{name} {100 * right[here & (by == name)].mean():.0f} % of {(here & (by == name)).sum()}"
            for name in dict.fromkeys(by)
            if (here & (by == name)).any()
        ]
        shown = f"{low:g} to {min(high, 1.0):g}"
        print(f"| {shown} | {here.sum():,} | {said[here].mean():.3f} | {share:.3f} | {'; '.join(parts)} |")
        found[f"P(best) {shown}"] = {"claims": int(here.sum()), "claimed": float(said[here].mean()), "true": share}
    print(
        f"\n{len(said):,} claims; {left_out} cells are left out in which the two best are too close to be distinguished"
    )
    print("\n| learners with equal errors | rows | metric | tables | worst pair, P(A better) > 0.95 | mean pair |")
    print("|---|--:|---|--:|--:|--:|")
    kept = True
    for (problem, n, label), (tables, worst, mean) in false_winners(by_cell(records, equal=True)).items():
        print(f"| {problem} | {n:,} | {label} | {tables:,} | {100 * worst:.1f} % | {100 * mean:.1f} % |")
        kept &= worst <= 1 - SURE + 2 * np.sqrt(SURE * (1 - SURE) / tables)
        found[f"{problem}, {n:,} rows, {label}"] = {"worst_pair": worst, "mean_pair": mean}
    print(f"\nAt most 5 % of tables for every pair, within two standard errors: {'yes' if kept else 'no'}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=list(CONTESTS), default="proof")
    parser.add_argument("--repetitions", type=int, default=200)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--results", type=Path, default=Path("build/honesty/chances.jsonl"))
    run = Run.of("honesty-chances", parser, free=["jobs", "results"])
    asked = run.asked
    seeds = range(asked.first_seed, asked.first_seed + asked.repetitions)
    contests = CONTESTS[asked.set]
    keys = [(asked.set, name, n, seed) for seed in seeds for name, contest in contests.items() for n in contest.rows]
    complete(asked.results, keys, FIELDS, work, asked.jobs)
    wanted = set(keys)
    records = [record for record in read(asked.results) if tuple(record[field] for field in FIELDS) in wanted]
    for job, figures in print_chances(records).items():
        run.results.add(job, "venire", **figures)
    run.finish()


if __name__ == "__main__":
    main()
