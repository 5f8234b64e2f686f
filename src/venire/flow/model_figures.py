"""What a verdict hands on with a model: its error on rows it has not seen, and the columns it was trained on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from venire.combine import Finish
from venire.data import Table
from venire.data.profiles import profile
from venire.data.table import Kind
from venire.report.document.shapes.model_file import InputColumn, ModelFigures, ModelPart
from venire.report.document.shapes.verdict import Chosen, LeaderboardRow, VerdictDocument
from venire.report.document.verdict import threshold_facts
from venire.report.sentences.evidence import certificate_words
from venire.validation.trials.ledger import Ledger
from venire.verdict.candidates import Candidate


def figures_of(
    document: VerdictDocument, table: Table, candidate: Candidate, ledgers: Mapping[str, Ledger], *, chosen: bool
) -> ModelFigures:
    """The figures of the procedure for what it chose, and of the candidate's own line for any other."""
    line = document["chosen"] if chosen else _line(document, candidate.name)
    finish = candidate.finish or Finish()
    assert table.target is not None
    edges, counts = profile(table.y, len(table.target.classes))
    says = threshold_facts(table.target, candidate, ledgers)
    figures: ModelFigures = {
        "family": candidate.name,
        "setting": line["setting"],
        "weights": line["weights"],
        "parts": _parts(candidate, ledgers),
        "metric": document["metric"],
        "metric_label": document["metric_label"],
        "higher_is_better": document["higher_is_better"],
        "score_label": document["score_label"],
        "error": line["error"],
        "interval": line["interval"],
        "score": line["score"],
        "score_interval": line["score_interval"],
        "estimates": document["estimates"],
        "source": document["source"].replace("\\", "/").rsplit("/", 1)[-1],
        "rows": document["rows"],
        "task": document["task"],
        "target": document["target"],
        "classes": document["classes"],
        "positive": document["positive"],
        "calibration": None if finish.calibration is None else finish.calibration.method,
        "decision": _decision(finish),
        "threshold": None if says is None else says["threshold"],
        "target_edges": edges,
        "target_counts": counts,
        "columns": [_column(table, place) for place in range(len(table.columns))],
        "folds": document["folds"],
        "repeats": document["repeats"],
        "splitting": document["splitting"],
        "seed": document["seed"],
        "certificate": _certificate(document, [candidate.name, *(line["weights"] or ())]),
        "findings": [f"{finding['code']}: {finding['message']}" for finding in document["findings"]],
    }
    if says is not None:
        figures |= {"threshold_class": says["threshold_class"], "threshold_of": says["threshold_of"]}
    return figures


def _line(document: VerdictDocument, name: str) -> Chosen | LeaderboardRow:
    return next(row for row in document["leaderboard"] if row["family"] == name and row["kind"] != "procedure")


def _parts(candidate: Candidate, ledgers: Mapping[str, Ledger]) -> list[ModelPart]:
    """The members of a combination at their settings, the heaviest first; those without weight are no part of it."""
    found: list[ModelPart] = [
        {"family": part.family, "setting": ledgers[part.family].settings[part.setting].label, "weight": float(weight)}
        for part, weight in (candidate.parts or {}).items()
        if weight > 0
    ]
    return sorted(found, key=lambda part: -part["weight"])


def _certificate(document: VerdictDocument, names: Sequence[str]) -> str:
    """What the check for leaks said of what is handed over; empty where nothing was checked."""
    found = [facts for facts in document["certificates"] if facts["family"] in names]
    return certificate_words({**document, "certificates": found})


def _decision(finish: Finish) -> str | None:
    if finish.threshold is not None:
        return "threshold" if np.isfinite(finish.threshold) else "one class"
    return None if finish.costs is None else "least expected cost"


def _column(table: Table, place: int) -> InputColumn:
    column = table.columns[place]
    facts: InputColumn = {"name": column.name, "kind": column.kind.value, "missing": column.missing}
    if column.kind is Kind.NUMERIC:
        there = table.X[:, place][~np.isnan(table.X[:, place])]
        facts["range"] = [float(there.min()), float(there.max())] if len(there) else None
        facts["edges"], facts["counts"] = profile(table.X[:, place])
    else:
        facts["categories"] = list(column.categories)
        facts["counts"] = profile(table.X[:, place], len(column.categories))[1]
    return facts
