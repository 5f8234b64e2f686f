"""Is P(best) what it says, by every metric? And are learners with equal errors called different?

    python -m benchmarks.honesty.chances [--set proof] [--repetitions 200] [--first-seed 0] [--jobs 1] [--results FILE]

Several cheap learners on the same folds of many tables. Which is truly the best is known from fresh rows of all tables
together; so P(best), as the leaderboard has it, can be held against how often that model is the best: of all claims of
about 0.8 four in five should be right. Where the fresh rows leave open which of two is better, each counts with the
probability that they leave it. Learners of `mirror` see either of two halves of the columns that mean the same: in at
most 5 % of tables may one be called better than the other with more than 0.95.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.honesty.fold_tables import FOLDS, Floats, Learner, fold_table, run_tables
from benchmarks.honesty.metric_problems import CLASSES, DEVELOPMENT, NUMBERS, Draw, Drawn, Problem
from benchmarks.honesty.metric_proof import PROOF
from benchmarks.honesty.metric_tables import predictions
from venire.inference import RowsTested, row_contest

Record = dict[str, Any]
FIELDS = ("set", "problem", "n", "seed")
SURE, DRAWS = 0.95, 4000
_STREAM = {"development": 13_000, "proof": 17_000}
BINS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)


@dataclass(frozen=True)
class Contest:
    """A way to draw tables, and the learners: which, and on which columns."""

    draw: Draw
    learners: tuple[Learner, ...]
    metrics: tuple[str, ...]
    rows: tuple[int, ...]
    equal: bool = False  # learners in pairs that err alike: the first half against the second
    costs: tuple[tuple[float, ...], ...] | None = None


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


def _halves(*names: str) -> tuple[Learner, ...]:
    return (*((name, _LEFT) for name in names), *((name, _RIGHT) for name in names))


def _equals(draw: Draw, numbers: bool, rows: tuple[int, ...]) -> Contest:
    names, metrics = (("linear", "tree"), NUMBERS) if numbers else (("naive_bayes", "logistic", "tree"), CLASSES)
    return Contest(draw, _halves(*names), metrics, rows, equal=True)


def _contests(problems: dict[str, Problem], names: Sequence[str], rows: tuple[int, ...]) -> dict[str, Contest]:
    found = {}
    for name in names:
        problem = problems[name]
        learners = _OF_NUMBERS if problem.metrics == NUMBERS else _OF_CLASSES
        found[name] = Contest(problem.draw, learners, problem.metrics, rows, costs=problem.costs)
    return found


CONTESTS: dict[str, dict[str, Contest]] = {
    "development": {
        **_contests(
            DEVELOPMENT,
            ("straight boundary", "10 % positive", "curved boundary", "far apart", "8 % positive", "well separated"),
            (60, 200),
        ),
        **_contests(
            DEVELOPMENT,
            ("normal noise", "noise of Laplace", "noise of log-normal", "5 % outliers", "2 % outliers on a wave"),
            (60, 200),
        ),
        "mirror": _equals(_mirror(0.0, False), False, (60, 200)),
        "mirror of numbers": _equals(_mirror(0.0, True), True, (60, 200)),
        "a coin of 0.4": _equals(DEVELOPMENT["a coin of 0.4"].draw, False, (60, 200)),
    },
    "proof": {
        **_contests(PROOF, ("ring", "ten questions", "12 % positive", "far"), (80, 300)),
        **_contests(PROOF, ("7 % positive, costs 1:10",), (200,)),
        **_contests(PROOF, ("noise of gamma", "steps, small tree", "noise that grows", "jumps in 8 %"), (80, 300)),
        "mirror": _equals(_mirror(0.8, False), False, (60, 200, 600)),
        "mirror of numbers": _equals(_mirror(0.0, True), True, (80, 300)),
        "dice": _equals(PROOF["dice"].draw, False, (80, 300)),
    },
}  # fmt: skip


def work(key: tuple[Any, ...]) -> Record:
    """One table: by every metric the P(best) of all learners, or of equal ones who is called better; and the truth."""
    which, name, n, seed = key
    contest = CONTESTS[which][name]
    stream = [_STREAM[which] + list(CONTESTS[which]).index(name), n, seed]
    table = fold_table(contest.draw, n, stream, in_folds=2)
    used = np.array([table.fold_of != fold for fold in range(FOLDS)], dtype=np.float64)
    every = np.arange(n)
    models = [table.fitted(learner, used) for learner in contest.learners]
    held_out = [model(table.X, slice(None))[table.fold_of, every] for model in models]
    fresh = [model(table.fresh_X, [seed % FOLDS])[0] for model in models]
    found: dict[str, list[Any]] = {}
    for label, measure in table.measures(contest.metrics, contest.costs).items():
        both = row_contest(
            measure,
            table.y,
            [predictions(measure, outputs, table.classes) for outputs in held_out],
            RowsTested(every, table.fold_of, folds=FOLDS, test_over_train=1 / (FOLDS - 1)),
        )
        if contest.equal:
            posterior, half = both.posterior(), len(models) // 2
            pairs = [posterior.compare(at, at + half) for at in range(half)]  # equal for certain is neither
            said = [p for pair in pairs for p in (pair.p_better, pair.p_worse)]
        else:
            said = both.probability_best(np.random.default_rng([seed, 5]), draws=DRAWS)[0].tolist()
        truth = [] if contest.equal else [table.on_fresh_rows(measure, outputs) for outputs in fresh]
        found[label] = [[float(f"{v:.6g}") for v in part] for part in (said, truth)]
    return {"set": which, "problem": name, "n": n, "seed": seed, "metrics": found}


Cells = dict[tuple[str, int, str], tuple[Floats, Floats]]


def by_cell(records: Sequence[Record], equal: bool) -> Cells:
    """Of every cell what was said [table, learner or pair], and the figures on fresh rows [table, learner]."""
    parted: dict[tuple[str, int, str], list[Any]] = {}
    for one in records:
        if CONTESTS[one["set"]][one["problem"]].equal == equal:
            for label, kept in one["metrics"].items():
                parted.setdefault((one["problem"], one["n"], label), []).append(kept)
    return {key: (np.array([k[0] for k in part]), np.array([k[1] for k in part])) for key, part in parted.items()}


def truly_best(fresh: Floats) -> Floats:
    """How probable the figures on fresh rows [table, learner] make it that each has the lowest mean."""
    drawn = np.random.default_rng(7).integers(0, len(fresh), (2000, len(fresh)))
    means = fresh[drawn].mean(axis=1)
    first = means == means.min(axis=1, keepdims=True)
    return np.asarray((first / first.sum(axis=1, keepdims=True)).mean(axis=0))


@dataclass(frozen=True, eq=False)
class Claims:
    """Every P(best), how probable it is that the model is the best, by which metric, and on which table."""

    said: Floats
    true: Floats
    metric: NDArray[np.str_]
    table: NDArray[np.intp]

    def between(self, low: float, high: float) -> Claims:
        """Those within limits, the upper one excluded."""
        here = (self.said >= low) & (self.said < high)
        return Claims(self.said[here], self.true[here], self.metric[here], self.table[here])

    @property
    def error(self) -> float:
        """The standard error of the mean of what is true less what was said, by tables."""
        sums = np.bincount(self.table, self.true - self.said)
        gap = float((self.true - self.said).mean())
        counts = np.bincount(self.table)
        return float(np.sqrt(np.square(sums - gap * counts).sum())) / len(self.said)


def claims(cells: Cells) -> Claims:
    """Of all cells."""
    said, true, names, tables = [], [], [], []
    starts: dict[tuple[str, int], int] = {}
    for (problem, n, label), (told, fresh) in cells.items():
        start = starts.setdefault(
            (problem, n), sum(len(cells[k][0]) for k in cells if k[2] == label and k[:2] in starts)
        )
        best = truly_best(fresh)
        said.append(told.ravel())
        true.append(np.broadcast_to(best, told.shape).ravel())
        names.append(np.full(told.size, label))
        tables.append(np.repeat(start + np.arange(len(told)), told.shape[1]))
    return Claims(*(np.concatenate(part) for part in (said, true, names, tables)))


def print_chances(records: Sequence[Record]) -> dict[str, dict[str, float]]:
    """Both tables as Markdown, and their figures."""
    found: dict[str, dict[str, float]] = {}
    uneven = by_cell(records, equal=False)
    if uneven:
        found |= _print_claims(claims(uneven))
    print("\n| learners with equal errors | rows | metric | tables | worst pair, P(A better) > 0.95 | mean pair |")
    print("|---|--:|---|--:|--:|--:|")
    kept, every = True, []
    for (problem, n, label), (said, _) in by_cell(records, equal=True).items():
        called = said > SURE
        worst, mean, tables = float(called.mean(axis=0).max()), float(called.mean()), len(called)
        print(f"| {problem} | {n:,} | {label} | {tables:,} | {100 * worst:.1f} % | {100 * mean:.1f} % |")
        kept &= worst <= 1 - SURE + 2 * np.sqrt(SURE * (1 - SURE) / tables)
        every.append((label, mean))
        found[f"{problem}, {n:,} rows, {label}"] = {"worst_pair": worst, "mean_pair": mean}
    for label in dict.fromkeys(name for name, _ in every):
        found[f"equal learners, {label}"] = {"mean_pair": float(np.mean([m for name, m in every if name == label]))}
    print(f"\nAt most 5 % of tables for every pair, within two standard errors: {'yes' if kept else 'no'}")
    return found


def _print_claims(every: Claims) -> dict[str, dict[str, float]]:
    found = {}
    print("| P(best) claimed | claims | mean claim | truly the best | the same by metric |")
    print("|---|--:|--:|--:|---|")
    for low, high in zip(BINS, (*BINS[1:], 1.0 + 1e-9), strict=True):
        here = every.between(low, high)
        if not len(here.said):
            continue
        claimed, share = float(here.said.mean()), float(here.true.mean())
        parts = [
            f"{name} {100 * here.true[here.metric == name].mean():.0f} % of {(here.metric == name).sum()}"
            for name in dict.fromkeys(every.metric)
            if (here.metric == name).any()
        ]
        shown = f"{low:g} to {min(high, 1.0):g}"
        print(f"| {shown} | {len(here.said):,} | {claimed:.3f} | {share:.3f} ± {here.error:.3f} | {'; '.join(parts)} |")
        found[f"P(best) {shown}"] = {
            "claims": len(here.said), "claimed": claimed, "true": share, "standard_error": here.error
        }  # fmt: skip
    off = float(
        np.average(
            [abs(f["true"] - f["claimed"]) for f in found.values()], weights=[f["claims"] for f in found.values()]
        )
    )
    score = float((every.true * np.square(1 - every.said) + (1 - every.true) * np.square(every.said)).mean())
    print(f"\n{len(every.said):,} claims; they are off by {off:.3f} on average, Brier score {score:.4f}")
    found["P(best)"] = {"claims": len(every.said), "off_by": off, "brier_score": score}
    return found


def main() -> None:
    run_tables(
        "chances",
        __doc__,
        fields=FIELDS,
        keys=lambda asked, seeds: [
            (asked.set, name, n, seed) for seed in seeds for name, one in CONTESTS[asked.set].items() for n in one.rows
        ],
        work=work,
        show=print_chances,
        arguments=lambda parser: parser.add_argument("--set", choices=list(CONTESTS), default="proof"),
    )


if __name__ == "__main__":
    main()
