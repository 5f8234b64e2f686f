"""How good a model is that a time buys: venire, AutoGluon, FLAML, CatBoost and LightGBM at the same seconds.

    python -m benchmarks.accuracy.peers [--data FOLDER] [--budgets 30 60 300] [--splits 3] [--systems …] [--tables …]

Every system gets 70 % of a table's rows, a target and a budget, on two cores, one system at a time. What it hands over
predicts the other 30 %: log loss for classes, RMSE for numbers. Time counts from the start of its process to a model
that can predict. Peers live in environments of their own (`--environments`), made by pip when missing.

A rank is among the systems of one table, split and budget. Regret is 0 for the best of them and 1 for the baseline,
which predicts class shares or the mean. Defaults of venire were chosen on some of the tables; the others are the proof,
and both are printed.

Whether a reported interval held is said twice. *held*: the loss of the other rows lies in it. These rows are a sample
too, and their mean would miss the truth where it is known exactly: *agreed* is whether reported and found differ by no
more than both noises together, the half of the interval on that side and 1.96 standard errors of the other rows, as
squares add up. Where misses of both are on one side there is a bias, and *better* is the share of losses below what was
reported. The error of venire is that of models of all folds but one, and what is handed over is fitted on all rows: the
record has where its learning curve leads at all rows, too (`all_rows`).
 Results are lines of JSON (`--results`), one a system, table, split and budget, written when it is
known, with the version of the system and the load of the machine: what is there is not run again.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.honesty.records import Key, Record, complete, read
from benchmarks.results import Run

ROOT = Path(__file__).parents[2]
CHILD = Path(__file__).with_name("peers_child.py")
FIELDS = ("system", "table", "split", "budget")
SYSTEMS = ("venire", "autogluon_medium", "autogluon_best", "flaml", "catboost", "lightgbm")
ENVIRONMENT = {"autogluon_medium": "autogluon", "autogluon_best": "autogluon", "catboost": "boosters"}
ENVIRONMENT |= {"lightgbm": "boosters", "flaml": "flaml"}
PACKAGES = {
    "autogluon": ("autogluon.tabular[lightgbm,catboost,xgboost,fastai]", "pyarrow"),
    "flaml": ("flaml[automl]", "pandas", "pyarrow"),
    "boosters": ("catboost", "lightgbm", "scikit-learn", "pandas", "pyarrow"),
}
# No default of venire was chosen by a look at these.
HELD_BACK = (
    "ames.parquet", "banknote_authentication.csv", "birthdays.parquet", "credit_g.csv", "hypothyroid.csv",
    "penguins.csv", "telco_churn.csv", "yeast.csv",
)  # fmt: skip
TOO_SMALL = 100  # rows: a test part of thirty rows tells nothing
TRAINING = 0.7
_LEVEL = 1.96  # standard errors: of 95 %
_FIGURES = ("rank", "regret", "beaten_by_venire", "latest", "held", "agreed", "better", "contests", "load")
LATE = 30.0  # seconds over the budget after which a system is stopped


def tables_in(folder: Path) -> dict[str, dict[str, Any]]:
    """The tables of a folder with a manifest, but for the smallest."""
    listed = json.loads((folder / "manifest.json").read_text())
    by_name = listed if isinstance(listed, dict) else {entry["file"]: entry for entry in listed}
    return {name: entry for name, entry in sorted(by_name.items()) if entry["rows"] >= TOO_SMALL}


def interpreter(system: str, environments: Path) -> Path | None:
    """The Python that has the system; None when it cannot be installed."""
    name = ENVIRONMENT.get(system)
    if name is None:
        return Path(sys.executable)
    python, stamp = environments / name / "bin/python", environments / name / ".installed"
    if not stamp.exists():  # an installation that was cut off is begun again
        subprocess.run([sys.executable, "-m", "venv", str(environments / name)], check=True)
        installed = subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES[name]])
        if installed.returncode:
            return None
        stamp.touch()
    return python


def split(folder: Path, name: str, entry: dict[str, Any], seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Training and test rows, drawn at random; every class has a training row."""
    path = folder / name
    frame = pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
    frame = frame.drop(columns=[column for column in entry.get("drop") or () if column in frame])
    frame = frame[frame[entry["target"]].notna()].reset_index(drop=True)
    order = np.random.default_rng([7, seed]).permutation(len(frame))
    cut = round(TRAINING * len(frame))
    train, test = frame.iloc[order[:cut]], frame.iloc[order[cut:]]
    if entry["task"] != "regression":
        test = test[test[entry["target"]].isin(train[entry["target"]].unique())]
    return train.reset_index(drop=True), test.reset_index(drop=True)


