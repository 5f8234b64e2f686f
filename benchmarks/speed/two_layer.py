"""Two-layer cross-validation: scikit-learn's loops beside venire, in one run, on the same grids and two cores.

    python -m benchmarks.speed.two_layer [--quick] [--tables digits …] [--families tree …] [--longest 600]
                                         [--parts loops sharing growth]

loops     `cross_val_score(GridSearchCV(…, cv=5), cv=10)` ÷ venire, 10 outer folds. Loops that would take longer than
          `--longest` seconds are timed on two outer folds, times five, and marked with a star.
sharing   our own estimators in the plain loops over the same folds ÷ venire, beside the ceiling: how many fits of the
          plain loops one trial of ours stands for; and how many rounds, where a path varies their number and
          the fits differ in length.
growth    the exponents of cost when rows, columns, settings or folds double.
"""

from __future__ import annotations

import argparse
import math
import os
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

from benchmarks.results import Results, Run
from benchmarks.speed.two_layer_cases import CASES, Case, as_table, family_of, tables
from venire.data import Table
from venire.metrics import metric
from venire.validation.evidence.runs import Runs
from venire.validation.plans.folds import make_plan
from venire.validation.trials.docket import Docket
from venire.validation.trials.effort import Effort
from venire.validation.trials.naive import naive_outcome
from venire.validation.trials.runner import run_trials
from venire.verdict.candidates import member

OUTER, INNER, CORES = 10, 5, 2
HOMES = TemporaryDirectory(prefix="venire-bench-")


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    found = work()
    return time.perf_counter() - start, found


def loops(case: Case, X: Any, y: Any, longest: float) -> tuple[float, float, bool]:
    """Seconds and error of scikit-learn's loops, and whether all outer folds were run."""
    search = GridSearchCV(case.estimator(), case.grid(X.shape[1]), cv=INNER)
    folds = list(KFold(OUTER, shuffle=True, random_state=0).split(X))

    def run(some: list[Any]) -> Any:
        return cross_val_score(search, X, y, cv=some, n_jobs=CORES)

    seconds, scores = timed(lambda: run(folds[:CORES]))
    expected = seconds * OUTER / CORES
    if expected > longest:
        return expected, 1 - float(np.mean(scores)), False
    seconds, scores = timed(lambda: run(folds))
    return seconds, 1 - float(np.mean(scores)), True


def ours(family: Any, table: Table, folds: int = OUTER, *, jobs: int = CORES) -> tuple[float, float]:
    """Seconds and two-layer error by venire: all trials, the evidence on disk, the choice and the judgement.

    Evidence is there to stay: the folder is removed at the end of the benchmark, outside of what is timed.
    """

    def work() -> float:
        assert table.target is not None
        plan = make_plan(table, folds=folds, seed=0)
        measure = metric("error", table.target.task)
        docket = Docket.of(table, plan, measure, Runs(Path(home)).open(table, plan), [family])
        ran = run_trials(docket, Effort(jobs=jobs))
        if ran.failed:
            raise SystemExit(f"{family.name} failed: {ran.failed[family.name]}")
        return member(docket, docket.ledger(family.name)).error

    home = mkdtemp(dir=HOMES.name)
    return timed(work)


def wake_workers() -> None:
    """Starting scikit-learn's worker processes is no part of what the loops cost."""
    X, y = make_classification(100, random_state=0)
    cross_val_score(CASES[0].estimator(), X, y, n_jobs=CORES)


def show_loops(cases: Sequence[Case], wanted: dict[str, tuple[Any, Any]], longest: float, results: Results) -> None:
    print("\n### scikit-learn's loops ÷ venire\n")
    print("| table | family | loops s | error | venire s | error | ratio |\n|---|---|--:|--:|--:|--:|--:|")
    for name, (X, y) in wanted.items():
        table, slow, fast = as_table(X, y), 0.0, 0.0
        for case in cases:
            mine, my_error = min(ours(family_of(case, X.shape[1]), table) for _ in range(2))
            seconds, error, whole = loops(case, X, y, longest)
            slow, fast = slow + seconds, fast + mine
            star = "" if whole else "*"
            figures = f"{seconds:.1f}{star} | {error:.4f} | {mine:.2f} | {my_error:.4f} | {seconds / mine:.0f}"
            print(f"| {name} | {case.name} | {figures} |", flush=True)
            results.add(name, case.name, loops_s=seconds, venire_s=mine, error=my_error, ratio=seconds / mine)
        results.add(name, "all", loops_s=slow, venire_s=fast, ratio=slow / fast)
        print(f"| {name} | **all {len(cases)}** | {slow:.0f} | | {fast:.2f} | | **{slow / fast:.0f}** |", flush=True)
    print("\n\\* two of the ten outer folds, times five.")


