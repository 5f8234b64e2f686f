"""The options of the commands: what each is called, how it is explained, and how its text becomes a value."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer

from venire.errors import UsageError

# The groups of `--help`, in the order in which a person needs them.
QUESTION = "The question"
VALIDATION = "Models and validation"
LIMITS = "Limits"
OUTPUT = "Output"


def whole_number(text: str | int) -> int:
    """A whole number, or a sentence that says what was given instead.

    >>> whole_number(" 5 ")
    5
    """
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no whole number") from None


def share(text: str | float) -> float:
    """A share of the rows, or a sentence that says what was given instead.

    >>> share("0.25"), share("1/4")
    (0.25, 0.25)
    """
    try:
        found = float(Fraction(text))
    except (ValueError, ZeroDivisionError):
        found = 0.0
    if not 0 < found < 1:
        raise typer.BadParameter(f"{str(text)!r} is no share between 0 and 1, such as 0.25 or 1/3")
    return found


def difference(text: str | float) -> float:
    """A difference of errors, or a sentence that says what was given instead.

    >>> difference("0.005")
    0.005
    """
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found < float("inf"):
        raise typer.BadParameter(f"{str(text)!r} is no difference from 0 on, such as 0.01")
    return found


def text(panel: str, help: str, *names: str, metavar: str = "NAME", default: str | bool = True) -> Any:
    """An option with a text."""
    return typer.Option(*names, help=help, metavar=metavar, rich_help_panel=panel, show_default=default)


def _number(panel: str, help: str, *, default: str | bool = True) -> Any:
    return typer.Option(help=help, metavar="N", rich_help_panel=panel, show_default=default, parser=whole_number)


def _share(panel: str, help: str, *, default: str) -> Any:
    return typer.Option(help=help, metavar="SHARE", rich_help_panel=panel, show_default=default, parser=share)


def flag(panel: str, help: str, *names: str) -> Any:
    """An option that is there or not."""
    return typer.Option(*names, help=help, rich_help_panel=panel)


Source = Annotated[
    list[str],
    typer.Argument(
        metavar="TABLE...",
        help="A file, several with the same columns, or a quoted pattern: CSV, TSV, JSON lines or Parquet, "
        "also as .gz or .zst; - is what is piped in.",
    ),
]
RunKey = Annotated[
    str, typer.Argument(metavar="RUN", help="The key of a run, or its first letters, as `venire runs` lists it.")
]

Target = Annotated[
    str | None,
    text(QUESTION, "The column to predict. Rows without it are left out.", "--target", "-t", metavar="COLUMN"),
]
Positive = Annotated[
    str | None,
    text(
        QUESTION,
        "The class of interest, of two.",
        metavar="CLASS",
        default="the one called yes, true, 1; else the rarer",
    ),
]
TaskName = Annotated[
    str | None, text(QUESTION, "classification or regression.", "--task", default="by the target's values")
]
MetricName = Annotated[
    str | None,
    text(
        QUESTION,
        "What is measured. For classes: error, balanced_error, log_loss, brier, auc, f1; for numbers: rmse, mae, r2.",
        "--metric",
        default="error or rmse",
    ),
]
Costs = Annotated[
    str | None,
    text(
        QUESTION,
        "What mistakes cost: a false alarm and a miss such as 1:10, a matrix such as '0,1;10,0' with a row an actual "
        "class, or a JSON or CSV file of one. The decision is then the cheapest, and its cost is what is measured.",
        metavar="COSTS",
    ),
]
Models = Annotated[
    list[str] | None,
    text(VALIDATION, "Only these of `venire models`, such as tree,forest,vote.", metavar="NAMES", default="all"),
]
Direction = Annotated[
    str,
    text(VALIDATION, "forward adds attributes, backward removes them.", "--direction", "-d", metavar="WAY"),
]
SelectionModel = Annotated[
    str,
    text(
        VALIDATION,
        "By what the subsets are judged: linear, logistic, naive_bayes, knn, tree, forest or boosting.",
        "--model",
    ),
]
ValidatedModel = Annotated[
    str | None, text(VALIDATION, "The one to validate, of `venire models`.", "--model", "-m", default=False)
]
By = Annotated[
    str,
    text(
        VALIDATION,
        "How rows are split: folds, leave_one_out, leave_one_group_out, holdout, subsampling or bootstrap.",
        "--by",
        metavar="WAY",
    ),
]
Layers = Annotated[
    int | None,
    _number(VALIDATION, "2 judges the choice of a setting, too; 1 judges on the blocks it is chosen on.", default="2"),
]
InnerFolds = Annotated[
    int | None,
    _number(
        VALIDATION,
        "Choose the setting in this many folds, dealt anew inside every training part.",
        default="on the blocks of the outer layer",
    ),
]
Share = Annotated[
    float | None, _share(VALIDATION, "Of all rows, what a hold-out or sub-sampling tests on.", default="1/3")
]
InnerShare = Annotated[
    float | None, _share(VALIDATION, "Of the other rows, what it chooses the setting on.", default="1/3")
]
Samples = Annotated[int | None, _number(VALIDATION, "How many samples the bootstrap draws.", default="100")]
Estimate = Annotated[
    str | None,
    text(
        VALIDATION, "By what the bootstrap judges and chooses: 632+, 632 or out_of_bag.", "--estimate", default="632+"
    ),
]
WholePath = Annotated[bool, flag(VALIDATION, "Go on to the end, also where no attribute helps.", "--whole-path")]
Attributes = Annotated[
    int | None,
    _number(VALIDATION, "Choose this many attributes.", default="as many as err least"),
]
Folds = Annotated[
    int | None,
    _number(VALIDATION, "Into how many blocks the rows are dealt.", default="10, and 5 above 20,000 rows"),
]
Repeats = Annotated[int, _number(VALIDATION, "How many times the rows are dealt anew.")]
MaybeRepeats = Annotated[
    int | None,
    _number(VALIDATION, "How many times the rows are dealt anew.", default="1, and 20 for subsampling"),
]
Groups = Annotated[
    str | None, text(VALIDATION, "Keep rows with the same value in this column in one block.", metavar="COLUMN")
]
TimeColumn = Annotated[
    str | None,
    text(VALIDATION, "Order rows by this column; the past predicts the future.", "--time", metavar="COLUMN"),
]
Weights = Annotated[
    str | None, text(VALIDATION, "How much each row counts in training; errors count all alike.", metavar="COLUMN")
]
Stratified = Annotated[
    bool, flag(VALIDATION, "Deal every class (or low and high numbers) evenly over the blocks.", "--stratified")
]
Duplicates = Annotated[
    str, text(VALIDATION, "Copies of a row: together in one fold, or apart like any other rows.", "--duplicates")
]
PracticalDifference = Annotated[
    float | None,
    typer.Option(
        help="Two models closer than this are the same in practice.",
        metavar="DIFFERENCE",
        rich_help_panel=VALIDATION,
        show_default="1 % of the baseline's error",
        parser=difference,
    ),
]
_RULES = "How a setting is chosen: best, or one_standard_error for the simplest that is as good."
RuleName = Annotated[str, text(VALIDATION, _RULES, "--rule")]
MaybeRule = Annotated[str | None, text(VALIDATION, _RULES, "--rule", default="best")]
Mute = Annotated[
    list[str] | None, text(OUTPUT, "Leave out findings with these codes, such as V006,V008.", metavar="CODES")
]
Seed = Annotated[int, _number(VALIDATION, "The same seed gives the same result.")]
Jobs = Annotated[int | None, _number(LIMITS, "How many trials at a time.", default="one for each core")]
Budget = Annotated[
    str, text(LIMITS, "How long it may take: seconds, or such as 90s, 10m, 2h; none for no limit.", metavar="TIME")
]
Report = Annotated[
    Path | None,
    text(OUTPUT, "Also write the report here: one HTML page that opens offline.", metavar="FILE"),
]
Picture = Annotated[
    Path | None,
    text(OUTPUT, "Also draw the path here: .html, .png, .svg or .pdf.", "--picture", metavar="FILE"),
]
DemoReport = Annotated[Path, text(OUTPUT, "Where to write the report, one page that opens offline.", metavar="FILE")]
Page = Annotated[
    Path | None,
    text(OUTPUT, "Where to write the page.", "--output", "-o", metavar="FILE", default="venire-RUN.html"),
]
Json = Annotated[bool, flag(OUTPUT, "Print one JSON document instead, also for an error.", "--json")]
Quiet = Annotated[bool, flag(OUTPUT, "Show no progress, only the result and errors.", "--quiet", "-q")]


def names(given: list[str] | None) -> tuple[str, ...]:
    """Several options, each a name or names with commas between; quotes keep a comma that belongs to a name.

    >>> names(["a, b", "c", '"x,y"'])
    ('a', 'b', 'c', 'x,y')
    """
    parts = (part.strip() for text in given or () for part in next(csv.reader([text], skipinitialspace=True), []))
    return tuple(part for part in parts if part)


def one_or_many(source: list[str]) -> Any:
    """A single table as it is, several as a list."""
    return source[0] if len(source) == 1 else source


def seconds(budget: str) -> float | None:
    """A budget: `none`, seconds, or a number with s, m or h.

    >>> seconds("none"), seconds("90"), seconds("10m")
    (None, 90.0, 600.0)
    """
    text = budget.strip().lower()
    if text == "none":
        return None
    unit = {"s": 1.0, "m": 60.0, "h": 3600.0}.get(text[-1:], 0.0)
    try:
        amount = float(text[:-1]) * unit if unit else float(text)
    except ValueError:
        amount = -1.0
    if not 0 < amount < float("inf"):
        raise UsageError(
            f"{budget!r} is no length of time for --budget",
            code="bad_budget",
            hint="give seconds, or such as 90s, 10m, 2h, or none for no limit",
        )
    return amount