class Contest:
    """One system on one split of one table."""

    def __init__(self, data: Path, tables: dict[str, dict[str, Any]], pythons: dict[str, Path]) -> None:
        self.data, self.tables, self.pythons = data, tables, pythons

    def __call__(self, key: Key) -> Record:
        system, name, seed, budget = key
        entry = self.tables[name]
        train, test = split(self.data, name, entry, seed)
        load = os.getloadavg()[0]  # of the minute before, in which another system may have kept both cores busy
        classes = entry["task"] != "regression"
        with tempfile.TemporaryDirectory() as folder:
            train.to_parquet(Path(folder) / "train.parquet")
            test.drop(columns=entry["target"]).to_parquet(Path(folder) / "test.parquet")
            job = {"system": system, "target": entry["target"], "classes": classes, "budget": budget, "seed": seed}
            (Path(folder) / "job.json").write_text(json.dumps(job | {"started": time.time()}))
            failed = _run([str(self.pythons[system]), str(CHILD), folder], folder, budget + LATE + 60)
            said = Path(folder) / "said.json"
            found: dict[str, Any] = (
                json.loads(said.read_text()) if said.exists() else {"failed": failed or "nothing was written"}
            )
            predicted = np.load(Path(folder) / "said.npy") if "failed" not in found else None
        truth = test[entry["target"]]
        loss, noise = (None, None) if predicted is None else _loss(predicted, truth, found.get("labels"))
        record = dict(zip(FIELDS, key, strict=True)) | {"loss": loss, "baseline": _baseline(train, truth, classes)}
        record["noise"] = noise
        record |= {"cores": os.cpu_count(), "load": round(load, 2)}
        known = ("seconds", "reported", "low", "high", "folds", "all_rows", "chosen", "version", "failed")
        return record | {name: found[name] for name in known if name in found}


def _run(command: list[str], folder: str, limit: float) -> str | None:
    try:
        ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return f"no model after {limit:.0f} s"
    return None if ran.returncode == 0 else (ran.stderr.strip().splitlines() or ["it died"])[-1][:300]


def _loss(predicted: np.ndarray, truth: pd.Series, labels: list[str] | None) -> tuple[float, float]:
    """Log loss of probabilities in the order of the labels, or RMSE; with its standard error, as rows were drawn."""
    if labels is None:
        squares = (predicted - truth.to_numpy(float)) ** 2
        error = float(np.sqrt(squares.mean()))
        return error, _standard_error(squares) / (2 * error) if error else 0.0
    place = {label: at for at, label in enumerate(labels)}
    at = np.array([place[str(value)] for value in truth])
    shares = predicted / predicted.sum(axis=1, keepdims=True)
    surprise = -np.log(np.clip(shares[np.arange(len(at)), at], 1e-7, 1.0))
    return float(surprise.mean()), _standard_error(surprise)


def _standard_error(losses: np.ndarray) -> float:
    return float(losses.std(ddof=1) / np.sqrt(len(losses)))


def _baseline(train: pd.DataFrame, truth: pd.Series, classes: bool) -> float:
    target = train[truth.name]
    if not classes:
        return float(np.sqrt(np.mean((truth.to_numpy(float) - float(target.mean())) ** 2)))
    shares = target.astype(str).value_counts(normalize=True)
    return float(-np.log(shares[truth.astype(str)].to_numpy()).mean())


def undisturbed(path: Path, most: float | None) -> None:
    """Leave out of a file of results what was measured next to more load than this, so that it is run again."""
    found = read(path)
    kept = [record for record in found if most is None or record["load"] <= most]
    if len(kept) < len(found):
        path.write_text("".join(json.dumps(record, separators=(",", ":")) + "\n" for record in kept))
        print(f"{len(found) - len(kept)} of {len(found)} rows were measured next to others: again", file=sys.stderr)


def summary(records: Sequence[Record], held_back: Sequence[str]) -> list[dict[str, Any]]:
    """For every budget and set of tables: mean rank, mean regret, wins of venire, and the time over the budget."""
    lines = []
    for budget in sorted({record["budget"] for record in records}):
        for part in ("all", "chosen on", "held back"):
            some = [r for r in records if r["budget"] == budget and _of_part(r["table"], part, held_back)]
            lines += _of_systems(some, budget, part)
    return lines


def _of_part(table: str, part: str, held_back: Sequence[str]) -> bool:
    return part == "all" or (table in held_back) == (part == "held back")


