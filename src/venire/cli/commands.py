"""The commands: parse, call, print. Data goes to stdout, progress and errors to stderr.

Heavy imports wait until a command needs them, so that help and the first sign of life are immediate.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer

from venire.cli import options
from venire.cli.ending import in_options, print_json
from venire.cli.help import GroupedCommand

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
    show_version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False,
) -> None:
    """A jury of models, and an honest verdict."""
    if show_version:
        typer.echo(f"venire {version('venire')}")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


@app.command(cls=GroupedCommand, short_help="Compare models on a table, and print the verdict.")
def compare(
    ctx: typer.Context,
    source: options.Source,
    target: options.Target = None,
    positive: options.Positive = None,
    task: options.TaskName = None,
    metric: options.MetricName = None,
    costs: options.Costs = None,
    models: options.Models = None,
    folds: options.Folds = None,
    repeats: options.Repeats = 1,
    groups: options.Groups = None,
    time: options.TimeColumn = None,
    weights: options.Weights = None,
    stratified: options.Stratified = False,
    rule: options.RuleName = "best",
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    budget: options.Budget = "10m",
    report: options.Report = None,
    mute: options.Mute = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    drop: options.Drop = None,
    numeric: options.Numeric = None,
    categorical: options.Categorical = None,
    boolean: options.Boolean = None,
    date: options.Date = None,
    missing: options.Missing = None,
    only_missing: options.OnlyMissing = False,
    header: options.Header = None,
    delimiter: options.Delimiter = None,
    quote: options.Quote = None,
    decimal: options.Decimal = None,
    encoding: options.Encoding = None,
) -> None:
    """Train the bucket of models on a table, validate it in two layers, and print the verdict.

    What was computed before is kept under .venire (or VENIRE_HOME): the same command again goes on where it was.
    """
    from venire.cli.comparing import Request, carry_out

    asked = {
        "target": target,
        "metric": metric,
        "costs": costs,
        "models": None if models is None else options.names(models),
        "folds": folds,
        "repeats": repeats,
        "stratified": stratified,
        "rule": rule,
        "mute": options.names(mute),
        "seed": seed,
        "jobs": jobs,
        "budget": options.seconds(budget),
        **options.reading(ctx.params),
    }
    raise typer.Exit(carry_out(Request(lambda: options.one_or_many(source), asked, report, as_json, quiet)))


@app.command(cls=GroupedCommand, short_help="Select attributes, forward or backward, by cross-validated error.")
def select(
    ctx: typer.Context,
    source: options.Source,
    target: options.Target = None,
    direction: options.Direction = "forward",
    positive: options.Positive = None,
    task: options.TaskName = None,
    metric: options.MetricName = None,
    costs: options.Costs = None,
    model: options.SelectionModel = "linear",
    whole_path: options.WholePath = False,
    attributes: options.Attributes = None,
    folds: options.Folds = None,
    repeats: options.Repeats = 1,
    groups: options.Groups = None,
    time: options.TimeColumn = None,
    weights: options.Weights = None,
    stratified: options.Stratified = False,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    picture: options.Picture = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    drop: options.Drop = None,
    numeric: options.Numeric = None,
    categorical: options.Categorical = None,
    boolean: options.Boolean = None,
    date: options.Date = None,
    missing: options.Missing = None,
    only_missing: options.OnlyMissing = False,
    header: options.Header = None,
    delimiter: options.Delimiter = None,
    quote: options.Quote = None,
    decimal: options.Decimal = None,
    encoding: options.Encoding = None,
) -> None:
    """Select attributes by cross-validated error, and print the path and the two-layer error of the selection.

    Forward starts without attributes and adds the best one while the error falls; backward starts with all and removes
    the least useful one while the error does not rise.
    """
    from venire.cli.comparing import Request
    from venire.cli.selecting import carry_out

    asked = {
        "target": target,
        "direction": direction,
        "model": model,
        "metric": metric,
        "costs": costs,
        "whole_path": whole_path,
        "n_attributes": attributes,
        "folds": folds,
        "repeats": repeats,
        "stratified": stratified,
        "seed": seed,
        "jobs": jobs,
        **options.reading(ctx.params),
    }
    raise typer.Exit(carry_out(Request(lambda: options.one_or_many(source), asked, picture, as_json, quiet)))


@app.command(cls=GroupedCommand, short_help="Print what is read from a table.")
def show(
    ctx: typer.Context,
    source: options.Source,
    target: options.Target = None,
    positive: options.Positive = None,
    task: options.TaskName = None,
    groups: options.Groups = None,
    time: options.TimeColumn = None,
    weights: options.Weights = None,
    as_json: options.Json = False,
    drop: options.Drop = None,
    numeric: options.Numeric = None,
    categorical: options.Categorical = None,
    boolean: options.Boolean = None,
    date: options.Date = None,
    missing: options.Missing = None,
    only_missing: options.OnlyMissing = False,
    header: options.Header = None,
    delimiter: options.Delimiter = None,
    quote: options.Quote = None,
    decimal: options.Decimal = None,
    encoding: options.Encoding = None,
) -> None:
    """Print what is read from a table: columns, kinds, missing values, what is left out, and notes."""
    from venire.data import describe, read_table
    from venire.report import listings
    from venire.report.terminal import make_console

    facts = describe(read_table(options.one_or_many(source), target, **options.reading(ctx.params)))
    if as_json:
        print_json(in_options(facts))
    else:
        listings.columns(in_options(facts), make_console())


@app.command(cls=GroupedCommand)
def models(as_json: options.Json = False) -> None:
    """List the bucket of models, with the settings each is tried at."""
    from venire.cli.listing import bucket
    from venire.report import listings
    from venire.report.terminal import make_console

    rows = bucket()
    if as_json:
        print_json({"schema_version": 1, "models": rows})
    else:
        listings.models(rows, make_console())


@app.command(cls=GroupedCommand)
def runs(as_json: options.Json = False) -> None:
    """List what was computed before; the same comparison again goes on from there."""
    from datetime import UTC, datetime

    from venire.cli.listing import dated, kept_runs
    from venire.report import listings
    from venire.report.terminal import make_console
    from venire.validation.runs import Runs

    home = Runs.default()
    rows = kept_runs(home)
    if as_json:
        print_json({"schema_version": 1, "home": str(home.home), "runs": rows})
    else:
        listings.runs(dated(rows, datetime.now(UTC)), make_console())


@app.command(cls=GroupedCommand)
def report(run_key: options.RunKey, output: options.Page = None) -> None:
    """Write the report of a run that was computed before, and print where it is."""
    from venire.cli.comparing import check_place
    from venire.cli.listing import kept_verdict
    from venire.report import html
    from venire.validation.runs import Runs

    home = Runs.default()
    run = home.find(run_key)
    page = output or Path(f"venire-{run.key[:8]}.html")
    check_place(page)
    kept = kept_verdict(home, run)
    typer.echo(html.write(in_options(kept["document"]), kept["pictures"], page))


@app.command(cls=GroupedCommand, short_help="Compare models on data that ships with venire, and write a report.")
def demo(
    report: options.DemoReport = Path("venire-demo.html"),
    jobs: options.Jobs = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Compare the bucket of models on the rare-class data that ships with venire, and write a report."""
    from venire.cli.comparing import Request, carry_out

    raise typer.Exit(carry_out(Request(_demo_table, {"jobs": jobs}, report, as_json, quiet)))


def _demo_table() -> Any:
    from dataclasses import replace

    from venire.data.datasets import load

    return replace(load("banknotes"), source="banknotes (ships with venire)")
