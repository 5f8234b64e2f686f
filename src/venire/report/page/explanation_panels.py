"""The figures of explanations: each chart with a caption that says which rows it comes from, and what it speaks of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from venire.report.charts.explanations import dependence, importance, ranked, rise_words, said_of, shapley
from venire.report.charts.figure import Figure, Numbers
from venire.report.charts.learning import learning
from venire.report.charts.style import Pictures, short
from venire.report.sentences.numbers import amount, finite
from venire.report.sentences.scale import scale_of
from venire.report.sentences.verdict import Document, joined
from venire.wording import MISSING, count, duration

_CAUSES = "It speaks of the model: a column that matters to it need not be a cause."


def importance_figure(document: Document, pictures: Pictures) -> Figure:
    """Permutation importance on held-out rows."""
    found: Mapping[str, Any] = pictures["importance"]
    asked = f"{count(found['rows'], 'row')} of {count(found['folds'], 'fold')}"
    caption = (
        f"Held-out rows: {asked}, each predicted by {found['model']} trained without its fold. Dots: by how much the "
        f"predictions get worse when one column is shuffled among these rows ({found['repeats']} times), with a 95 % "
        f"interval for these models on new rows. Columns that say the same hide each other. {_CAUSES}"
    )
    if len(found["names"]) < found["columns"]:
        measured = f"{len(found['names'])} of {found['columns']:,} columns"
        caption += f" Measured for the {measured} that go with the predictions most closely."
    rows = tuple(
        (found["names"][at], *(_said(found[key][at]) for key in ("values", "low", "high"))) for at in ranked(found)
    )
    numbers = Numbers(("column", rise_words(document), "from", "to"), rows)
    title = f"Which columns does {found['model']} need?"
    return Figure("importance", title, caption, importance(document, pictures), numbers)


def explanation_figures(document: Document, pictures: Pictures) -> dict[str, Figure]:
    """The importances, Shapley values and learning curve of what is handed over, those that there are."""
    ways: dict[str, Callable[[], Figure]] = {
        "importance": lambda: importance_figure(document, pictures),
        "shapley": lambda: shapley_figure(document, pictures["shapley"]),
        "learning_curve": lambda: learning_figure(document, pictures["learning_curve"]),
    }
    return {name: draw() for name, draw in ways.items() if pictures.get(name)}


def dependence_figures(document: Document, pictures: Pictures) -> list[Figure]:
    """The dependence on the columns that matter most; `dependence_words` say once what all of them show."""
    drawn = pictures.get("dependence") or ()
    return [
        Figure(f"dependence_{at}", short(found["column"]), f"{_upper(said_of(document, found))}.", chart, numbers)
        for at, found in enumerate(drawn)
        for chart, numbers in [(dependence(document, found), _points(found))]
    ]


def page_parts(pictures: Pictures, explained: Mapping[str, Figure], moved: list[Figure]) -> dict[str, Any]:
    """All that the page has of explanations, by the names that its template knows."""
    return {
        "needed": explained.get("importance"),
        "added": explained.get("shapley"),
        "learned": explained.get("learning_curve"),
        "not_drawn": left_out_words(pictures),
        "moved": moved,
        "moved_words": dependence_words(pictures["dependence"][0]) if moved else "",
        "unexplained": pictures.get("unexplained"),
    }


def dependence_figure(document: Document, found: Mapping[str, Any]) -> Figure:
    """The mean prediction as one column takes its values."""
    title = f"How {found['model']} uses {short(found['column'])}"
    caption = f"{_upper(said_of(document, found))}. {dependence_words(found)}"
    return Figure("dependence", title, caption, dependence(document, found), _points(found))


def dependence_words(found: Mapping[str, Any]) -> str:
    """What a dependence shows, and of which rows."""
    band = "" if len(found["lines"]) > 1 else " The band holds the middle 80 % of the rows' own predictions."
    return (
        f"The mean prediction of {found['model']}, fitted on all rows, when one column alone is changed: over "
        f"{count(found['rows'], 'row')} at equal distances in the table.{band} It shows what the model does, and is no "
        f"estimate of its error."
    )


def _points(found: Mapping[str, Any]) -> Numbers:
    several = len(found["lines"]) > 1
    head = ("value", *(short(line["of"]) if several else "mean" for line in found["lines"]))
    rows = tuple(
        (str(at) if found["categorical"] else f"{at:.6g}", *(_said(line["mean"][place]) for line in found["lines"]))
        for place, at in enumerate(found["grid"])
    )
    return Numbers(head, rows)


def learning_figure(document: Document, found: Mapping[str, Any]) -> Figure:
    """The learning curve of one family; `found` is what it says of itself."""
    scale = scale_of(document)
    caption = (
        f"{_upper(scale.label)} of {found['family']} on the held-out rows of {count(found['folds'], 'fold')}, when it "
        f"is trained on ever more of the others; its setting is chosen inside each training part. The band is the 95 % "
        f"interval. While the two lines come closer, more rows may help."
    )
    cells = zip(found["rows"], found["training"], found["held_out"], found["low"], found["high"], strict=True)
    rows = tuple(
        (count(size), scale.show(training), scale.show(held_out), scale.show_interval([low, high]))
        for size, training, held_out, low, high in cells
    )
    numbers = Numbers(
        ("rows", f"training {scale.unit}".strip(), f"held out {scale.unit}".strip(), "95 % interval"), rows
    )
    return Figure("learning_curve", f"Learning curve of {found['family']}", caption, learning(document, found), numbers)


def shapley_figure(document: Document, found: Mapping[str, Any]) -> Figure:
    """Shapley values of some rows."""
    of = "prediction" if found["of"] is None else f"{found['unit']} of '{short(found['of'])}'"
    how = (
        "Exact"
        if found["orders"] is None
        else f"Sampled over {found['orders']} orders of the columns, each walked both ways"
    )
    caption = (
        f"{count(found['rows'], 'row')} at equal distances in the table, a dot each, explained for {found['model']}, "
        f"fitted on all rows. A dot shows how far the column moves the {of} of that row from {_minus(found['base'])}, "
        f"the mean of {count(found['background_rows'], 'background row')}. {how}. Grey: categories and missing values. "
        f"{_CAUSES}"
    )
    sizes = [sum(map(abs, values)) / len(values) for values in found["values"]]
    rows = tuple((name, _said(size)) for name, size in zip(found["names"], sizes, strict=True))
    numbers = Numbers(("column", f"moves the {of} by, on average"), rows)
    return Figure("shapley", f"Shapley values of {found['model']}", caption, shapley(document, found), numbers)


def left_out_words(pictures: Pictures) -> str:
    """What the report leaves out because it takes long, and how to have it; what failed, and why. Else empty."""
    found = pictures.get("left_out") or ()
    late = [f"{_LEFT_OUT[one['picture']]} ({_about(one['seconds'])})" for one in found if not one["error"]]
    failed = [f"{_LEFT_OUT[one['picture']]} could not be drawn: {one['error']}" for one in found if one["error"]]
    if late:
        how = 'On the command line --explain all adds them; in Python, verdict.report(path, explanations="all")'
        late = [f"Left out, because it would take more than a tenth of the run's time: {' and '.join(late)}", how]
    return joined(*late, *map(_upper, failed))


def _about(seconds: float) -> str:
    words = duration(seconds)
    return words if words.startswith("<") else f"about {words}"


_LEFT_OUT = {"shapley": "Shapley values", "learning_curve": "the learning curve"}


def _said(value: Any) -> str:
    return MISSING if finite(value) is None else amount(value)


def _minus(value: Any) -> str:
    """A number inside a sentence, with a minus and not a hyphen."""
    return _said(value).replace("-", "\N{MINUS SIGN}")


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
