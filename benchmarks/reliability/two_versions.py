"""Do two installed versions of venire come to the same results? Ten tables, every byte of the evidence compared.

    python benchmarks/reliability/two_versions.py OLD_PYTHON NEW_PYTHON [--folds 5] [--keep FILE] [--json FILE]

Each interpreter runs `venire compare`, `validate` and `select` on the same ten small tables, in a home of its own. Then
what was predicted is compared byte by byte, trial by trial, and the `--json` documents figure by figure. Names that
changed are mapped (`RENAMED`), times and versions are left out. What was changed on purpose is counted by its reason
(`ON_PURPOSE`); every other difference is printed, and the exit code is 1 if there is one.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.results import Results as Figures
from benchmarks.results import Run

QUICK = "baseline,naive_bayes,knn,tree,linear,logistic,svm,bagging,forest,adaboost,boosting,vote,stack"
FREE = {"timing", "schema_version", "version", "seconds", "definition", "home", "source", "file"}

# What a field was called before, and what it is called now.
RENAMED = {
    "blocks": "folds",
    "dealing": "splitting",
    "block_errors": "fold_errors",
    "judged_blocks": "judged_folds",
    "per_block": "per_fold",
}
# Where a difference is one on purpose: what the place of a figure ends in, and why it changed.
_PRACTICAL = "the practical difference is a share of the baseline's error"
ON_PURPOSE = (
    (r": new$", "fields that were added"),
    (r"\.(practical_difference|pairwise\[\d+\]\.p_\w+|leaderboard\[\d+\]\.p_as_good)$", _PRACTICAL),
    (r"\.(findings|checks\[\d+\]\.status)$", "findings judge by that difference, and others were mended"),
    (r"\.more_rows\.\w+$", "whether more rows help is judged by the procedure's own folds"),
    (r"\.(message|advice|title|estimates|measured_on|reason|label|path_label|words|hint|stderr)$", "words"),
)
_ROUNDING = 1e-12  # of a figure: sums that are taken in another order


@dataclass(frozen=True)
class Case:
    """One table and how it is compared; `validate` are further commands on it."""

    name: str
    options: tuple[str, ...] = ()
    validate: tuple[tuple[str, ...], ...] = ()
    models: str = QUICK


CASES = (
    Case(
        "two_classes", validate=(("validate", "--model", "tree"), ("validate", "--model", "knn", "--by", "bootstrap"))
    ),
    Case("three_classes", ("--metric", "log_loss"), (("validate", "--model", "logistic", "--layers", "1"),)),
    Case("rare_class", ("--metric", "auc"), (("validate", "--model", "naive_bayes", "--by", "holdout"),)),
    Case("costs", ("--costs", "1:10"), (("validate", "--model", "forest", "--costs", "1:10"),)),
    Case("gaps_and_categories", (), (("select",),)),
    Case(
        "numbers", (), (("validate", "--model", "linear", "--by", "subsampling"), ("select", "--direction", "backward"))
    ),
    Case("numbers_and_categories", ("--metric", "mae"), (("validate", "--model", "boosting", "--inner-folds", "3"),)),
    Case(
        "grouped",
        ("--groups", "who"),
        (("validate", "--model", "tree", "--by", "leave-one-group-out", "--groups", "who"),),
    ),
    Case("in_time", ("--time", "when"), (("validate", "--model", "linear", "--time", "when"),)),
    Case("weighted", ("--weights", "w", "--repeats", "2", "--folds", "5")),
)


def table_of(name: str) -> str:
    """The table of a case as CSV text, the same on every machine."""
    rng = np.random.default_rng(sum(name.encode()))
    rows = 160
    x = rng.normal(size=(rows, 4)).round(3)
    signal = x[:, 0] + 0.5 * x[:, 1] * x[:, 2] + rng.normal(0, 0.7, rows)
    city = rng.choice(["Aix", "Bonn", "Cork"], rows)
    columns: dict[str, list[Any]] = {f"x{j}": x[:, j].tolist() for j in range(4)}
    if "categories" in name:
        columns["city"] = city.tolist()
        signal = signal + (city == "Cork")
    if "gaps" in name:
        columns["x1"] = ["" if gap else value for gap, value in zip(rng.random(rows) < 0.1, columns["x1"], strict=True)]
    if name == "grouped":
        columns["who"] = [f"p{k}" for k in rng.integers(0, 12, rows)]
    if name == "in_time":
        columns["when"] = list(range(rows))
    if name == "weighted":
        columns["w"] = rng.integers(1, 4, rows).tolist()
    if name.startswith("numbers") or name == "in_time":
        columns["y"] = signal.round(4).tolist()
    elif name == "three_classes":
        columns["y"] = np.array(["low", "mid", "high"])[np.digitize(signal, [-0.6, 0.6])].tolist()
    else:
        columns["y"] = np.where(signal > (1.6 if name == "rare_class" else 0.0), "yes", "no").tolist()
    lines = [",".join(columns), *(",".join(map(str, line)) for line in zip(*columns.values(), strict=True))]
    return "\n".join(lines) + "\n"


@dataclass
class Results:
    """What one version came to: documents by command, predictions by trial."""

    documents: dict[str, Any] = field(default_factory=dict)
    trials: dict[str, bytes] = field(default_factory=dict)


def results_of(python: str, folder: Path, names: set[str], folds: int) -> Results:
    """Run every case with one interpreter."""
    found = Results()
    for case in CASES:
        if names and case.name not in names:
            continue
        table, home = folder / f"{case.name}.csv", folder / "home" / case.name
        table.write_text(table_of(case.name), encoding="utf-8")
        pinned = () if "--folds" in case.options else ("--folds", str(folds))
        compare = ("compare", "--models", case.models, "--budget", "none", *pinned, *case.options)
        for command, *options in (compare, *case.validate):
            text = f"{case.name}: {' '.join((command, *options))}"
            print(text, file=sys.stderr)
            words = [python, "-m", "venire", command, str(table), "--target", "y", "--json", *options]
            ended = subprocess.run(words, capture_output=True, text=True, env={"VENIRE_HOME": str(home), "PATH": ""})
            found.documents[text] = json.loads(ended.stdout) if ended.stdout else {"stderr": ended.stderr}
        found.trials |= {f"{case.name}: {name}": arrays for name, arrays in kept(home)}
    return found


def kept(home: Path) -> Iterator[tuple[str, bytes]]:
    """Every trial file, wherever a version keeps it: what was trained on and predicted by whom, and its arrays."""
    for file in sorted(home.rglob("*.trial")):
        _, _, header, arrays = file.read_bytes().split(b"\n", 3)
        facts = {name: value for name, value in json.loads(header).items() if name not in FREE}
        trial = f"{facts.pop('family')}/{facts.pop('repeat')}/{facts.pop('train')}→{facts.pop('test')}"
        yield trial, json.dumps(facts, sort_keys=True).encode() + arrays


def renamed(document: Any) -> Any:
    """A document of the old version with the names of today."""
    if isinstance(document, dict):
        return {RENAMED.get(name, name): renamed(value) for name, value in document.items()}
    return [renamed(value) for value in document] if isinstance(document, list) else document


def differences(one: Any, other: Any, at: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Where two documents differ and what is there, leaving out what is free to."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in sorted({*one, *other} - FREE):
            if name not in one or name not in other:
                yield f"{at}.{name}: {'new' if name in other else 'gone'}", one.get(name), other.get(name)
            else:
                yield from differences(one[name], other[name], f"{at}.{name}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for k, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from differences(left, right, f"{at}[{k}]")
    elif one != other:
        yield at, one, other


def figures_of(document: Any) -> int:
    """How many values a document has."""
    if isinstance(document, dict):
        return sum(figures_of(value) for name, value in document.items() if name not in FREE)
    return sum(map(figures_of, document)) if isinstance(document, list) else 1


def on_purpose(place: str, one: Any, other: Any) -> str | None:
    """Why the figure at this place changed, if that was meant, or is no more than its last digit."""
    numbers = [value for value in (one, other) if isinstance(value, float)]
    if len(numbers) == 2 and abs(numbers[0] - numbers[1]) <= _ROUNDING * abs(numbers[0]):
        return "the last digit"
    if isinstance(one, list) and len(set(map(str, one))) == 1 and other is None:
        return "an interval of one point is none"
    return next((why for ending, why in ON_PURPOSE if re.search(ending, place)), None)


@dataclass
class Compared:
    """What one command, or the trials of one table, came to in both versions."""

    values: int = 0
    meant: Counter[str] = field(default_factory=Counter)
    open: list[str] = field(default_factory=list)


def of_documents(before: Results, after: Results, cases: Sequence[str]) -> dict[str, Compared]:
    """Every command of these cases."""
    found = {}
    for text, document in before.documents.items():
        if text.split(":")[0] not in cases:
            continue
        one, other = renamed(document), after.documents.get(text)
        compared = found[text] = Compared(figures_of(one))
        for place, left, right in differences(one, other):
            if why := on_purpose(place, left, right):
                compared.meant[why] += 1
            else:
                compared.open.append(f"{place}: {str(left)[:70]} | {str(right)[:70]}")
    return found


def of_trials(before: Results, after: Results, case: str) -> Compared:
    """Every trial of a case that the old version has."""
    found = Compared()
    for name in (name for name in before.trials if name.split(":")[0] == case):
        found.values += 1
        if after.trials.get(name) != before.trials[name]:
            found.open.append(f"{name}: {'other predictions' if name in after.trials else 'not there any more'}")
    return found


def show(what: str, found: Compared, results: Figures) -> None:
    """Print one line and every difference that was not meant, and note the numbers."""
    meant = sum(found.meant.values())
    print(f"{what}: {found.values} compared, {meant} changed on purpose, {len(found.open)} differ otherwise")
    for why, times in found.meant.most_common():
        print(f"    {times:4} {why}")
    for line in found.open[:40]:
        print(f"  ! {line}")
    results.add(what, compared=found.values, changed_on_purpose=meant, differ_otherwise=len(found.open))


def main() -> int:
    """Print every difference; 1 if predictions or figures differ that were not meant to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--keep", type=Path, help="file for what the old version came to: made once, read after that")
    parser.add_argument("--only", default="", help="names of tables, with commas between")
    parser.add_argument("--folds", type=int, default=5, help="of compare, the same for both")
    run = Run.of("reliability-two-versions", parser, free=("old", "new", "keep"))
    asked = run.asked
    names = {name for name in asked.only.split(",") if name}
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        (here / "old").mkdir()
        (here / "new").mkdir()
        before = _remembered(asked.keep) or results_of(asked.old, here / "old", names, asked.folds)
        if asked.keep:
            _remember(asked.keep, before)
        after = results_of(asked.new, here / "new", names, asked.folds)
    cases = [case.name for case in CASES if not names or case.name in names]
    found = {f"{case}: trials": of_trials(before, after, case) for case in cases}
    found |= of_documents(before, after, cases)
    for what, compared in found.items():
        show(what, compared, run.results)
    run.finish()
    return 1 if any(compared.open for compared in found.values()) else 0


def _remembered(file: Path | None) -> Results | None:
    if file is None or not file.exists():
        return None
    kept = json.loads(file.read_text(encoding="utf-8"))
    return Results(kept["documents"], {name: bytes.fromhex(text) for name, text in kept["trials"].items()})


def _remember(file: Path, results: Results) -> None:
    kept = {"documents": results.documents, "trials": {name: data.hex() for name, data in results.trials.items()}}
    file.write_text(json.dumps(kept), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
