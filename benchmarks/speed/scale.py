"""One machine to its limits, as one table: start, buckets, jobs, reading, growth, memory, what is larger than it.

    python -m benchmarks.speed.scale [--parts start bucket …] [--again] [--list] [--large 100000000]

Every line is kept in build/scale.jsonl as soon as it is measured: an interrupted run goes on, parts can be run one by
one, and the table is of all that is there. `--again` measures the lines of these parts anew. Seconds are by the wall
clock; on a machine that others use, too, look at `processor` (of all processes) and `waited` (how long the first thread
was ready and had no core). Large tables are made below `--scratch`: 24 GB for a hundred million rows.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.honesty.records import read
from benchmarks.measured import compile_first
from benchmarks.results import ROOT, Run
from benchmarks.speed import reading
from benchmarks.speed.scale_parts import MILLION, Figures, Places, Step, child, command, compared, made, stored

_TEN = 10 * MILLION
Records = dict[tuple[str, str], Figures]


@dataclass(frozen=True)
class Ratio:
    """A figure over another."""

    part: str
    case: str
    over: tuple[str, str, str]  # part, case, figure
    under: tuple[str, str, str]
    bar: float
    at_least: bool = False

    def value(self, records: Records) -> float | None:
        """None as long as one of them is missing."""
        top, bottom = (records.get(key[:2], {}).get(key[2]) for key in (self.over, self.under))
        return None if not top or not bottom else float(top) / float(bottom)


def steps(large: int) -> list[Step]:
    """All that is measured, what takes long last."""
    millions = f"{large // MILLION} M × 28"
    none = ("--budget", "none")
    bucket = {"credit_g": ("credit_g.csv", "class", 10), "telco_churn": ("telco_churn.csv", "Churn", 45)}
    bucket["adult"] = ("adult.parquet", "income", 240)
    return [
        Step("start", "import venire", functools.partial(_often, ["-c", "import venire; print('{}')"]), "wall", 0.3),
        Step("start", "venire --version", functools.partial(_often, ["-m", "venire", "--version"]), "wall", 0.15),
        Step("start", "credit_g, --budget 1", compared("credit_g.csv", "class", "--budget", "1"), "wall", 2.0),
        *(Step("bucket", name, compared(file, y, *none), "wall", bar) for name, (file, y, bar) in bucket.items()),
        *(
            Step("jobs", f"{name}, {jobs}", compared(*bucket[name][:2], *none, "--jobs", str(jobs)), "trials")
            for name in ("credit_g", "adult")
            for jobs in (1, 2)
        ),
        *(Step("reading", file, functools.partial(_read, file), "ratio", 1.5) for file in reading.FILES),
        *(
            Step("growth", which, functools.partial(_module, "growing_sizes", [which]), "exponent", bar)
            for which, bar in (("rows", 1.1), ("columns", 1.1), ("classes", 1.1), ("folds", 2.1))
        ),
        Step("neighbour", "venire", child("neighbour", "venire"), "beside"),
        Step("neighbour", "LightGBM", _with_peers("neighbour", "lightgbm"), "beside"),
        Step("memory", "1 M × 28, default bucket", compared("", "y", "--budget", "300", large=MILLION), "peak_gb", 4.0),
        Step("large", "10 M × 28 in memory", child("fit-memory", str(_TEN), "."), "fit"),
        Step("large", "10 M × 28 from the store", stored("fit-store", _TEN), "fit"),
        Step("large", "10 M × 28, XGBoost, external memory", _xgboost(_TEN), "fit"),
        Step("large", "sums of 30 M rows", stored("sums", 30 * MILLION), "tree_6_less", 0.001),
        Step("large", f"{millions} from the store", stored("fit-store", large), "fit", 900),
        Step("large", f"sums of {large // MILLION} M rows", stored("sums", large), "tree_6_less", 0.001),
        Step("verdict", "covertype", compared("covertype.parquet", "Cover_Type", "--budget", "600"), "wall", 630),
        Step("verdict", "5 M × 28", compared("", "y", "--budget", "600", large=5 * MILLION), "wall", 630),
        Step("verdict", millions, _an_hour(large), "wall", 3600),
    ]


def ratios() -> list[Ratio]:
    """Figures of two steps."""
    stored_ten = ("large", "10 M × 28 from the store", "fit")
    ours = ("large", "10 M × 28 in memory", "fit")
    xgboost = ("large", "10 M × 28, XGBoost, external memory", "fit")
    trials = {name: [("jobs", f"{name}, {jobs}", "trials") for jobs in (1, 2)] for name in ("credit_g", "adult")}
    return [
        *(Ratio("jobs", f"{name}, 1 ÷ 2", one, two, 1.7, at_least=True) for name, (one, two) in trials.items()),
        Ratio("large", "10 M, store ÷ memory", stored_ten, ours, 1.3),
        Ratio("large", "10 M, XGBoost ÷ store", xgboost, stored_ten, 2, at_least=True),
        *(
            Ratio("neighbour", f"{who}, beside ÷ alone", ("neighbour", who, "beside"), ("neighbour", who, "alone"), 2.0)
            for who in ("venire", "LightGBM")
        ),
    ]


def _often(words: list[str], places: Places) -> Figures:
    """The quickest of seven."""
    from benchmarks.measured import measured

    return min((measured([sys.executable, *words]).figures for _ in range(7)), key=lambda one: one["wall"])


def _module(name: str, given: Sequence[str], places: Places) -> Figures:
    ended, found = command([sys.executable, "-m", f"benchmarks.speed.{name}", *given], places.scratch / "home")
    return {**found, **ended.figures}


def _read(file: str, places: Places) -> Figures:
    """Seconds of the quicker of two turns of each, and the same of processor time."""
    folder = places.scratch / "reading"
    reading.write(folder, MILLION)
    turns = {who: [_module("reading", [who, str(folder / file)], places) for _ in range(2)] for who in WHO}
    best = {who: {of: min(one[of] for one in turns[who]) for of in ("seconds", "of_processor")} for who in WHO}
    ratios = {of: best["venire"][of] / best["duckdb"][of] for of in ("seconds", "of_processor")}
    figures = {f"{who}_{of}": seconds for who in WHO for of, seconds in best[who].items()}
    return {**figures, "ratio": ratios["seconds"], "ratio_of_processor": ratios["of_processor"]}


WHO = ("duckdb", "venire")


def _with_peers(job: str, *given: str) -> Callable[[Places], Figures]:
    def work(places: Places) -> Figures:
        if places.peers is None:
            raise RuntimeError("needs a Python with LightGBM and XGBoost (--peers)")
        return child(job, *given, python=places.peers)(places)

    return work


def _xgboost(rows: int) -> Callable[[Places], Figures]:
    def work(places: Places) -> Figures:
        made(places, "write-store", rows, places.store(rows))
        return _with_peers("xgboost", str(rows), str(places.store(rows)))(places)

    return work


def _an_hour(large: int) -> Callable[[Places], Figures]:
    models = "boosting,forest,linear,naive_bayes"
    return compared("", "y", "--budget", "none", "--models", models, "--folds", "3", large=large)


def _line(part: str, case: str, value: Any, bar: float | None, at_least: bool, record: Figures) -> str:
    if "failed" in record:
        return f"| {part} | {case} | – | | | | | | {record['failed']} |"
    holds = "" if bar is None else "yes" if (value >= bar if at_least else value <= bar) else "**no**"
    wanted = "" if bar is None else f"{'≥' if at_least else '≤'} {bar:g}"
    figures = [f"{record[name]:.4g}" if name in record else "" for name in ("processor", "waited", "peak_gb", "load")]
    return f"| {part} | {case} | {value:.4g} | {wanted} | {holds} | {' | '.join(figures)} |"


def show(records: Records, large: int) -> None:
    """The table of all that is there."""
    print("\n| part | | figure | bar | holds | processor, s | waited, s | peak, GB | load |")
    print("|---|---|--:|--:|---|--:|--:|--:|--:|")
    for step in steps(large):
        if step.key in records:
            record = records[step.key]
            value = record.get(step.figure)
            print(_line(step.part, f"{step.case}: {step.figure}", value, step.bar, step.at_least, record))
    for ratio in ratios():
        if (value := ratio.value(records)) is not None:
            print(_line(ratio.part, ratio.case, value, ratio.bar, ratio.at_least, {}))
    digests = {records.get(("large", f"10 M × 28 {how}"), {}).get("digest") for how in ("in memory", "from the store")}
    if None not in digests:
        print(f"| large | 10 M, same predictions | | | {'yes' if len(digests) == 1 else '**no**'} | | | | |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", nargs="*", help="by default all")
    parser.add_argument("--cases", nargs="*", help="of these parts only the cases with one of these words")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--list", action="store_true", help="what there is, and what is measured")
    parser.add_argument("--large", type=int, default=100 * MILLION, help="rows of the largest table")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("VENIRE_BENCH_DATA", ROOT.parent / "shared")))
    parser.add_argument("--scratch", type=Path, default=ROOT / "build/scale")
    parser.add_argument("--peers", help="a Python with LightGBM and XGBoost, such as .venv-peers/bin/python")
    parser.add_argument("--results", type=Path, default=ROOT / "build/scale.jsonl")
    run = Run.of("speed-scale", parser, free=("data", "scratch", "results", "again", "list", "peers"))
    asked = run.asked
    asked.scratch.mkdir(parents=True, exist_ok=True)
    places = Places(asked.data / "data", asked.scratch, asked.peers)
    if not asked.list:
        compile_first()
    records: Records = {(one["part"], one["case"]): one for one in read(asked.results)}
    for step in steps(asked.large):
        wanted = asked.parts is None or step.part in asked.parts
        wanted = wanted and (asked.cases is None or any(word in step.case for word in asked.cases))
        there = step.key in records and "failed" not in records[step.key]
        if asked.list:
            print(f"{step.part:10} {step.case:40} {'measured' if there else ''}")
        elif wanted and (asked.again or not there):
            records[step.key] = _done(step, places, asked.results)
    show(records, asked.large)
    for key, record in records.items():
        numbers = {name: float(value) for name, value in record.items() if isinstance(value, int | float)}
        run.results.add(f"{key[0]}: {key[1]}", "venire", **numbers)
    run.finish()


def _done(step: Step, places: Places, results: Path) -> Figures:
    print(f"{step.part}: {step.case} …", file=sys.stderr, flush=True)
    try:
        found = step.work(places)
    except (RuntimeError, ValueError, OSError) as error:
        found = {"failed": str(error)}
    record = {"part": step.part, "case": step.case, **found}
    with results.open("a") as file:
        file.write(json.dumps(record) + "\n")
    return record


if __name__ == "__main__":
    main()
