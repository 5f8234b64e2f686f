"""A verdict as a run of MLflow: its question as parameters, its errors as metrics, page, card and model beside them."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from venire.flow import Verdict
from venire.mlflow.flavor import log_model, the_mlflow
from venire.report.sentences.numbers import finite

_LONGEST = 500  # characters of a parameter, which some stores cut or refuse beyond


def log_verdict(verdict: Verdict, *, model: bool = True, report: bool = True, run_name: str | None = None) -> str:
    """Log a verdict to the active run of MLflow, or to a new one.

    Parameters are the question and what was chosen: table, rows, target, metric, folds, seed, model and setting.
    Metrics are the error with the ends of its interval, of the procedure and of every model (`forest/error`); scores
    such as AUC are logged as scores too. Artifacts are `verdict.json`, the model card as `card.md` and `card.html`, and
    the report as `report.html`.

    Parameters
    ----------
    verdict
        What `compare` gives.
    model
        Whether the chosen model is fitted on all rows and logged as `model`.
    report
        Whether the report is logged, which takes some fits more for its explanations.
    run_name
        The name of a new run.

    Returns
    -------
    str
        The id of the run.

    Examples
    --------
    >>> log_verdict(verdict)  # doctest: +SKIP
    """
    mlflow = the_mlflow()
    document = verdict.to_dict()
    active = mlflow.active_run()
    with mlflow.start_run(run_name=run_name) if active is None else nullcontext(active) as run:
        mlflow.log_params(dict(_params(document)))
        mlflow.log_metrics(dict(_metrics(document)))
        mlflow.set_tag("venire.version", document["venire"])
        with tempfile.TemporaryDirectory(prefix="venire-") as place:
            folder = Path(place)
            (folder / "verdict.json").write_text(json.dumps(document, indent=1))
            verdict.card(folder / "card.md")
            verdict.card(folder / "card.html")
            if report:
                verdict.report(folder / "report.html")
            mlflow.log_artifacts(str(folder))
        if model:
            log_model(verdict.fit())
        found: str = run.info.run_id
    return found


def _params(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    chosen = document["chosen"]
    for name in ("source", "rows", "target", "task", "metric", "folds", "repeats", "splitting", "seed"):
        yield name, str(document[name])[:_LONGEST]
    yield "chosen", str(chosen["family"])
    yield "setting", str(chosen["setting"])[:_LONGEST]
    names = [str(row["family"]) for row in document["leaderboard"] if row["kind"] != "procedure"]
    yield "models", ", ".join(names)[:_LONGEST]
    yield "classes", ", ".join(document["classes"])[:_LONGEST]


def _metrics(document: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """The procedure's own, then those of every model under its name; what was not measured is left out."""
    yield from _of_row("", document["chosen"])
    for row in document["leaderboard"]:
        if row["kind"] != "procedure":
            yield from _of_row(f"{row['family']}/", row)
            yield from _measured(f"{row['family']}/p_best", row.get("p_best"))


def _of_row(place: str, row: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for name, ends in (("error", "interval"), ("score", "score_interval")):
        yield from _measured(f"{place}{name}", row[name])
        low, high = row[ends] or (None, None)
        yield from _measured(f"{place}{name}_low", low)
        yield from _measured(f"{place}{name}_high", high)


def _measured(name: str, value: Any) -> Iterator[tuple[str, float]]:
    found = finite(value)
    if found is not None:
        yield name, found
