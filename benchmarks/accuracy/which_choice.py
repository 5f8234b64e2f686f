"""What should be handed over: the best member, a vote, a stack or a blend? By regret on tables, chosen on some.

    python -m benchmarks.accuracy.which_choice [--data FOLDER] [--rows 4000] [--metric log_loss|error] [--home FOLDER]

Every table (4,000 rows of it) is validated once in two layers by the quick families, forests and all recipes of
boosting. Then each rule makes its choice for every outer fold on the inner folds, and is judged on the outer one: what
`compare` does, without a further fit. Regret is 0 for the best rule of a table and 1 for the baseline. Tables that
are held back had no part in choosing the rule or the recipes; both means are printed.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.accuracy.peers import HELD_BACK, ROOT, tables_in
from benchmarks.results import Run
from venire.families.bucket import COMBINATIONS, default_bucket
from venire.validation.evidence.runs import Runs
from venire.validation.plans.folds import make_plan
from venire.validation.plans.plan import Place
from venire.validation.subject import as_table, measure_of
from venire.validation.trials.docket import Docket
from venire.validation.trials.effort import Effort
from venire.validation.trials.runner import run_trials
from venire.verdict.candidates import Candidate
from venire.verdict.judgement import Assessment

LEFT_OUT = ("svm", "neural_net", "perceptron", "forest_rc", "bagging", "adaboost", "tree")  # slow, or seldom of use
MANY_CLASSES = 20  # a table of so many takes as long as all others
REACHES = (0.0, 1.0, 2.0)  # standard errors by which a member has to be better


def judged(folder: Path, name: str, entry: dict[str, Any], rows: int, metric: str, runs: Runs) -> dict[str, float]:
    """The mean outer loss of every rule on one table."""
    path = folder / name
    frame = pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
    frame = frame.drop(columns=[column for column in entry.get("drop") or () if column in frame])
    if len(frame) > rows:
        frame = frame.sample(rows, random_state=0).reset_index(drop=True)
    table = as_table(frame, entry["target"], duplicates="together")
    measure = measure_of(table, metric if entry["task"] != "regression" else "rmse", None)
    plan = make_plan(table, folds=5, seed=0)
    families = [f for f in default_bucket() if f.name not in LEFT_OUT and f.unable(table) is None]
    able = [f for f in families if table.target is not None and measure.accepts(f.output(table.target.task))]
    docket = Docket.of(table, plan, measure, runs.open(table, plan), able)
    ran = run_trials(docket, Effort.of())
    judgement = Assessment(docket).judgement(ran.complete, COMBINATIONS)
    found: dict[str, list[float]] = {}
    for place in plan.places:
        for rule, loss in _rules(judgement.candidates, place).items():
            found.setdefault(rule, []).append(loss)
    found["as compare does"] = list(judgement.procedure.losses)
    return {rule: float(np.mean(losses)) for rule, losses in found.items()}


def _rules(candidates: tuple[Candidate, ...], place: Place) -> dict[str, float]:
    """What each rule hands over for one outer fold loses there."""
    members = [c for c in candidates if c.kind == "member"]
    best = min(members, key=lambda c: float(c.inner[place].mean()))
    together = {c.name: c for c in candidates if c.kind != "member"}
    lowest = min(together.values(), key=lambda c: float(c.inner[place].mean()))
    found = {c.name: c.outer[place] for c in (*members[:1], *together.values())}
    found["best member"] = best.outer[place]
    for reach in REACHES:
        for name, one in (("blend", together["blend"]), ("best combination", lowest)):
            taken = best if _beats(best.inner[place], one.inner[place], reach) else one
            found[f"{name}, unless a member is better by {reach:g} s.e."] = taken.outer[place]
    return found


def _beats(one: NDArray[np.float64], other: NDArray[np.float64], reach: float) -> bool:
    gap = other - one
    return bool(gap.mean() >= reach * gap.std(ddof=1) / np.sqrt(len(gap)))


def regrets(losses: dict[str, dict[str, float]], tables: list[str]) -> dict[str, float]:
    """The mean regret of every rule over some tables."""
    found: dict[str, list[float]] = {}
    for name in tables:
        of_table = losses[name]
        best, base = min(of_table.values()), of_table["baseline"]
        for rule, loss in of_table.items():
            found.setdefault(rule, []).append((loss - best) / (base - best) if base > best else 0.0)
    return {rule: float(np.mean(values)) for rule, values in found.items() if rule != "baseline"}


def main() -> None:
    """Validate every table, and print the regret of every rule on both sets of tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data")
    parser.add_argument("--rows", type=int, default=4000)
    parser.add_argument("--metric", default="log_loss", choices=("log_loss", "error"))
    parser.add_argument("--home", type=Path, default=ROOT / "build/which-choice")
    run = Run.of("accuracy-which-choice", parser, free=("data", "home"))
    asked = run.asked
    if not (asked.data / "manifest.json").exists():
        sys.exit(f"there are no tables in {asked.data}: nothing is measured (--data names another folder)")
    losses = {}
    for name, entry in tables_in(asked.data).items():
        if entry.get("classes", 0) > MANY_CLASSES or name == "letter.parquet":
            continue
        if asked.metric == "error" and entry["task"] == "regression":
            continue
        losses[name] = judged(asked.data, name, entry, asked.rows, asked.metric, Runs(asked.home))
        print(name, {rule: float(f"{loss:.5g}") for rule, loss in losses[name].items()}, file=sys.stderr, flush=True)
    held_back = [name for name in losses if name in HELD_BACK]
    sets = {"chosen on": [name for name in losses if name not in HELD_BACK], "held back": held_back}
    found = {part: regrets(losses, tables) for part, tables in sets.items() if tables}
    print(f"{'rule':58} " + " ".join(f"{part:>10}" for part in found))
    for rule in next(iter(found.values())):
        print(f"{rule:58} " + " ".join(f"{found[part][rule]:>10.4f}" for part in found))
    for part, of_rules in found.items():
        for rule, regret in of_rules.items():
            run.results.add(f"{asked.metric}, {part}", rule, regret=regret)
    run.finish()


if __name__ == "__main__":
    main()
