"""A model on labelled rows, in the terminal: metrics, calibration, and what drifted. Reads well at 80 columns."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console

from venire.report.document.shapes.use import DriftFacts, EvaluationDocument, MetricFacts
from venire.report.sentences.scale import measured_by
from venire.report.terminal.console import Plain, short_path, words
from venire.report.terminal.listings import Layout, listing
from venire.wording import MISSING, count, percent

_MOST = 12  # columns that are listed; those that drifted most first
_METRICS: Layout = (("name", "metric", None), ("figure", "figure", str), ("between", "95 % interval", str))
_BINS: Layout = (("predicted", "predicted", str), ("observed", "came true", str), ("rows", "rows", count))
_DRIFT: Layout = (
    ("name", "column", None),
    ("kind", "kind", None),
    ("missing", "missing", str),
    ("unknown", "unknown", count),
    ("out_of_range", "out of range", count),
    ("distance", "distance", str),
    ("drifted", "drift", None),
)


def show(document: EvaluationDocument, console: Console) -> None:
    """Print how good the model is on these rows, whether its probabilities hold, and what drifted."""
    for line in _head(document):
        console.print(Plain(words(line, console)))
    console.print()
    listing([_metric(one) for one in document["metrics"]], _METRICS, console)
    for line in _promise(document):
        console.print(Plain(words(line, console)))
    if document["calibration"] is not None:
        console.print()
        listing(
            [
                {"predicted": f"{each['predicted']:.3f}", "observed": f"{each['observed']:.3f}", "rows": each["rows"]}
                for each in document["calibration_bins"]
            ],
            _BINS,
            console,
        )
        console.print(Plain(words(_calibration(document), console)))
    console.print()
    _drift(document, console)


def _head(document: EvaluationDocument) -> Iterator[str]:
    rows = count(document["rows"] - document["rows_without_target"], "row")
    model = f"{short_path(document['model'])} ({document['family']})" if document["family"] else document["model"]
    yield f"{model} predicts {document['target']} on {rows} of {short_path(document['source'])}"
    if document["rows_without_target"]:
        yield f"{count(document['rows_without_target'], 'row')} without a target left out"


def _metric(facts: MetricFacts) -> dict[str, str]:
    measure = measured_by(facts, [facts])
    between = measure.show_interval(facts["interval"]) if facts["interval"] is not None else MISSING
    return {
        "name": measure.label,
        "figure": f"{measure.show(facts['error'])} {measure.unit}".strip(),
        "between": between,
    }


def _promise(document: EvaluationDocument) -> Iterator[str]:
    """What the verdict said, beside what came of it."""
    if document["promised"] is not None:
        first = document["metrics"][0]
        measure = measured_by(first, [first])
        said = measure.say(document["promised"]["error"])
        between = measure.say_interval(document["promised"]["interval"])
        yield f"In training the verdict said: {measure.label} {said}{f' ({between})' if between else ''}."
    if document["covered"] is not None:
        held = document["covered"]
        what = "Sets" if document["classes"] else "Intervals"
        low, high = held["interval"]
        assert low is not None
        assert high is not None
        yield (
            f"{what} for {100 * held['coverage']:g} % of rows hold the truth of {100 * held['held']:.1f} % here "
            f"(95 % interval {100 * low:.1f} to {100 * high:.1f})."
        )


def _calibration(document: EvaluationDocument) -> str:
    found = document["calibration"]
    assert found is not None
    named = document["calibrated_class"]
    of = "of the class that is named" if named is None else f"of {named!r}"
    verdict = (
        "out of calibration" if found["out_of_calibration"] else "no more than chance explains, or too little to matter"
    )
    return (
        f"Calibration: probabilities {of} are off by {found['calibration_error'] or 0:.3f} on average "
        f"({found['by_chance'] or 0:.3f} by chance alone): {verdict}."
    )


def _drift(document: EvaluationDocument, console: Console) -> None:
    columns, target = document["drift"][:-1], document["drift"][-1]
    ranked = sorted(columns, key=lambda each: -(each["distance"] or 0.0))
    listing([_column(each) for each in [*ranked[:_MOST], target]], _DRIFT, console)
    if len(ranked) > _MOST:
        rest = count(len(ranked) - _MOST, "more column")
        console.print(Plain(words(f"… and {rest} that drifted less; --json has all of them", console)))
    if all(each["distance"] is None for each in document["drift"]):
        said = "The model file keeps no counts of the training rows: there is no distance. Save it again to have them."
    else:
        drifted = [each["column"] for each in document["drift"] if each["drifted"] in ("some", "much")]
        named = ", ".join(drifted[:5]) + (" …" if len(drifted) > 5 else "")
        said = (
            f"Drift since training: {named or 'none to be seen'} (population stability index: from 0.1 some, from 0.25 "
            "much, where it is more than chance explains)."
        )
    console.print(Plain(words(said, console)))


def _column(facts: DriftFacts) -> dict[str, object]:
    before = facts["missing_training"]
    gaps = percent(facts["missing"])
    shown = "" if facts["distance"] is None else f"{facts['distance']:.2f}"
    return {
        "name": facts["column"],
        "kind": facts["kind"],
        "missing": gaps if before is None else f"{100 * before:.0f} → {gaps}",
        "unknown": facts["unknown"],
        "out_of_range": facts["out_of_range"],
        "distance": shown or None,
        "drifted": facts["drifted"],
    }
