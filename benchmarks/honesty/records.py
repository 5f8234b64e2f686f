"""Results as JSON lines: an interrupted run goes on where it stopped, and every figure can be computed anew."""

from __future__ import annotations

import json
import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

Record = dict[str, Any]
Key = tuple[Any, ...]


def read(path: Path) -> list[Record]:
    """What is there; a last line that was cut off is left out."""
    if not path.exists():
        return []
    found = []
    for line in path.read_text().splitlines():
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return found


def complete(path: Path, keys: Sequence[Key], fields: Sequence[str], work: Callable[[Key], Record], jobs: int) -> None:
    """Do what is missing, one line each, in the order of the keys; `fields` say which entries of a line are its key."""
    path.parent.mkdir(parents=True, exist_ok=True)
    there = {tuple(record[field] for field in fields) for record in read(path)}
    missing = [key for key in keys if key not in there]
    began = time.monotonic()
    with path.open("a") as file:
        for done, record in enumerate(_results(work, missing, jobs), start=1):
            file.write(json.dumps(record, separators=(",", ":")) + "\n")
            file.flush()
            if done % 100 == 0 or done == len(missing):
                pace = f"{done} of {len(missing)}, {time.monotonic() - began:.0f} s"
                print(pace, file=sys.stderr, flush=True)


def _results(work: Callable[[Key], Record], keys: Sequence[Key], jobs: int) -> Iterator[Record]:
    if jobs == 1:
        yield from map(work, keys)
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap(work, keys, chunksize=4)