def _of_systems(records: Sequence[Record], budget: float, part: str) -> list[dict[str, Any]]:
    contests: dict[tuple[str, int], dict[str, Record]] = defaultdict(dict)
    for record in records:
        contests[record["table"], record["split"]][record["system"]] = record
    systems = sorted({record["system"] for record in records})
    whole = [c for c in contests.values() if len(c) == len(systems)]
    ranks: dict[str, list[float]] = defaultdict(list)
    regrets: dict[str, list[float]] = defaultdict(list)
    for contest in whole:
        losses = {s: _or_baseline(contest[s]) for s in systems}
        best, base = min(losses.values()), contest[systems[0]]["baseline"]
        for s, loss in losses.items():
            below, equal = sum(x < loss for x in losses.values()), sum(x == loss for x in losses.values())
            ranks[s].append(below + (equal + 1) / 2)
            regrets[s].append((loss - best) / (base - best) if base > best else 0.0)
    return [
        {
            "budget": budget,
            "tables": part,
            "system": s,
            "contests": len(whole),
            "rank": float(np.mean(ranks[s])),
            "regret": float(np.mean(regrets[s])),
            "beaten_by_venire": float(np.mean([_or_baseline(c["venire"]) < _or_baseline(c[s]) for c in whole])),
            "latest": float(max((c[s].get("seconds", np.nan) - budget for c in whole), default=np.nan)),
            "failed": sum("failed" in c[s] for c in whole),
            "load": float(np.mean([c[s].get("load", np.nan) for c in whole])),
            "held": _share([c[s]["low"] <= c[s]["loss"] <= c[s]["high"] for c in whole if _told(c[s], "low")]),
            "agreed": _share([_agreed(c[s]) for c in whole if _told(c[s], "low", "noise")]),
            "better": _share([c[s]["loss"] < c[s]["reported"] for c in whole if _told(c[s], "reported")]),
        }
        for s in systems
        if whole and all("venire" in c for c in whole)
    ]


def _or_baseline(record: Record) -> float:
    """A system that fails hands over nothing better than the baseline."""
    return float(record["baseline"] if record["loss"] is None else record["loss"])


def _told(record: Record, *figures: str) -> bool:
    return all(record.get(figure) is not None for figure in ("loss", *figures))


def _agreed(record: Record) -> bool:
    """Whether what was reported and what was found differ by no more than both noises together."""
    side = record["high"] if record["loss"] > record["reported"] else record["low"]
    reach = np.hypot(side - record["reported"], _LEVEL * record["noise"])
    return bool(abs(record["loss"] - record["reported"]) <= reach)


def _share(held: list[bool]) -> float | None:
    return float(np.mean(held)) if held else None


def print_table(lines: Sequence[dict[str, Any]]) -> None:
    """The summary in 80 columns."""
    heads = f"{'n':>2} {'rank':>4} {'regret':>6} {'beaten':>6} {'late':>5} {'load':>4} held agree below"
    print(f"{'s':>3} {'tables':9} {'system':16} {heads}")
    for line in lines:
        held, agreed, better = (
            "" if line[name] is None else f"{line[name]:.0%}" for name in ("held", "agreed", "better")
        )
        whose = f"{line['budget']:>3g} {line['tables']:9} {line['system']:16} {line['contests']:>2}"
        how_good = f"{line['rank']:>4.2f} {line['regret']:>6.4f} {line['beaten_by_venire']:>6.0%}"
        print(f"{whose} {how_good} {line['latest']:>+5.1f} {line['load']:>4.1f} {held:>4} {agreed:>5} {better:>5}")


def main() -> None:
    """Run what is missing, and print the summary."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data")
    parser.add_argument("--budgets", type=float, nargs="+", default=[30.0, 60.0, 300.0])
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--systems", nargs="+", default=list(SYSTEMS))
    parser.add_argument("--tables", nargs="+")
    parser.add_argument("--environments", type=Path, default=ROOT / ".peers")
    parser.add_argument("--results", type=Path, default=ROOT / "benchmarks/results/accuracy-peers/rows.jsonl")
    parser.add_argument("--most-load", type=float, help="measure again what was measured next to more load than this")
    run = Run.of("accuracy-peers", parser, free=("data", "environments", "results", "most_load"))
    asked = run.asked
    if not (asked.data / "manifest.json").exists():
        sys.exit(f"there are no tables in {asked.data}: nothing is measured (--data names another folder)")
    tables = tables_in(asked.data)
    chosen = [name for name in tables if asked.tables is None or name.split(".")[0] in asked.tables]
    found = {system: interpreter(system, asked.environments) for system in asked.systems}
    for system in [system for system, python in found.items() if python is None]:
        print(f"{system} cannot be installed here, and is left out", file=sys.stderr)
    pythons = {system: python for system, python in found.items() if python is not None}
    keys = [(s, t, i, b) for b in asked.budgets for i in range(asked.splits) for t in chosen for s in pythons]
    undisturbed(asked.results, asked.most_load)
    complete(asked.results, keys, FIELDS, Contest(asked.data, tables, pythons), 1)
    wanted = set(keys)
    lines = summary([r for r in read(asked.results) if tuple(r[f] for f in FIELDS) in wanted], HELD_BACK)
    print_table(lines)
    for line in lines:
        figures = {name: line[name] for name in _FIGURES}
        run.results.add(f"{line['budget']:g} s, {line['tables']}", line["system"], **figures)
    run.finish()


if __name__ == "__main__":
    main()
