"""Do two installed versions of venire come to the same results? Ten tables, every byte of the evidence compared.

    python benchmarks/reliability/two_versions.py OLD_PYTHON NEW_PYTHON

Each interpreter runs `venire compare`, `validate` and `select` on the same ten small tables, in a home of its own. Then
what was predicted is compared byte by byte, trial by trial, and the `--json` documents figure by figure. Times,
versions and names that a version is free to change are left out of the comparison; every other difference is printed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

QUICK = "baseline,naive_bayes,knn,tree,linear,logistic,svm,bagging,forest,adaboost,boosting,vote,stack"
FREE = {"timing", "schema_version", "version", "seconds", "definition", "home", "source", "file"}


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


def results_of(python: str, folder: Path, names: set[str]) -> Results:
    """Run every case with one interpreter."""
    found = Results()
    for case in CASES:
        if names and case.name not in names:
            continue
        table, home = folder / f"{case.name}.csv", folder / "home" / case.name
        table.write_text(table_of(case.name), encoding="utf-8")
        compare = ("compare", "--models", case.models, "--budget", "none", *case.options)
        for command, *options in (compare, *case.validate):
            text = f"{case.name}: {' '.join((command, *options))}"
            print(text, file=sys.stderr)
            words = [python, "-m", "venire", command, str(table), "--target", "y", "--json", *options]
            ended = subprocess.run(words, capture_output=True, text=True, env={"VENIRE_HOME": str(home), "PATH": ""})
            found.documents[text] = json.loads(ended.stdout) if ended.stdout else {"stderr": ended.stderr}
        found.trials |= {f"{case.name}: {name}": arrays for name, arrays in kept(home)}
    return found


def kept(home: Path) -> Iterator[tuple[str, bytes]]:
    """Every trial file: its name without the digest of its definition, and its arrays."""
    for file in sorted(home.glob("runs/*/*/*.trial")):
        family = file.parent.name.rsplit("-", 1)[0]
        _, _, header, arrays = file.read_bytes().split(b"\n", 3)
        facts = {name: value for name, value in json.loads(header).items() if name not in FREE}
        yield f"{family}/{file.stem}", json.dumps(facts, sort_keys=True).encode() + arrays


def differences(one: Any, other: Any, at: str = "") -> Iterator[str]:
    """Where two documents differ, leaving out what is free to."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in sorted({*one, *other} - FREE):
            if name not in one or name not in other:
                yield f"{at}.{name}: {'new' if name in other else 'gone'}"
            else:
                yield from differences(one[name], other[name], f"{at}.{name}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for k, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from differences(left, right, f"{at}[{k}]")
    elif one != other:
        yield f"{at}: {str(one)[:70]} | {str(other)[:70]}"


def main() -> int:
    """Print every difference; 1 if predictions or figures differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--keep", type=Path, help="folder for what the old version came to: made once, read after that")
    parser.add_argument("--only", default="", help="names of tables, with commas between")
    asked = parser.parse_args()
    names = {name for name in asked.only.split(",") if name}
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        (here / "old").mkdir()
        (here / "new").mkdir()
        before = _remembered(asked.keep) or results_of(asked.old, here / "old", names)
        if asked.keep:
            _remember(asked.keep, before)
        after = results_of(asked.new, here / "new", names)
    cases = [case.name for case in CASES if not names or case.name in names]
    trials = {name for name in before.trials if name.split(":")[0] in cases}
    changed = sorted(name for name in trials if after.trials.get(name) != before.trials[name])
    for name in changed[:40]:
        print(f"{name}: {'other predictions' if name in after.trials else 'not there any more'}")
    found = []
    for text, document in before.documents.items():
        if text.split(":")[0] in cases:
            found += [f"{text}{where}" for where in differences(document, after.documents.get(text))]
    print("\n".join(found))
    print(f"{len(trials)} trials compared, {len(changed)} differ; {len(found)} differences in the documents")
    return 1 if changed or found else 0


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
