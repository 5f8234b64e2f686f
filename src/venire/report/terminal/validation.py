"""A validation in the terminal: what was done, every setting in training and on unseen rows, and what to expect."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from venire.report.document.shapes.validation import ValidationDocument
from venire.report.sentences.evidence import leak_check
from venire.report.sentences.left_out import account, bonds, item_list
from venire.report.sentences.numbers import finite, interval_of
from venire.report.sentences.scale import Measure, measured_by, side_by_side
from venire.report.sentences.split import folds_words
from venire.report.terminal.console import Plain, short_path, words
from venire.report.terminal.listings import Layout, listing
from venire.wording import MISSING, count

Figures = list[tuple[str, str, str]]  # what it is, the figure with its interval, what it is of

_CHOSEN = "▸"
_BETWEEN = 2  # cells between the columns of figures
_WARNINGS = 8  # listed one by one
_ESTIMATES = {"632+": ".632+", "632": ".632", "out_of_bag": "out of bag"}
_HELD_OUT = {
    "stratified": ", with the class shares of the table",
    "grouped": ", in whole groups",
    "time": ", the last in time",
}


def show(document: ValidationDocument, console: Console) -> None:
    """Print the whole of it."""
    scale = scale_of(document)
    _say(console, title(document), "bold")
    _say(console, done(document))
    console.print()
    drawn = document["by"] == "bootstrap"
    listing(_rows(document), _bootstrap_layout(document, scale) if drawn else _layout(document, scale), console)
    _print_figures(console, _bootstrap_figures(document, scale) if drawn else _figures(document, scale))
    if last := closing(document):
        console.print()
        _say(console, last)
    if checked := leak_check(document.get("certificates") or ()):
        console.print()
        _say(console, f"leak check: {checked}.", "dim")
    item_list(console, "Warnings", _warnings(document))
    account(document, console)


def title(document: ValidationDocument) -> str:
    """What was validated, on what, how, and by which measure."""
    ways = {
        "folds": f"{count(document['folds'], 'fold')}{_times(document)}",
        "leave_one_out": "leave one out",
        "leave_one_group_out": "leave one group out",
        "holdout": "hold-out",
        "subsampling": "random subsampling",
        "bootstrap": "bootstrap",
    }
    parts = [
        f"{document['target']} in {short_path(document['source'])}",
        count(document["rows"], "row"),
        *bonds(document),
        str(document["model"]),
        ways[document["by"]],
        scale_of(document).label,
    ]
    return " · ".join(parts)


def done(document: ValidationDocument) -> str:
    """How rows were split and the setting chosen, and how many rows were trained and tested on."""
    rows = f"Trained on {_span(document['trained_on'])} rows, tested on {_span(document['tested_on'])}"
    if document["by"] == "bootstrap":
        rows = (
            f"A sample has {_span(document['trained_on'])} different rows and is tested on the other "
            f"{_span(document['tested_on'])}"
        )
    fits = count(document["trials"], "fit")
    if len(document["settings"]) == 1:
        return f"{_split(document)}. {rows}; {fits}."
    return f"{_split(document)}{_choice(document)}. {rows}; {fits}, each for all settings."


def closing(document: ValidationDocument) -> str:
    """Which setting was chosen, and what to know about its error; empty where there was no choice."""
    settings, chosen = document["settings"], document["chosen"]["setting"]
    if len(settings) == 1:
        return ""
    if document["layers"] == 2:
        often = next(row["chosen_in"] for row in settings if row["chosen"])
        parts = len(document["parts"])
        return (
            f"Chosen on all rows: {chosen}. In {often} of {parts} training parts the choice is the same."
            if parts > 1
            else f"Chosen: {chosen}."
        )
    by = f" by {_ESTIMATES[document['estimate']]}" if document["estimate"] else ""
    return (
        f"Chosen{by}: {chosen}. Its {scale_of(document).label} is measured on the rows that chose it, so it is too "
        f"good on average; {'--by folds' if by else '--layers 2'} shows by how much."
    )


def scale_of(document: ValidationDocument) -> Measure:
    """One format for all figures: what the interval supports, and a digit more for settings beside each other."""
    chosen = document["chosen"]
    if finite(chosen["error"]) is None:
        return measured_by(document, document["settings"])
    return measured_by(document, [chosen, *document["settings"]], side_by_side(document, chosen))


def _split(document: ValidationDocument) -> str:
    by, splitting = document["by"], document["splitting"]
    if document["share"] is not None:
        held_out = f"{_percent(document['share'])} of the rows are held out for testing"
        return f"{held_out}{_HELD_OUT.get(splitting, '')}{_times(document)}"
    if by == "bootstrap":
        what = ", groups as a whole" if splitting == "grouped" else ""
        return f"{count(document['samples'], 'sample')} are drawn with replacement{what}"
    if by != "folds":
        return f"Each {'group' if by == 'leave_one_group_out' else 'row'} is left out in turn"
    turn = "each predicted from all before it" if splitting == "time" else "each left out in turn"
    return f"{folds_words(document)}, {turn}"


def _choice(document: ValidationDocument) -> str:
    if document["by"] == "bootstrap":
        return ""
    if document["layers"] == 1:
        return "; the setting is chosen on the same test rows"
    if document["inner_folds"] is not None:
        what = "windows in time of" if document["splitting"] == "time" else "inner folds of"
        return f"; the setting is chosen by {document['inner_folds']} {what} every training part"
    if document["inner_share"] is not None:
        return (
            f"; the setting is chosen on {_percent(document['inner_share'])} of the others, then trained on all of them"
        )
    if document["splitting"] == "time":
        return "; the setting is chosen on the folds before"
    how = "on its folds" if document["by"] == "folds" else "in the same way"
    return f"; the setting is chosen inside every training part, {how}"


def _layout(document: ValidationDocument, scale: Measure) -> Layout:
    parts = len(document["parts"])
    several = document["layers"] == 2 and len(document["settings"]) > 1
    inner: Layout = (("inner_error", "inner", scale.show),) if several else ()
    often: Layout = (("chosen_in", f"chosen in, of {parts}", str),) if several and parts > 1 else ()
    return (
        ("mark", "", None),
        ("setting", str(document["path"]), None),
        ("training_error", f"training {scale.unit}".strip(), scale.show),
        *inner,
        ("error", f"held out {scale.unit}".strip(), scale.show),
        *often,
    )


def _bootstrap_layout(document: ValidationDocument, scale: Measure) -> Layout:
    return (
        ("mark", "", None),
        ("setting", str(document["path"]), None),
        ("training_error", f"training {scale.unit}".strip(), scale.show),
        ("out_of_bag_error", "out of bag", scale.show),
        ("no_information_error", "γ", scale.show),
        ("overfitting", "R", _ratio),
        ("weight", "w", _ratio),
        ("error_632", ".632", scale.show),
        ("error_632_plus", ".632+", scale.show),
    )


def _rows(document: ValidationDocument) -> list[dict[str, object]]:
    """The settings as the table has them: what the head of the column says is not said again in every line."""
    rows = document["settings"]
    values = [row["value"] for row in rows]
    said = [row["setting"] for row in rows] if None in values else values
    mark = _CHOSEN if len(rows) > 1 else None
    return [
        {**row, "setting": what, "mark": mark and (mark if row["chosen"] else "")}
        for row, what in zip(rows, said, strict=True)
    ]


def _figures(document: ValidationDocument, scale: Measure) -> Figures:
    chosen, label = document["chosen"], scale.axis
    error = scale.show(chosen["error"])
    if interval_of(chosen):
        error = f"{error} {scale.show_interval(chosen['interval'])}"
    training = (f"training {label}", scale.show(chosen["training_error"]), "on the training rows")
    if len(document["settings"]) == 1:
        return [(f"held-out {label}", error, "of the only setting: nothing was chosen"), training]
    if document["layers"] == 1:
        return [(f"one-layer {label}", error, f"{chosen['setting']}, on the rows that chose it"), training]
    lower = f"{chosen['one_layer_setting']}, on the rows that chose it"
    return [
        (f"two-layer {label}", error, "choosing a setting and using it"),
        (f"one-layer {label}", scale.show(chosen["one_layer_error"]), lower),
        ("optimism", scale.scale.show(chosen["optimism"]), "by which one layer is too good"),
        training,
    ]


def _bootstrap_figures(document: ValidationDocument, scale: Measure) -> Figures:
    chosen, label = document["chosen"], scale.axis
    return [
        (f".632+ {label}", scale.show(chosen["error_632_plus"]), "out-of-bag has weight w, larger with overfitting"),
        (f".632 {label}", scale.show(chosen["error_632"]), "out-of-bag has weight .632, training .368"),
        (
            f"out-of-bag {label}",
            scale.show(chosen["out_of_bag_error"]),
            f"models saw about .632 of the rows: too {_worse(scale)}",
        ),
        (f"training {label}", scale.show(chosen["training_error"]), "model of all rows, on those rows: too good"),
    ]


def _print_figures(console: Console, figures: Figures) -> None:
    grid = Table.grid(padding=(0, _BETWEEN, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for name, shown, meaning in figures:
        grid.add_row(words(name, console), words(shown, console, "bold"), words(meaning, console))
    console.print(Plain(grid))


def _warnings(document: ValidationDocument) -> list[tuple[str, str]]:
    given = [(str(document["model"]), str(text)) for text in document["warnings"]]
    more = [("", f"and {len(given) - _WARNINGS} more, in --json")] if len(given) > _WARNINGS else []
    return given[:_WARNINGS] + more


def _say(console: Console, text: str, style: str = "") -> None:
    console.print(Plain(words(text, console, style)))


def _times(document: ValidationDocument) -> str:
    repeats = document["repeats"] or 1
    return f", {repeats} times" if repeats > 1 else ""


def _span(ends: Sequence[int]) -> str:
    low, high = ends
    return count(low) if low == high else f"{count(low)} to {count(high)}"


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _worse(scale: Measure) -> str:
    return "low" if scale.higher_is_better else "high"


def _ratio(value: object) -> str:
    number = finite(value)
    return MISSING if number is None else f"{number:.3f}"
