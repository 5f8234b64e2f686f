"""Do the intervals hold? Two-layer validation of the small jury on problems with a known truth.

    python -m benchmarks.honesty.coverage [--repetitions 1000] [--jobs 1] [--results FILE] [--problems …] [--rows …]

Every repetition draws a table, validates the jury in two layers and asks the outer models about 2,000 fresh rows. The
raw fold losses are kept, one JSON line a repetition, so an interrupted run goes on and the table below can be made
again. See `cells.py` for what is printed, and `validation.py` for the target.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.honesty.cells import print_cells
from benchmarks.honesty.fixed import print_fixed
from benchmarks.honesty.members import print_members
from benchmarks.honesty.more_rows import print_more_rows
from benchmarks.honesty.problems import PROBLEMS, draw
from benchmarks.honesty.records import complete, read
from benchmarks.honesty.validation import Validated, validate
from benchmarks.results import Run

SIZES = (50, 200, 1000)
FRESH = 2000
STRATIFIED_EVERY = 5  # the stratified estimate is only shown, so fewer repetitions do
FIXED = ("linear", 2)  # λ = 10: the one setting for which pairs alone give nested intervals
FIELDS = ("problem", "n", "seed")


def repetition(key: tuple[Any, ...]) -> dict[str, Any]:
    """One table of one cell."""
    problem, n, seed = key
    # One stream a cell and seed, so that no cell repeats the rows of another.
    rng = np.random.default_rng([list(PROBLEMS).index(problem), n, seed])
    X, y = draw(problem, n, rng)
    fresh = draw(problem, FRESH, rng)
    found = validate(X, y, fresh, seed=seed)
    record: dict[str, Any] = {
        "problem": problem,
        "n": n,
        "seed": seed,
        "losses": _short(found.procedure.losses),
        "sizes": np.bincount(found.docket.plan.fold_of[0]).tolist(),
        "truth": round(found.truth, 6),
        "one_layer": round(found.procedure.one_layer_error, 6),
        "chosen": found.procedure.chosen.name,
        "fixed": _fixed(found),
        "members": {c.name: [_short(c.losses), round(float(found.fresh[c.name].mean()), 6)] for c in found.candidates},
    }
    if seed % STRATIFIED_EVERY == 0:
        record["stratified"] = round(validate(X, y, None, seed=seed, stratified=True).procedure.error, 6)
    return record


def _fixed(found: Validated) -> dict[str, Any]:
    """Fold losses without {i} and without {i, j} of one setting: what nested intervals are made of."""
    family, setting = FIXED
    ledger, plan = found.ledgers[family], found.docket.plan
    pairs = np.full((plan.folds, plan.folds), np.nan)
    for held, losses in ledger.losses.items():
        if len(held.trial.test) == 2:
            other = next(b for b in held.trial.test if b != held.fold)
            pairs[held.fold, other] = losses[setting]
    singles = [ledger.losses[plan.outer(0, i)][setting] for i in range(plan.folds)]
    return {
        "singles": _short(singles),
        "pairs": [_short(np.delete(row, i)) for i, row in enumerate(pairs)],
        "truth": round(found.fixed_truth(*FIXED), 6),
    }


def _short(values: Any) -> list[float]:
    return [round(float(value), 6) for value in values]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--results", type=Path, default=Path("build/honesty/coverage.jsonl"))
    parser.add_argument("--problems", nargs="+", default=list(PROBLEMS), choices=list(PROBLEMS))
    parser.add_argument("--rows", nargs="+", type=int, default=list(SIZES))
    run = Run.of("honesty-coverage", parser, free=["jobs", "results"])
    asked = run.asked
    keys = [(p, n, seed) for seed in range(asked.repetitions) for p in asked.problems for n in asked.rows]
    complete(asked.results, keys, FIELDS, repetition, asked.jobs)
    wanted = set(keys)
    records = [r for r in read(asked.results) if tuple(r[f] for f in FIELDS) in wanted]
    for one in print_cells(records):
        job = f"{one.problem}, {one.n:,} rows"
        run.results.add(job, bias_over_sd=one.bias, one_layer_bias=one.one_layer_bias, truth=one.truth)
        for method, share in one.coverage.items():
            run.results.add(job, method, coverage=share, width=one.width[method])
    print()
    print_members(records)
    print()
    print_fixed(records)
    print()
    print_more_rows(records)
    run.finish()


if __name__ == "__main__":
    main()
