"""One test part whose rows come in groups: does the interval over groups hold the error on new groups?

    python -m benchmarks.honesty.clusters [--repetitions 2000] [--jobs 2] [--results FILE]

Groups of 5 to 20 rows have error rates drawn from a Beta distribution, so that two rows of a group are alike by a known
correlation. Beside the interval over groups stands the Beta interval of the counts, which takes rows for independent.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.honesty.problems import erring_groups
from benchmarks.honesty.records import complete, read
from benchmarks.results import Run
from venire.inference import accuracy_interval, clustered_beta

GROUPS, ERRORS, ALIKE = (5, 10, 20, 40, 100), (0.05, 0.2, 0.45), (0.0, 0.1, 0.3, 0.8)
FIELDS = ("groups", "error", "alike", "repetitions")
Record = dict[str, Any]


def cell(key: tuple[int, float, float, int]) -> Record:
    """How often both intervals hold the error on new groups, and how wide they are."""
    groups, error, alike, repetitions = key
    rng = np.random.default_rng(0)
    held, width = np.zeros(2), np.zeros(2)
    for _ in range(repetitions):
        wrong, group = erring_groups(rng, groups=groups, error=error, alike=alike)
        found = clustered_beta(wrong, group).interval, accuracy_interval(wrong.sum(), len(wrong))
        held += [interval.low <= error <= interval.high for interval in found]
        width += [interval.width for interval in found]
    shares = {"held": (held / repetitions).tolist(), "width": (width / repetitions).tolist()}
    return dict(zip(FIELDS, key, strict=True)) | shares


def print_clusters(records: Sequence[Record]) -> None:
    """A line for so many groups and an error, a column a correlation."""
    print("| groups | error | " + " | ".join(f"{alike:g}" for alike in ALIKE) + " |")
    print("|--:|--:|" + "---|" * len(ALIKE))
    found = {(r["groups"], r["error"], r["alike"]): r for r in records}
    for groups, error in product(GROUPS, ERRORS):
        cells = [_shown(found[groups, error, alike]) for alike in ALIKE]
        print(f"| {groups} | {error:g} | {' | '.join(cells)} |")


def _shown(record: Record) -> str:
    (ours, counts), (width, narrow) = record["held"], record["width"]
    return f"{100 * ours:.1f} %, {width:.3f} ({100 * counts:.0f} %, {narrow:.3f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--results", type=Path, default=Path("build/honesty/clusters.jsonl"))
    run = Run.of("honesty-clusters", parser, free=["jobs", "results"])
    asked = run.asked
    keys = list(product(GROUPS, ERRORS, ALIKE, [asked.repetitions]))
    complete(asked.results, keys, FIELDS, cell, asked.jobs)
    records = [r for r in read(asked.results) if r["repetitions"] == asked.repetitions]
    print_clusters(records)
    for r in records:
        job = f"{r['groups']} groups, error {r['error']:g}, correlation {r['alike']:g}"
        for who, held, width in zip(("by groups", "by rows"), r["held"], r["width"], strict=True):
            run.results.add(job, who, coverage=held, width=width)
    run.finish()


if __name__ == "__main__":
    main()
