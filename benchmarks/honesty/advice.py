"""What following the advice "take the simpler one" costs, for several practical differences.

    python benchmarks/honesty/advice.py [--data FOLDER] [--repetitions 3] [--jobs 1] [--results FILE]

A verdict names simpler families that the chosen one is not clearly better than: the probability of being better by more
than the practical difference is below 60 %. Here the practical difference is a share of the error of the baseline, or
the fixed 0.01 (numbers: a hundredth of the lowest error) that it was once. Whoever follows the advice takes the
simplest family named. The cost is its error on fresh rows above that of the chosen one, as a share of the error of the
baseline.

The share is chosen on the tables of CHOOSING, and shown on those of SHOWING, real tables of FOLDER with as many rows
for training and up to 6,000 fresh ones.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import venire
from benchmarks.honesty.problems import PROBLEMS, draw
from benchmarks.honesty.records import complete, read
from venire.verdict.leaderboard import CLEARLY, compared
from venire.verdict.simplicity import simpler_than

FIELDS = ("table", "seed")
MODELS = ("baseline", "naive_bayes", "tree", "linear", "logistic", "forest")
SHARES = (0.005, 0.01, 0.02, 0.03, 0.05)
FIXED = "fixed"
FRESH = 6000
ROWS = 600
RARE = ("mammography", "creditcard_fraud_10k")  # more rows, for there is little to count
CHOOSING = (
    "linear", "chi_square", "banana", "rare", "credit_g", "abalone", "bank_marketing", "yeast", "mammography",
    "creditcard_fraud_10k", "adult", "telco_churn", "letter", "california_housing", "diamonds",
)  # fmt: skip
SHOWING = ("titanic", "hypothyroid", "bike_sharing", "ames", "bemtpl97", "covertype", "soybean")
TARGETS = {
    "credit_g": "class", "abalone": "Rings", "bank_marketing": "y", "yeast": "localization_site",
    "mammography": "class", "creditcard_fraud_10k": "Class", "adult": "income", "telco_churn": "Churn",
    "letter": "class", "california_housing": "medianHouseValue", "diamonds": "price", "titanic": "Survived",
    "hypothyroid": "Class", "bike_sharing": "cnt", "ames": "price", "bemtpl97": "claim", "covertype": "Cover_Type",
    "soybean": "class",
}  # fmt: skip
DROPPED = {  # names of rows, and columns that say the target
    "telco_churn": ["customerID"], "yeast": ["sequence_name"], "bank_marketing": ["duration"],
    "titanic": ["PassengerId", "Name", "Ticket"], "bike_sharing": ["instant", "casual", "registered"],
    "ames": ["Order", "PID"], "bemtpl97": ["id", "nclaims", "amount", "average"],
}  # fmt: skip


def frames(name: str, rng: np.random.Generator, data: Path | None) -> tuple[pd.DataFrame, pd.DataFrame, str]:
    """Rows to compare on, fresh rows, and the name of the target."""
    if name in PROBLEMS:
        X, y = draw(name, ROWS // 2 + FRESH, rng)
        frame = pd.DataFrame(X).add_prefix("x").assign(target=np.where(y, "b", "a"))
        return frame[: ROWS // 2], frame[ROWS // 2 :], "target"
    assert data is not None
    file = next(path for path in (data / f"{name}.csv", data / f"{name}.parquet") if path.exists())
    frame = pd.read_csv(file) if file.suffix == ".csv" else pd.read_parquet(file)
    frame = frame.drop(columns=[c for c in DROPPED.get(name, ()) if c in frame])
    frame = frame.iloc[rng.permutation(len(frame))].reset_index(drop=True)
    rows = min(5 * ROWS if name in RARE else ROWS, len(frame) // 2)
    return frame[:rows], frame[rows : rows + FRESH], TARGETS[name]


def repetition(key: tuple[Any, ...]) -> dict[str, Any]:
    """One comparison: what is advised at each practical difference, and what all families lose on fresh rows."""
    name, seed, data = key
    rng = np.random.default_rng([0xAD71CE, seed])
    train, fresh, target = frames(name, rng, None if data is None else Path(data))
    with tempfile.TemporaryDirectory() as home, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        verdict = venire.compare(train, target, models=list(MODELS), folds=5, seed=seed, jobs=1, budget=None, home=home)
        judgement = verdict.judgement
        names = [c.name for c in judgement.candidates]
        chosen = judgement.procedure.chosen.name
        simpler = simpler_than(chosen, names)
        losses = {
            each: _loss(verdict.fit(each).predict(fresh), fresh[target]) for each in {chosen, *simpler, "baseline"}
        }
    posterior = compared(judgement.docket, judgement.candidates).posterior()  # as the finding has it
    errors = {c.name: c.error for c in judgement.candidates}
    fixed = 0.01 if judgement.docket.classes else 0.01 * min(errors.values())
    ropes = {FIXED: fixed, **{f"{share:g}": share * errors["baseline"] for share in SHARES}}
    ahead = {
        word: {
            each: posterior.compare(names.index(chosen), names.index(each), rope).p_better
            for each in (*simpler, chosen)
        }
        for word, rope in ropes.items()
    }
    measured = {each: errors[each] for each in losses}
    return {"table": name, "seed": seed, "chosen": chosen, "ahead": ahead, "measured": measured, "losses": losses}


def advised(record: dict[str, Any], word: str, clearly: float = CLEARLY) -> str:
    """The simplest family that the chosen one is not clearly better than, at one practical difference."""
    close = [each for each, p in record["ahead"][word].items() if p < clearly and each != record["chosen"]]
    return str(close[0] if close else record["chosen"])


def _loss(said: Any, truth: pd.Series) -> float:
    if truth.dtype.kind == "f" or truth.nunique() > 26:
        return float(np.sqrt(np.mean(np.square(np.asarray(said, dtype=float) - truth))))
    return float(np.mean(np.asarray(said).astype(str) != truth.astype(str)))


def print_advice(records: Sequence[dict[str, Any]]) -> None:
    """One line a table: how often the advice names a simpler family, and what that costs of the baseline's error."""
    words = (FIXED, *(f"{share:g}" for share in SHARES))
    print("| table | runs | chosen | " + " | ".join(["0.01 fixed", *(f"{share:.1%}" for share in SHARES)]) + " |")
    print("|---|--:|---|" + "--:|" * len(words))
    for group, tables in (("choosing", CHOOSING), ("showing", SHOWING)):
        costs: dict[str, list[float]] = {word: [] for word in words}
        for table in tables:
            part = [r for r in records if r["table"] == table]
            if not part:
                continue
            cells = []
            for word in words:
                paid = [
                    (r["losses"][advised(r, word)] - r["losses"][r["chosen"]]) / r["losses"]["baseline"] for r in part
                ]
                followed = sum(advised(r, word) != r["chosen"] for r in part)
                costs[word].append(float(np.mean(paid)))
                cells.append(f"{followed} of {len(part)}: {np.mean(paid):+.1%}")
            families = ", ".join(sorted({r["chosen"] for r in part}))
            print(f"| {table} | {len(part)} | {families} | {' | '.join(cells)} |")
        if costs[FIXED]:
            shown = " | ".join(f"{np.mean(costs[word]):+.1%}, worst {np.max(costs[word]):+.1%}" for word in words)
            print(f"| **{group}: mean cost** | | | {shown} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--results", type=Path, default=Path("build/honesty/advice.jsonl"))
    asked = parser.parse_args()
    data = None if asked.data is None else str(asked.data)
    tables = [name for name in (*CHOOSING, *SHOWING) if name in PROBLEMS or data is not None]
    there = {(r["table"], r["seed"]) for r in read(asked.results)}
    keys = [(name, seed, data) for seed in range(asked.repetitions) for name in tables]
    complete(asked.results, [key for key in keys if key[:2] not in there], (), repetition, asked.jobs)
    print_advice(read(asked.results))


if __name__ == "__main__":
    main()
