"""A validation in the terminal: what was done, every setting in training and on unseen rows, and what to expect."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from rich.console import Console
from rich.table import Table

from venire.report.document.shapes.validation import ValidationDocument
from venire.report.sentences.left_out import account, bonds, item_list
from venire.report.sentences.numbers import MISSING, Scale, count, finite, interval_of
from venire.report.terminal.console import Plain, short_path, words
from venire.report.terminal.listings import Layout, listing
from venire.selection.document import SelectionDocument

Figures = list[tuple[str, str, str]]  # what it is, the figure with its interval, what it is of

_CHOSEN = "▸"
_BETWEEN = 2  # cells between the columns of figures
_WARNINGS = 8  # told one by one
_FINER = 10.0  # settings are judged on the same rows: differences are finer than the interval of each
_TOLD = 20.0  # an error is told at least this finely, or a wide interval would leave no digit to compare
_DEALT = {
    "random": "dealt at random",
    "stratified": "with even shares of every class",
    "grouped": "of whole groups",
    "time": "in time order",
}
_ESTIMATES = {"632+": ".632+", "632": ".632", "out_of_bag": "out of bag"}
_KEPT_BACK = {
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
    if told := closing(document):
        console.print()
        _say(console, told)
    if checked := honesty(document):
        console.print()
        _say(console, f"honesty: {checked}.", "dim")
    item_list(console, "Warnings", _warnings(document))
    account(document, console)


def honesty(document: ValidationDocument | SelectionDocument) -> str:
    """What came of the check that nothing is learned from rows that must not be seen; empty where none was made."""
    said = {
        "certified": "run again with the rows it must not know overwritten by nonsense, and no prediction changed",
        "leaks": "the figures above are not to be trusted",
        "not checked": "not checked",
    }
    found = [(said[str(check["status"])], str(check["reason"])) for check in document["certificates"]]
    return "; ".join(f"{what}: {why}" if why else what for what, why in found)


def title(document: ValidationDocument) -> str:
    """What was validated, on what, how, and by which measure."""
    ways = {
        "folds": f"{count(document['blocks'], 'block')}{_times(document)}",
        "leave_one_out": "leaving one out",
        "leave_one_group_out": "leaving one group out",
        "holdout": "hold-out",
        "subsampling": "random sub-sampling",
        "bootstrap": "bootstrap",
    }
    parts = [
        f"{document['target']} in {short_path(document['source'])}",
        count(document["rows"], "row"),
        *bonds(document),
        str(document["model"]),
        ways[document["by"]],
        str(document["metric_label"]),
    ]
    return " · ".join(parts)


def done(document: ValidationDocument) -> str:
    """How rows were split and the setting chosen, and how many rows were trained and tested on."""
    rows = f"Trained on {_span(document['trained_on'])} rows, tested on {_span(document['tested_on'])}"
    if document["by"] == "bootstrap":
        rows = (
            f"A sample holds {_span(document['trained_on'])} different rows and is tested on the other "
            f"{_span(document['tested_on'])}"
        )
    fits = count(document["trials"], "fit")
    if len(document["settings"]) == 1:
        return f"{_split(document)}. {rows}; {fits}."
    return f"{_split(document)}{_choice(document)}. {rows}; {fits} of the whole path."


def closing(document: ValidationDocument) -> str:
    """Which setting it is, and what is to be kept in mind of its error; empty where nothing was chosen."""
    settings, chosen = document["settings"], document["chosen"]["setting"]
    if len(settings) == 1:
        return ""
    if document["layers"] == 2:
        often = next(row["chosen_in"] for row in settings if row["chosen"])
        parts = len(document["parts"])
        return (
            f"Chosen on all rows: {chosen}; in {often} of {parts} training parts."
            if parts > 1
            else f"Chosen: {chosen}."
        )
    by = f" by {_ESTIMATES[document['estimate']]}" if document["estimate"] else ""
    return (
        f"Chosen{by}: {chosen}. Judged on the rows it was chosen on, its error is too low on average; "
        f"{'--by folds' if by else '--layers 2'} says by how much."
    )


def scale_of(document: ValidationDocument) -> Scale:
    """One format for all errors: what the interval supports, and a digit more."""
    chosen = document["chosen"]
    error = finite(chosen["error"])
    if error is None:
        return Scale.of(document["settings"])
    ends = interval_of(chosen)
    width = min((ends[1] - ends[0]) / _FINER if ends else inf, abs(error) / _TOLD or inf)
    return Scale.of([{"error": error, "interval": [error - width / 2, error + width / 2]}, *document["settings"]])


def _split(document: ValidationDocument) -> str:
    by, dealing = document["by"], document["dealing"]
    if document["share"] is not None:
        return f"{_percent(document['share'])} of the rows are kept back{_KEPT_BACK.get(dealing, '')}{_times(document)}"
    if by == "bootstrap":
        what = ", groups as a whole" if dealing == "grouped" else ""
        return f"{count(document['samples'], 'sample')} are drawn with replacement{what}"
    if by != "folds":
        return f"Every {'group' if by == 'leave_one_group_out' else 'row'} is left out in turn"
    dealt = _DEALT[dealing] if document["classes"] or dealing != "stratified" else "with low and high numbers alike"
    turn = "predicted from all before it" if dealing == "time" else "left out in turn"
    return f"{count(document['blocks'], 'block')} {dealt}{_times(document)}, each {turn}"


def _choice(document: ValidationDocument) -> str:
    if document["by"] == "bootstrap":
        return ""
    if document["layers"] == 1:
        return "; the setting is chosen on what is left out"
    if document["inner_folds"] is not None:
        what = "windows of" if document["dealing"] == "time" else "folds dealt anew inside"
        return f"; the setting is chosen in {document['inner_folds']} {what} every training part"
    if document["inner_share"] is not None:
        return f"; the setting is chosen on {_percent(document['inner_share'])} of the others, then trained on them all"
    if document["dealing"] == "time":
        return "; the setting is chosen on the blocks before"
    how = "on its blocks" if document["by"] == "folds" else "in the same way"
    return f"; the setting is chosen inside every training part, {how}"


def _layout(document: ValidationDocument, scale: Scale) -> Layout:
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


def _bootstrap_layout(document: ValidationDocument, scale: Scale) -> Layout:
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
    rows, said = document["settings"], f"{document['path']} = "
    said = said if all(row["setting"].startswith(said) for row in rows) else ""
    mark = _CHOSEN if len(rows) > 1 else None
    return [
        {**row, "setting": row["setting"].removeprefix(said), "mark": mark and (mark if row["chosen"] else "")}
        for row in rows
    ]


def _figures(document: ValidationDocument, scale: Scale) -> Figures:
    chosen, label = document["chosen"], f"{document['metric_label']} {scale.unit}".strip()
    error = scale.show(chosen["error"])
    if interval_of(chosen):
        error = f"{error} {scale.show_interval(chosen['interval'])}"
    training = (f"training {label}", scale.show(chosen["training_error"]), "on rows trained on")
    if len(document["settings"]) == 1:
        return [(f"held-out {label}", error, "of the one setting there is: nothing was chosen"), training]
    if document["layers"] == 1:
        return [(f"one-layer {label}", error, f"{chosen['setting']}, on rows that chose it"), training]
    lower = f"{chosen['one_layer_setting']}, on rows that chose it"
    return [
        (f"two-layer {label}", error, "of the procedure, choice included"),
        (f"one-layer {label}", scale.show(chosen["one_layer_error"]), lower),
        ("optimism", scale.show(chosen["optimism"]), "two-layer less one-layer"),
        training,
    ]


def _bootstrap_figures(document: ValidationDocument, scale: Scale) -> Figures:
    chosen, label = document["chosen"], f"{document['metric_label']} {scale.unit}".strip()
    return [
        (f".632+ {label}", scale.show(chosen["error_632_plus"]), "out of bag weighs w, more the more it overfits"),
        (f".632 {label}", scale.show(chosen["error_632"]), "out of bag weighs .632, training .368"),
        (
            f"out-of-bag {label}",
            scale.show(chosen["out_of_bag_error"]),
            "of models of about .632 of the rows: too high",
        ),
        (f"training {label}", scale.show(chosen["training_error"]), "of a model of all rows, on those rows: too low"),
    ]


def _print_figures(console: Console, figures: Figures) -> None:
    grid = Table.grid(padding=(0, _BETWEEN, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for name, shown, told in figures:
        grid.add_row(words(name, console), words(shown, console, "bold"), words(told, console))
    console.print(Plain(grid))


def _warnings(document: ValidationDocument) -> list[tuple[str, str]]:
    told = [(str(document["model"]), str(text)) for text in document["warnings"]]
    more = [("", f"and {len(told) - _WARNINGS} more, in --json")] if len(told) > _WARNINGS else []
    return told[:_WARNINGS] + more


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


def _ratio(value: object) -> str:
    number = finite(value)
    return MISSING if number is None else f"{number:.3f}"
