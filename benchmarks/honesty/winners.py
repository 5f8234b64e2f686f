"""No false winners: learners that err equally often must not be called different.

    python -m benchmarks.honesty.winners [--repetitions 1000] [--first-seed 0] [--problems all] [--jobs 1]
                                         [--results FILE]

Three settings of equal true error, by symmetry or because there is nothing to learn:

* `mirror`: the target depends on two attributes alike; each member sees one of the two (and columns of noise);
* `noise`: baseline, naive Bayes, nearest neighbours and ridge on pure noise: all err on half of the rows;
* `rare noise`: the same with one positive row in five, and only learners that guess at the same rate compared: the
  members are nearest neighbours with different columns.

For every pair (A, B) it is counted how often P(A better than B) > 0.95. In at most 5 % that may happen by chance; how
often it happens to any pair of a table is printed too.
"""

from __future__ import annotations

import argparse
from collections import Counter
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.honesty.jury import Scene, jury
from benchmarks.honesty.problems import as_table
from benchmarks.honesty.records import complete, read
from benchmarks.results import Run
from venire.inference import joint_posterior, probability_best
from venire.validation.plans.folds import make_plan
from venire.validation.plans.plan import Plan

SIZES = (50, 200, 1000)
SURE = 0.95
FIELDS = ("problem", "n", "seed")

Losses = dict[str, list[float]]


def mirror(n: int, rng: np.random.Generator, seed: int) -> Losses:
    """Ridge, nearest neighbours and naive Bayes, each on either of two halves that mean the same."""
    halves = rng.standard_normal((n, 6))
    y = (halves[:, 0] + halves[:, 3] + rng.standard_normal(n) > 0).astype(np.int32)
    found: Losses = {}
    for name, columns in (("left", slice(0, 3)), ("right", slice(3, 6))):
        for member, losses in _one_setting(halves[:, columns], y, seed, ("naive_bayes", "knn", "linear")).items():
            found[f"{member} {name}"] = losses
    return found


def noise(n: int, rng: np.random.Generator, seed: int) -> Losses:
    """A fair coin."""
    members = ("baseline", "naive_bayes", "knn", "linear")
    return _one_setting(rng.standard_normal((n, 5)), rng.integers(0, 2, n, dtype=np.int32), seed, members)


def rare_noise(n: int, rng: np.random.Generator, seed: int) -> Losses:
    """A coin that falls on one side in one case of five, and the same learner with other columns."""
    y = np.zeros(n, dtype=np.int32)
    while y.min() == y.max():
        y = (rng.random(n) < 0.2).astype(np.int32)
    X = rng.standard_normal((n, 9))
    return {f"knn {at}": _one_setting(X[:, at::3], y, seed, ("knn",))["knn"] for at in range(3)}


PROBLEMS = {"mirror": mirror, "noise": noise, "rare noise": rare_noise}


def _one_setting(X: NDArray[np.float64], y: NDArray[np.int32], seed: int, members: tuple[str, ...]) -> Losses:
    """Fold losses of each member at the last setting of its path: nothing is chosen, so errors are truly equal."""
    table = as_table(X, y)
    plan = make_plan(table, seed=seed)
    trials = [plan.outer(0, i).trial for i in range(plan.folds)]
    scene = Scene.of(table.X, table.y, plan.fold_of[0], trials)
    return {member.name: _errors(scene, plan, member.outcomes, -1) for member in jury(scene, len(y), members)}


def _errors(scene: Scene, plan: Plan, outcomes: Any, setting: int) -> list[float]:
    found = []
    for trial, outcome in outcomes.items():
        wrong = outcome.labels[setting] != scene.y[scene.rows(trial.test)]
        found.append(round(float(wrong.mean()), 6))
    return found


def repetition(key: tuple[Any, ...]) -> dict[str, Any]:
    """One table."""
    problem, n, seed = key
    rng = np.random.default_rng([1000 + list(PROBLEMS).index(problem), n, seed])
    return {"problem": problem, "n": n, "seed": seed, "losses": PROBLEMS[problem](n, rng, seed)}


def equal_pairs(problem: str, names: list[str]) -> list[tuple[str, str]]:
    """The ordered pairs whose members err equally often."""
    pairs = list(permutations(names, 2))
    return [(a, b) for a, b in pairs if problem != "mirror" or a.split()[0] == b.split()[0]]


def print_cells(records: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Every cell: the worst pair, and how often any pair is called different; as shares of the tables."""
    parted: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for record in records:
        parted.setdefault((record["problem"], record["n"]), []).append(record)
    print("| problem | rows | tables | pairs | worst pair, P(A better) > 0.95 | any pair | called best with P > 0.95 |")
    print("|---|---|---|---|---|---|---|")
    kept = True
    found: dict[str, dict[str, float]] = {}
    for (problem, n), part in parted.items():
        false: Counter[tuple[str, str]] = Counter()
        any_pair = best_called = 0
        for record in part:
            names = list(record["losses"])
            losses = np.array([record["losses"][name] for name in names])
            posterior = joint_posterior(losses, 1 / (losses.shape[1] - 1))
            pairs = equal_pairs(problem, names)
            called = [(a, b) for a, b in pairs if posterior.compare(names.index(a), names.index(b)).p_better > SURE]
            false.update(called)
            any_pair += bool(called)
            best, _ = probability_best(losses, 1 / 9, np.random.default_rng(record["seed"]), draws=2000)
            best_called += bool(best.max() > SURE)
        worst, times = false.most_common(1)[0] if false else (("none", "none"), 0)
        counted = {"worst_pair": times, "any_pair": any_pair, "called_best": best_called}
        found[f"{problem}, {n:,} rows"] = {name: count / len(part) for name, count in counted.items()}
        kept &= times / len(part) <= 1 - SURE
        shown = f"{worst[0]} against {worst[1]}: {100 * times / len(part):.1f} %"
        share = f"{100 * any_pair / len(part):.1f} % | {100 * best_called / len(part):.1f} %"
        print(f"| {problem} | {n:,} | {len(part):,} | {len(pairs)} | {shown} | {share} |")
    print(f"\nAt most 5 % of tables for every pair: {'yes' if kept else 'no'}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=1000)
    # A rule that was settled looking at some seeds is checked on others.
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--problems", nargs="+", choices=list(PROBLEMS), default=list(PROBLEMS))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--results", type=Path, default=Path("build/honesty/winners.jsonl"))
    run = Run.of("honesty-winners", parser, free=["jobs", "results"])
    asked = run.asked
    seeds = range(asked.first_seed, asked.first_seed + asked.repetitions)
    keys = [(p, n, seed) for seed in seeds for p in asked.problems for n in SIZES]
    complete(asked.results, keys, FIELDS, repetition, asked.jobs)
    wanted = set(keys)
    for job, shares in print_cells([r for r in read(asked.results) if tuple(r[f] for f in FIELDS) in wanted]).items():
        run.results.add(job, "venire", **shares)
    run.finish()


if __name__ == "__main__":
    main()