def show_sharing(cases: Sequence[Case], wanted: dict[str, tuple[Any, Any]], results: Results) -> None:
    """The plain loops fit K(K − 1) inner models a setting and K outer ones; a trial of ours costs about one fit."""
    print("\n### Our own estimators in plain loops ÷ venire, one core\n")
    print("| table | family | plain fits | our trials | ceiling | measured | share | ceiling in rounds | share |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|")
    for name, (X, y) in wanted.items():
        table = as_table(X, y)
        plan = make_plan(table, folds=OUTER, seed=0)
        for case in cases:
            family = family_of(case, X.shape[1])
            settings = len(family.path(table))
            fits = OUTER * (OUTER - 1) * settings + OUTER
            pairs = [trial for trial in plan.trials if len(trial.test) == 2]
            plain = sum(naive_outcome(family, table, plan, trial).seconds for trial in pairs[:2])
            mine, _ = ours(family, table, jobs=1)
            ceiling = fits / len(plan.trials)
            measured = plain / (2 * settings) * fits / mine
            figures = f"{fits} | {len(plan.trials)} | {ceiling:.0f} | {measured:.0f} | {measured / ceiling:.0%}"
            in_rounds = "| | |"
            if case.rounds is not None:
                # All fits of a path against as many of the longest, which is what a trial of ours grows.
                lengths = [setting.params[case.rounds] for setting in family.path(table)]
                of_rounds = ceiling * float(np.mean(lengths)) / max(lengths)
                in_rounds = f"| {of_rounds:.0f} | {measured / of_rounds:.0%} |"
            print(f"| {name} | {case.name} | {figures} {in_rounds}", flush=True)
            results.add(f"{name}, sharing on one core", case.name, ceiling=ceiling, measured=measured)


def show_growth(cases: Sequence[Case], results: Results, *, quick: bool) -> None:
    """Processor time of one job against each size doubled, from a table of moderate size."""
    rows, columns, folds = (1_000 if quick else 8_000), 20, 8
    print(f"\n### Exponents of cost: each size doubled from {rows:,} × {columns}, {folds} folds, one core\n")
    print("| family | rows | columns | settings, from half | settings, to twice | folds |\n|---|--:|--:|--:|--:|--:|")
    base, wide, long = _made(rows, columns), _made(rows, 2 * columns), _made(2 * rows, columns)
    for case in cases:
        family = family_of(case, columns)
        more = None if case.more is None else family.with_path(case.more(columns))
        start, longer, wider, fewer, finer, *twice = _cpu(
            (family, base, folds),
            (family, long, folds),
            (family_of(case, 2 * columns), wide, folds),
            (family.with_path(case.settings(columns)[::2]), base, folds),
            (family, base, 2 * folds),
            *([] if more is None else [(more, base, folds)]),
        )
        found = {
            "rows": _exponent(start, longer),
            "columns": _exponent(start, wider),
            "settings_from_half": _exponent(fewer, start),
            "settings_to_twice": _exponent(start, twice[0]) if twice else None,
            "folds": _exponent(start, finer),
        }
        results.add("exponents of cost", case.name, **found)
        shown = ["—" if exponent is None else f"{exponent:.2f}" for exponent in found.values()]
        print(f"| {case.name} | {' | '.join(shown)} |", flush=True)
    print("\nBlocks: K + K(K − 1)/2 trials make 2 the natural exponent.")


def _made(rows: int, columns: int) -> Table:
    return as_table(*make_classification(rows, columns, n_informative=10, n_redundant=4, random_state=0))


def _cpu(*runs: tuple[Any, Table, int]) -> list[float]:
    """The least of several times of each. They take turns: what slows the machine for a while slows all of them.

    A job of a tenth of a second takes more turns to tell one exponent from another. Their order is drawn anew every
    turn: a run after one that wrote many files waits for the disk as well.
    """

    def once(family: Any, table: Table, folds: int) -> float:
        began = time.process_time()
        ours(family, table, folds, jobs=1)
        return time.process_time() - began

    found: list[list[float]] = [[] for _ in runs]
    order = np.random.default_rng(0)
    while len(found[0]) < 2 or sum(found[0]) < 3.0:
        for which in order.permutation(len(runs)):
            found[which].append(once(*runs[which]))
    return [min(times) for times in found]


def _exponent(before: float, after: float) -> float:
    return math.log2(after / before)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="2,000 rows of synthetic data, a minute of loops")
    parser.add_argument("--tables", nargs="*", help="only tables whose name begins like this")
    parser.add_argument("--families", nargs="*", help="only these families")
    parser.add_argument("--longest", type=float, help="time longer loops on two outer folds (600 s, if quick 60)")
    parser.add_argument("--parts", nargs="*", default=["loops", "sharing", "growth"])
    run = Run.of("speed-two-layer", parser)
    asked = run.asked
    longest = asked.longest or (60.0 if asked.quick else 600.0)
    warnings.simplefilter("ignore")  # convergence warnings of the loops, thousands of them
    os.environ["PYTHONWARNINGS"] = "ignore"
    cases = [case for case in CASES if not asked.families or case.family in asked.families]
    wanted = {
        name: data
        for name, data in tables(quick=asked.quick).items()
        if not asked.tables or any(name.startswith(start) for start in asked.tables)
    }
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}; {OUTER} outer folds, loops with {INNER} inner.")
    if "loops" in asked.parts:
        wake_workers()
        show_loops(cases, wanted, longest, run.results)
    if "sharing" in asked.parts:
        show_sharing(cases, wanted, run.results)
    if "growth" in asked.parts:
        show_growth(cases, run.results, quick=asked.quick)
    run.finish()


if __name__ == "__main__":
    main()
