"""Copied rows and natural twins: is the reported error right on fresh rows?

    python benchmarks/honesty/copies.py [--data FOLDER] [--cases 'titanic;vote'] [--repetitions 20]
                                           [--jobs 1] [--results FILE] [--json FILE]

A part of a table is copied in the ways that copying happens (the table joined to itself, rows drawn again, the rare
class over-sampled before splitting), or not at all where rows are equal by nature. A random forest is validated in two
layers by the default (`together`), with copies apart, and with all equal rows in one fold, natural twins as well. Fresh
rows are the other half of a real table, or newly drawn; where the rare class was over-sampled they are weighted to the
class shares of the copied table. FOLDER has the real tables as files such as credit_g.csv with their targets below;
without it the generated ones are run alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.honesty.problems import as_table
from benchmarks.honesty.records import complete, read
from benchmarks.results import Run
from venire.data import Table, read_table
from venire.families.bucket import default_bucket, pick
from venire.validation import one_layer, two_layer
from venire.validation.plans.copies import copies, row_keys

Rows = NDArray[np.intp]
FIELDS = ("table", "seed")
FRESH = 4000
FOLDS = 5
REAL = {  # file, target, columns left out
    "credit_g": ("credit_g.csv", "class", ()),
    "titanic": ("titanic.csv", "Survived", ("PassengerId", "Name", "Ticket", "Cabin")),
    "titanic, 5 columns": ("titanic.csv", "Survived", ("PassengerId", "Name", "Ticket", "Cabin", "Age", "Fare")),
    "telco_churn, 10 columns": (
        "telco_churn.csv",
        "Churn",
        (
            *("customerID", "tenure", "MonthlyCharges", "TotalCharges", "MultipleLines", "OnlineSecurity"),
            *("OnlineBackup", "DeviceProtection", "StreamingTV", "StreamingMovies"),
        ),
    ),
    "vote": ("vote.csv", "Class", ()),
    "soybean": ("soybean.csv", "class", ()),
    "hypothyroid": ("hypothyroid.csv", "Class", ()),
}


def _grid(n: int, rng: np.random.Generator, columns: int, values: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Few discrete columns, all patterns equally frequent, and a target with noise."""
    X = rng.integers(0, values, (n, columns)).astype(float)
    strange = np.random.default_rng([columns, values]).random(values**columns) < 0.5  # every pattern has a class
    place = (X @ values ** np.arange(columns)).astype(int)
    return X, np.where(rng.random(n) < 0.2, rng.integers(0, 2, n), strange[place]).astype(np.int32)


def _survey(n: int, rng: np.random.Generator) -> tuple[NDArray[Any], NDArray[Any]]:
    """Twelve questions answered alike by people of one kind: columns that belong together."""
    kind = rng.integers(0, 4, n)
    usual = np.random.default_rng(7).integers(0, 3, (4, 12))
    X = np.where(rng.random((n, 12)) < 0.15, rng.integers(0, 3, (n, 12)), usual[kind]).astype(float)
    return X, ((kind % 2 == 1) ^ (rng.random(n) < 0.1)).astype(np.int32)


def _clouds(n: int, rng: np.random.Generator) -> tuple[NDArray[Any], NDArray[Any]]:
    y = (rng.random(n) < 0.2).astype(np.int32)
    return rng.standard_normal((n, 4)) + 0.8 * y[:, None], y


