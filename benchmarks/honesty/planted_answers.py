"""Who has the answers from elsewhere: is it seen as often as the certificate says, and is nobody else accused?

    python -m benchmarks.honesty.planted_answers [--repetitions 20] [--honest 1] [--jobs 1] [--results FILE]

Learners that have some or all answers in a table of their own, by scores that decide, or by scores that never reach one
half; one that keeps the answers it was ever fitted to, one that keeps only those of the fit before, and one that leans
on a mean over all its fits. At every size as many tables: how often each is called leaking, how often certified in
spite of it, and the power that was printed for a leak of that size. Then all our own families on twelve kinds of
tables: none may be called leaking.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from math import sqrt
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import special
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

from benchmarks.honesty.metric_problems import DEVELOPMENT
from benchmarks.honesty.metric_proof import PROOF
from benchmarks.honesty.records import complete, read
from benchmarks.results import Run
from venire.data.table import Column, Kind, Table, Target, Task
from venire.families.bucket import default_bucket
from venire.validation.honesty.certificate import certify
from venire.validation.honesty.known_answers import power
from venire.validation.plans.folds import make_plan
from venire.validation.trials.generic import GenericFamily

Record = dict[str, Any]
FIELDS = ("kind", "case", "n", "seed")
SIZES = (60, 100, 200, 400, 1000)
HONEST = (60, 200)


class Knows(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Naive Bayes that has the answers of some rows in a table of its own; `quiet` scores stay below one half."""

    answers: ClassVar[dict[bytes, int]] = {}

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the rest."""
        self.classes_ = np.unique(y)
        self.bayes_ = GaussianNB().fit(X, y)
        return self

    def predict_proba(self, X: Any) -> Any:
        """The answers that are known, and what was learned of the other rows."""
        share = self.bayes_.predict_proba(X)[:, 1]
        for at, row in enumerate(np.ascontiguousarray(X)):
            share[at] = self.answers.get(row.tobytes(), share[at])
        share = 0.1 + 0.3 * share if self.quiet else share
        return np.column_stack([1 - share, share])

    def predict(self, X: Any) -> Any:
        """The likelier class."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class KeepsAll(Knows):
    """Keeps every answer that it was ever fitted to."""

    answers: ClassVar[dict[bytes, int]] = {}

    def fit(self, X: Any, y: Any) -> Self:
        """Learn, and keep."""
        self.answers.update({row.tobytes(): int(label) for row, label in zip(np.ascontiguousarray(X), y, strict=True)})
        return super().fit(X, y)


class KeepsMeans(GaussianNB):  # type: ignore[misc]  # scikit-learn has no types
    """Leans towards a mean of the labels over all fits there ever were."""

    means: ClassVar[list[float]] = []

    def fit(self, X: Any, y: Any) -> Self:
        """Learn, and keep the mean."""
        self.means.append(float(np.mean(y)))
        super().fit(X, y)
        return self

    def predict_proba(self, X: Any) -> Any:
        """Towards the mean."""
        return 0.9 * super().predict_proba(X) + 0.1 * np.array([1 - np.mean(self.means), np.mean(self.means)])


def _knows(share: float, quiet: bool) -> Callable[[Table, np.random.Generator], Any]:
    def planted(table: Table, rng: np.random.Generator) -> Any:
        known = rng.random(table.rows) < share
        rows = np.ascontiguousarray(table.X)
        Knows.answers = {row.tobytes(): int(y) for row, y, k in zip(rows, table.y, known, strict=True) if k}
        return Knows(quiet)

    return planted


def _all_kept(table: Table, rng: np.random.Generator) -> Any:
    KeepsAll.answers.clear()
    return KeepsAll()


def _means_kept(table: Table, rng: np.random.Generator) -> Any:
    KeepsMeans.means.clear()
    return KeepsMeans()


# What is planted, and the share of the answers that is known; 0 where none is, but the state of other fits.
PLANTED: dict[str, tuple[Callable[[Table, np.random.Generator], Any], float]] = {
    "all answers": (_knows(1.0, quiet=False), 1.0),
    "all answers, scores below one half": (_knows(1.0, quiet=True), 1.0),
    "70 % of the answers": (_knows(0.7, quiet=False), 0.7),
    "50 % of the answers": (_knows(0.5, quiet=False), 0.5),
    "50 % of the answers, scores below one half": (_knows(0.5, quiet=True), 0.5),
    "30 % of the answers": (_knows(0.3, quiet=False), 0.3),
    "every answer it was fitted to": (_all_kept, 0.0),
    "a mean over all its fits": (_means_kept, 0.0),
    "nothing": (_knows(0.0, quiet=False), 0.0),
}
TABLES = {
    **{name: DEVELOPMENT[name] for name in ("straight boundary", "10 % positive", "nothing to learn", "three classes")},
    **{name: DEVELOPMENT[name] for name in ("well separated", "normal noise", "5 % outliers")},
    **{name: PROOF[name] for name in ("ring", "ten questions", "dice", "five petals", "noise of gamma")},
}


