"""The commands there are, in the order of `--help`. Data goes to stdout, progress and errors to stderr.

Heavy imports wait until a command needs them, so that help and the first sign of life are immediate.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from venire.cli.handing_over import card, export
from venire.cli.help import GroupedCommand
from venire.cli.model_commands import evaluate, explain, predict
from venire.cli.opening_studio import studio
from venire.cli.serving import serve
from venire.cli.table_commands import compare, fit, select, show, validate
from venire.cli.tableless_commands import demo, model, models, report, runs, schema, tutorial

app = typer.Typer(
    name="venire",
    help="A jury of models, and an honest verdict: which model, how good is it really, and is the difference real?",
    epilog="Start with `venire demo`, or `venire compare TABLE --target COLUMN`.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def top(
    ctx: typer.Context,
    show_version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """A jury of models, and an honest verdict."""
    if show_version:
        typer.echo(f"venire {version('venire')}")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


for command, said in (
    (compare, "Compare models on a table, and print the verdict."),
    (fit, "Fit one model on all rows of a table, and write it to a file."),
    (predict, "Predict the rows of a table with a model file."),
    (evaluate, "Evaluate a model file on rows with known outcome."),
    (explain, "Explain the predictions of a model file, row by row."),
    (serve, "Serve model files over HTTP."),
    (studio, "Open the studio: tables, runs and verdicts in a browser."),
    (validate, "Validate one model on a table, by any kind of split."),
    (select, "Select columns (features), forward or backward."),
    (show, "Print what is read from a table."),
    (model, "Print what is in a model file."),
    (card, "Write the model card of a model file."),
    (export, "Write the model of a file as an ONNX graph."),
    (models, None),
    (runs, "List what was computed before."),
    (report, "Write the report of a run that was computed before."),
    (schema, "Print the JSON Schema of what --json prints."),
    (tutorial, "Walk through the methods by small examples."),
    (demo, "Compare models on data that ships with venire, and write a report."),
):
    app.command(cls=GroupedCommand, short_help=said)(command)