def _rounded(n: int, rng: np.random.Generator, decimals: int, columns: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """One number, rounded, and columns of two values that say nothing."""
    x = np.round(rng.standard_normal(n), decimals)
    X = np.column_stack([x, *rng.integers(0, 2, (columns, n))]).astype(float)
    return X, (x + 0.5 * rng.standard_normal(n) > 0).astype(np.int32)


DRAWN: dict[str, tuple[int, Callable[[int, np.random.Generator], tuple[NDArray[Any], NDArray[Any]]]]] = {
    "3 columns of 4 values": (300, lambda n, rng: _grid(n, rng, 3, 4)),
    "10 columns of 2 values": (600, lambda n, rng: _grid(n, rng, 10, 2)),
    "12 questions": (400, _survey),
    "4 numbers": (300, _clouds),
    "1 number, 2 decimals": (400, lambda n, rng: _rounded(n, rng, 2, 0)),
    "1 number, 3 decimals": (400, lambda n, rng: _rounded(n, rng, 3, 0)),
    "1 number, 2 decimals, 1 of 2 values": (400, lambda n, rng: _rounded(n, rng, 2, 1)),
}


def _twice(y: Rows, rng: np.random.Generator) -> Rows:
    return np.tile(np.arange(len(y)), 2)


def _some_again(y: Rows, rng: np.random.Generator) -> Rows:
    return np.concatenate([np.arange(len(y)), rng.integers(len(y), size=len(y) // 2)])


def _rare_three_times(y: Rows, rng: np.random.Generator) -> Rows:
    rare = np.flatnonzero(y == np.bincount(y).argmin())
    return np.concatenate([np.arange(len(y)), rare, rare])


def _balanced(y: Rows, rng: np.random.Generator) -> Rows:
    sizes = np.bincount(y)
    rare = np.flatnonzero(y == sizes.argmin())
    return np.concatenate([np.arange(len(y)), rng.choice(rare, sizes.max() - len(rare))])


def _as_it_is(y: Rows, rng: np.random.Generator) -> Rows:
    return np.arange(len(y))


CASES: dict[str, tuple[str, Callable[[Rows, np.random.Generator], Rows]]] = {
    "credit_g": ("credit_g", _as_it_is),
    "credit_g, twice": ("credit_g", _twice),
    "credit_g, half of it again": ("credit_g", _some_again),
    "credit_g, rare class three times": ("credit_g", _rare_three_times),
    "credit_g, rare class drawn until equal": ("credit_g", _balanced),
    "4 numbers, rare class drawn until equal": ("4 numbers", _balanced),
    "titanic, twice": ("titanic", _twice),
    "titanic, natural": ("titanic", _as_it_is),
    "vote, natural": ("vote", _as_it_is),
    "soybean, natural": ("soybean", _as_it_is),
    "hypothyroid, natural": ("hypothyroid", _as_it_is),
    "3 columns of 4 values, natural": ("3 columns of 4 values", _as_it_is),
    "10 columns of 2 values, natural": ("10 columns of 2 values", _as_it_is),
    "12 questions, natural": ("12 questions", _as_it_is),
    "titanic, 5 columns, natural": ("titanic, 5 columns", _as_it_is),
    "telco_churn, 10 columns, natural": ("telco_churn, 10 columns", _as_it_is),
    "1 number, 2 decimals, natural": ("1 number, 2 decimals", _as_it_is),
    "1 number, 2 decimals, half of it again": ("1 number, 2 decimals", _some_again),
    "1 number, 3 decimals, natural": ("1 number, 3 decimals", _as_it_is),
    "1 number, 3 decimals, half of it again": ("1 number, 3 decimals", _some_again),
    "1 number, 2 decimals, 1 of 2 values, natural": ("1 number, 2 decimals, 1 of 2 values", _as_it_is),
    "1 number, 2 decimals, 1 of 2 values, half of it again": ("1 number, 2 decimals, 1 of 2 values", _some_again),
}


def halves(name: str, rng: np.random.Generator, data: Path | None) -> tuple[Table, Table]:
    """Rows to validate on, and fresh ones."""
    if name in DRAWN:
        rows, draw = DRAWN[name]
        X, y = draw(rows + FRESH, rng)
        table, order = as_table(X, y), np.arange(rows + FRESH)
    else:
        assert data is not None
        file, target, drop = REAL[name]
        table = read_table(data / file, target, drop=list(drop))
        order = rng.permutation(table.rows)
        rows = table.rows // 2
    return table.take(order[:rows]), table.take(order[rows:])


def repetition(key: tuple[Any, ...]) -> dict[str, Any]:
    """One table of one case: what is reported, and what fresh rows say."""
    case, seed, data = key
    name, copying = CASES[case]
    rng = np.random.default_rng([0xC0B1E5, list(CASES).index(case), seed])
    part, fresh = halves(name, rng, None if data is None else Path(data))
    table = part.take(copying(part.y, rng))
    ((forest,), _) = pick(default_bucket(), ["forest"])
    patterns = np.unique(row_keys([*table.X.T, table.y], table.rows), return_inverse=True)[1].astype(np.int32)
    ways = {
        "together": table,
        "apart": replace(table, duplicates="apart"),
        "all equal": replace(table, groups=patterns),
    }
    found: dict[str, Any] = {"table": case, "seed": seed}
    for way, asked in ways.items():
        result = two_layer(forest, asked, folds=FOLDS, seed=seed)
        found[way] = [result.error, result.interval.low, result.interval.high]
    found["fresh"] = _on_fresh_rows(forest, part, fresh, copying, table, rng)
    found["twins"] = float((np.bincount(patterns)[patterns] > 1).mean())
    cases = copies(table)
    found["copied"] = 0.0 if cases is None else float((np.bincount(cases)[cases] > 1).mean())
    return found


def _on_fresh_rows(
    forest: Any, part: Table, fresh: Table, copying: Callable[..., Rows], table: Table, rng: np.random.Generator
) -> float:
    """The error of what the validated procedure does on as many rows, on rows with the class shares of the table.

    The procedure chooses its setting, in as many folds as the two layers have inside; a forest of one fixed setting
    would be another procedure with another error.
    """
    some = part.take(np.sort(rng.permutation(part.rows)[: round(part.rows * (1 - 1 / FOLDS))]))
    trained = some.take(copying(some.y, rng))
    chosen = one_layer(forest, trained, folds=FOLDS - 1, seed=0).chosen
    wrong = forest.refit(trained, forest.path(trained)[chosen], 0).predict(fresh.X) != fresh.y
    classes = 1 + int(max(table.y.max(), fresh.y.max()))
    shares = np.bincount(table.y, minlength=classes) / table.rows
    there = np.bincount(fresh.y, minlength=classes)
    return float(np.average(wrong, weights=(shares / np.maximum(there, 1))[fresh.y]))


def print_copies(records: Sequence[dict[str, Any]]) -> dict[tuple[str, str], dict[str, float | None]]:
    """One line a case, means over its tables; the figures by case and by whose they are."""
    figures: dict[tuple[str, str], dict[str, float | None]] = {}
    print(
        "| table | tables | rows with an equal | taken for copies | error on fresh rows | reported (default) "
        "| interval holds it | copies apart | all equal rows together |"
    )
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for case in CASES:
        part = [r for r in records if r["table"] == case]
        if not part:
            continue
        fresh = float(np.mean([r["fresh"] for r in part]))
        gap = np.array([r["together"][0] - r["fresh"] for r in part])
        noise = float(gap.std(ddof=1) / np.sqrt(len(part))) if len(part) > 1 else None
        held = np.mean([r["together"][1] <= fresh <= r["together"][2] for r in part])
        errors = {way: float(np.mean([r[way][0] for r in part])) for way in ("together", "apart", "all equal")}
        twins, copied = (float(np.mean([r[name] for r in part])) for name in ("twins", "copied"))
        print(
            f"| {case} | {len(part)} | {twins:.0%} | {copied:.0%} | {fresh:.3f} "
            f"| {errors['together']:.3f}{'' if noise is None else f' ± {noise:.3f}'} | {held:.0%} "
            f"| {errors['apart']:.3f} | {errors['all equal']:.3f} |"
        )
        figures[case, "venire"] = {
            "tables": len(part),
            "rows_with_an_equal": twins,
            "taken_for_copies": copied,
            "fresh_error": fresh,
            "reported": errors["together"],
            "standard_error_of_the_gap": noise,
            "interval_holds_it": float(held),
        }
        figures[case, "copies apart"] = {"reported": errors["apart"]}
        figures[case, "all equal rows together"] = {"reported": errors["all equal"]}
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--cases", default="", help="those whose name begins with one of these, with ; between")
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--results", type=Path, default=Path("build/honesty/copies.jsonl"))
    run = Run.of("honesty-copies", parser, free=("data", "jobs", "results"))
    asked = run.asked
    data = None if asked.data is None else str(asked.data)
    wanted = tuple(asked.cases.split(";"))
    cases = [case for case, (name, _) in CASES.items() if name in DRAWN or data is not None]
    cases = [case for case in cases if case.startswith(wanted)]
    keys = [(case, seed, data) for seed in range(asked.repetitions) for case in cases]
    there = {(r["table"], r["seed"]) for r in read(asked.results)}
    complete(asked.results, [key for key in keys if key[:2] not in there], (), repetition, asked.jobs)
    for (case, subject), figures in print_copies(read(asked.results)).items():
        run.results.add(case, subject, **figures)
    run.finish()


if __name__ == "__main__":
    main()