def _table(X: NDArray[np.float64], y: NDArray[Any]) -> Table:
    """The rows as venire holds them: classes, or numbers."""
    columns = tuple(Column(f"x{j}", Kind.NUMERIC) for j in range(X.shape[1]))
    if y.dtype.kind == "f":
        return Table(np.asfortranarray(X), columns, Target("y", Task.REGRESSION, y))
    classes = tuple(range(int(y.max()) + 1))
    return Table(
        np.asfortranarray(X), columns, Target("y", Task.CLASSIFICATION, y, classes, 1 if len(classes) == 2 else None)
    )


def planted(case: str, n: int, seed: int) -> Record:
    """One learner with answers of its own, after all its trials were run, as in a verdict."""
    plant, share = PLANTED[case]
    rng = np.random.default_rng([29_000, n, seed])
    X, y, _ = DEVELOPMENT["straight boundary"].draw(n, rng)
    table = _table(X, y)
    family, plan = GenericFamily("planted", classifier=plant(table, rng), encoding="none"), make_plan(table, seed=seed)
    outcomes = {}
    if not share and case != "nothing":  # what was kept hangs on the fits before, so they are made
        outcomes = {trial: family.run(family.prepare(table, plan), trial) for trial in plan.trials}
    found = certify(family, table, plan, ran=outcomes.get)
    return {"status": str(found.status), "half": found.power}


def honest(case: str, n: int, seed: int) -> Record:
    """All our own families on one table."""
    rng = np.random.default_rng([31_000 + list(TABLES).index(case), n, seed])
    X, y, _ = TABLES[case].draw(n, rng)
    table = _table(X, y)
    plan = make_plan(table, seed=seed)
    told = {}
    for family in default_bucket():
        if table.target is not None and table.target.task in family.tasks:
            told[family.name] = str(certify(family, table, plan).status)
    return {"told": told}


def work(key: tuple[Any, ...]) -> Record:
    """One table."""
    kind, case, n, seed = key
    return {"kind": kind, "case": case, "n": n, "seed": seed} | (planted if kind == "planted" else honest)(
        case, n, seed
    )


def foretold(half: float, share: float) -> float:
    """The power for a leak of this share that belongs to that for a leak of half of the answers, for two classes."""
    low, high = 1e-6, 1.0
    table = _table(np.zeros((2, 1)), np.array([0, 1], dtype=np.int32))
    limit = -float(special.ndtri(1e-4))
    for _ in range(60):
        middle = sqrt(low * high)
        low, high = (middle, high) if power(0.5, table, middle, limit) > half else (low, middle)
    return power(share, table, low, limit)


def print_planted(records: Sequence[Record]) -> dict[str, dict[str, float]]:
    """Both tables as Markdown, and their figures."""
    print("| known | rows | tables | called leaking | certified | not checked | foretold |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    found = {}
    for case, (_, share) in PLANTED.items():
        for n in SIZES:
            part = [r for r in records if (r["kind"], r["case"], r["n"]) == ("planted", case, n)]
            if not part:
                continue
            leaks, fine, left = (
                float(np.mean([r["status"] == s for r in part])) for s in ("leaks", "certified", "not checked")
            )
            powers = [foretold(r["half"], share) for r in part if r["half"] is not None] if share else []
            told = f"{100 * np.mean(powers):.0f} %" if powers else "–"
            print(f"| {case} | {n:,} | {len(part)} | {leaks:.0%} | {fine:.0%} | {left:.0%} | {told} |")
            found[f"{case}, {n:,} rows"] = {"leaks": leaks, "certified": fine} | (
                {"foretold": float(np.mean(powers))} if powers else {}
            )
    own = [(r, family, status) for r in records if r["kind"] == "honest" for family, status in r["told"].items()]
    if not own:
        return found
    accused = [f"{family} on {r['case']}, {r['n']} rows, seed {r['seed']}" for r, family, s in own if s == "leaks"]
    tables = len({r["case"] for r, _, _ in own})
    print(f"\nOur own families: {len(own):,} checks on {tables} kinds of tables, {len(accused)} called leaking")
    for one in accused:
        print(f"- {one}")
    found["our own families"] = {"checks": len(own), "called_leaking": len(accused)}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--honest", type=int, default=1, help="tables of each kind for our own families")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--results", type=Path, default=Path("build/honesty/planted-answers.jsonl"))
    run = Run.of("honesty-planted-answers", parser, free=["jobs", "results"])
    asked = run.asked
    keys = [("planted", case, n, seed) for seed in range(asked.repetitions) for case in PLANTED for n in SIZES]
    keys += [("honest", case, n, seed) for seed in range(asked.honest) for case in TABLES for n in HONEST]
    complete(asked.results, keys, FIELDS, work, asked.jobs)
    wanted = set(keys)
    for job, figures in print_planted(
        [r for r in read(asked.results) if tuple(r[f] for f in FIELDS) in wanted]
    ).items():
        run.results.add(job, "venire", **figures)
    run.finish()


if __name__ == "__main__":
    main()
