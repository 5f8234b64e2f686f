"""What the studio keeps beside a run besides its verdict: the model, the held-out predictions, the worst rows.

    <home>/runs/<question>/studio/model.venire
    <home>/runs/<question>/studio/held_out.csv
    <home>/runs/<question>/studio/worst.json
    <home>/runs/<question>/studio/of.json       which verdict they are of

It is deleted with the run. When the question is answered anew, and the answer is another one, it is of no use any more.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from venire.errors import VenireWarning
from venire.flow import Verdict
from venire.studio.job_folders import read_plain, write_plain
from venire.use.formats import Format
from venire.use.writing import TableWriter
from venire.validation.evidence.atomic_writes import write_atomically
from venire.verdict.leaderboard import PROCEDURE

FOLDER = "studio"
MODEL, HELD_OUT, WORST_ROWS, OF = "model.venire", "held_out.csv", "worst.json", "of.json"


def keep_model(verdict: Verdict, run: Path, worst: int) -> None:
    """Write the chosen model, what was predicted of rows that had not been seen, and the rows most wrong."""
    folder = run / FOLDER
    folder.mkdir(exist_ok=True)
    (folder / OF).unlink(missing_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VenireWarning)  # the page of the model says it
        verdict.save(folder / MODEL)
    with TableWriter(folder / HELD_OUT, Format("csv"), None) as writer:
        columns = verdict.evidence[PROCEDURE].columns()
        writer.add({name: _texts(values) for name, values in columns.items()})
    rows = verdict.report_pictures(explanations=False, worst_rows=worst)["worst_rows"]
    write_atomically(folder / WORST_ROWS, json.dumps(rows).encode())
    write_plain(folder / OF, {"verdict": _sum_of(verdict.to_dict())})


def _texts(values: NDArray[Any]) -> NDArray[Any]:
    return values.astype(object) if values.dtype.kind == "U" else values


def kept_file(run: Path, name: str) -> Path | None:
    """One of these files, if it is there."""
    path = run / FOLDER / name
    return path if path.is_file() and not path.is_symlink() else None


def is_of(run: Path, document: Mapping[str, Any]) -> bool:
    """Whether what is kept belongs to this verdict."""
    return read_plain(run / FOLDER / OF).get("verdict") == _sum_of(document)


def _sum_of(document: Mapping[str, Any]) -> str:
    """What a verdict says, in a few letters: who is chosen, and the leaderboard."""
    said = json.dumps([document["chosen"], document["leaderboard"]], sort_keys=True)
    return hashlib.sha256(said.encode()).hexdigest()


def kept_worst(run: Path) -> dict[str, Any]:
    """The rows that were most wrong; empty where they were not kept."""
    return read_plain(run / FOLDER / WORST_ROWS)
