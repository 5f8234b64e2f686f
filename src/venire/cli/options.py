"""The options of the commands: what each is called, how it is explained, and how its text becomes a value."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer

from venire.errors import UsageError
from venire.wording import DEFAULT_FOLDS

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
        raise typer.BadParameter(f"{text!r} is not a whole number") from None


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
        raise typer.BadParameter(f"{str(text)!r} is not a share between 0 and 1, such as 0.25 or 1/3")
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
        help="A file, several files with the same columns, a folder of them, or a quoted pattern. CSV, TSV, JSON, "
        "Parquet or Excel (.xlsx), the text formats also compressed (.gz, .zst); - reads from a pipe.",
    ),
]
ModelFile = Annotated[Path, typer.Argument(help="A model file, such as m.venire.", metavar="FILE", show_default=False)]
RunKey = Annotated[
    str,
    typer.Argument(metavar="RUN", help="The key of a run as `venire runs` lists it, its first letters, or its name."),
]

SchemaKind = Annotated[
    str | None,
    typer.Argument(
        metavar="KIND",
        help="Which document, such as verdict; none lists them.",
        show_default=False,
    ),
]

Target = Annotated[
    str | None,
    text(QUESTION, "The column to predict. Rows without it are left out.", "--target", "-t", metavar="COLUMN"),
]
Positive = Annotated[
    str | None,
    text(
        QUESTION,
        "The class of interest, where there are two classes.",
        metavar="CLASS",
        default="the one called yes, true, 1; else the rarer",
    ),
]
TaskName = Annotated[
    str | None, text(QUESTION, "classification or regression.", "--task", default="from the values of the target")
]
MetricName = Annotated[
    str | None,
    text(
        QUESTION,
        "What is measured. For classes: error, accuracy, balanced_error, balanced_accuracy, log_loss, brier, auc (or "
        "roc_auc), f1; for numbers: rmse, mae, r2.",
        "--metric",
        default="error or rmse",
    ),
]
Costs = Annotated[
    str | None,
    text(
        QUESTION,
        "What mistakes cost: a false alarm and a miss, such as 1:10; a matrix, such as '0,1;10,0', with one row per "
        "actual class; or a JSON or CSV file of such a matrix. The model then decides by least cost, and the cost is "
        "measured.",
        metavar="COSTS",
    ),
]
Models = Annotated[
    list[str] | None,
    text(
        VALIDATION,
        "Only these models of `venire models`, such as tree,forest,vote; with +, these besides all others: +lightgbm.",
        metavar="NAMES",
        default="all",
    ),
]
Direction = Annotated[
    str,
    text(VALIDATION, "forward adds columns, backward removes them.", "--direction", "-d", metavar="WAY"),
]
SelectionModel = Annotated[
    str,
    text(
        VALIDATION,
        "The model fitted on each set of columns: linear, logistic, naive_bayes, knn, tree, forest or boosting.",
        "--model",
    ),
]
ValidatedModel = Annotated[
    str | None, text(VALIDATION, "The model to validate, one of `venire models`.", "--model", "-m", default=False)
]
FittedModel = Annotated[
    str | None, text(VALIDATION, "The model to fit, one of `venire models`.", "--model", "-m", default=False)
]
FittedSetting = Annotated[
    str | None,
    text(
        VALIDATION,
        "Its setting, such as 'k = 5'; without it, the one with the lowest error.",
        "--setting",
        metavar="SETTING",
    ),
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
    _number(
        VALIDATION, "2 (nested): the test rows have no part in choosing the setting; 1: they choose it.", default="2"
    ),
]
InnerFolds = Annotated[
    int | None,
    _number(VALIDATION, "How many folds the rows are split into.", default=f"{DEFAULT_FOLDS}; fewer in a short budget"),
]
Share = Annotated[
    float | None, _share(VALIDATION, "The share of all rows that holdout and subsampling test on.", default="1/3")
]
InnerShare = Annotated[
    float | None, _share(VALIDATION, "The share of the other rows that choose the setting.", default="1/3")
]
Samples = Annotated[int | None, _number(VALIDATION, "How many samples the bootstrap draws.", default="100")]
Estimate = Annotated[
    str | None,
    text(VALIDATION, "The bootstrap estimate to choose by: 632+, 632 or out_of_bag.", "--estimate", default="632+"),
]
WholePath = Annotated[bool, flag(VALIDATION, "Go on to the end, even if no column helps.", "--whole-path")]
Columns = Annotated[
    int | None,
    _number(VALIDATION, "Choose this many columns.", default="the number with the lowest error"),
]
Attributes = Annotated[int | None, typer.Option("--attributes", hidden=True)]  # what --columns was called before
_FOLDS = "How many folds the rows are split into."
Folds = Annotated[int | None, _number(VALIDATION, _FOLDS, default=DEFAULT_FOLDS)]
FoldsByBudget = Annotated[
    int | None, _number(VALIDATION, _FOLDS, default=f"{DEFAULT_FOLDS}; fewer where a budget is short")
]
_REPEATS = "How many times everything is repeated, each time with a new split."
Repeats = Annotated[int, _number(VALIDATION, _REPEATS)]
MaybeRepeats = Annotated[
    int | None,
    _number(VALIDATION, _REPEATS, default="1; 20 for subsampling"),
]
Groups = Annotated[
    str | None, text(VALIDATION, "Keep rows with the same value in this column in one fold.", metavar="COLUMN")
]
TimeColumn = Annotated[
    str | None,
    text(VALIDATION, "Order the rows by this column: the past predicts the future.", "--time", metavar="COLUMN"),
]
Weights = Annotated[
    str | None,
    text(VALIDATION, "How much each row counts in training. In testing all count alike.", metavar="COLUMN"),
]
Stratified = Annotated[
    bool, flag(VALIDATION, "Give every fold the same share of each class (or of low and high values).", "--stratified")
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
_RULES = "How a setting is chosen: best, or one_standard_error: the simplest within one standard error of the best."
RuleName = Annotated[str, text(VALIDATION, _RULES, "--rule")]
MaybeRule = Annotated[str | None, text(VALIDATION, _RULES, "--rule", default="best")]
Mute = Annotated[
    list[str] | None, text(OUTPUT, "Leave out findings with these codes, such as V006,V008.", metavar="CODES")
]
Seed = Annotated[int, _number(VALIDATION, "The same seed gives the same result.")]
Jobs = Annotated[int | None, _number(LIMITS, "How many trials run at a time.", default="one per core")]
Budget = Annotated[
    str, text(LIMITS, "How long it may take: seconds, or 90s, 10m, 2h; none for no limit.", metavar="TIME")
]
RunName = Annotated[
    str | None,
    text(OUTPUT, "What `venire runs` calls it.", "--name", metavar="NAME", default="the name of the file"),
]
Report = Annotated[
    Path | None,
    text(OUTPUT, "Write the report here: one HTML page that opens offline.", metavar="FILE"),
]
Save = Annotated[
    Path | None,
    text(OUTPUT, "Write the chosen model here, fitted on all rows, such as m.venire.", "--save", metavar="FILE"),
]
SaveFitted = Annotated[
    Path | None, text(OUTPUT, "Write the fitted model here, such as m.venire.", "--save", metavar="FILE", default=False)
]
WorstRows = Annotated[
    int, _number(OUTPUT, "List this many of the rows that are most wrong in the report, by their row numbers.")
]
Picture = Annotated[
    Path | None,
    text(OUTPUT, "Draw the path here: .html, .png, .svg or .pdf.", "--picture", metavar="FILE"),
]
DemoReport = Annotated[Path, text(OUTPUT, "Where to write the report, a page that opens offline.", metavar="FILE")]
Page = Annotated[
    Path | None,
    text(OUTPUT, "Where to write the page.", "--output", "-o", metavar="FILE", default="venire-RUN.html"),
]
Json = Annotated[bool, flag(OUTPUT, "Print one JSON document instead, for an error as well.", "--json")]
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
            f"{budget!r} is not a time for --budget",
            code="bad_budget",
            hint="give seconds, or a time such as 90s, 10m or 2h, or none for no limit",
        )
    return amount
