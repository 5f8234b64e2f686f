"""The command line: parse, call, print. Data goes to stdout, progress and errors to stderr.

Heavy imports wait until a command needs them, so that help and the first sign of life are immediate.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer

from venire.cli import options
from venire.cli.options import names, one_or_many, seconds
from venire.errors import VenireError

INTERRUPTED = 130
SOME_FAILED = 4

app = typer.Typer(
    name="venire",
    help="A jury of models, and an honest verdict: which model, how good is it really, and is the difference real?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def run() -> None:
    """The entry point: every error becomes one line, a hint and an exit code."""
    as_json = "--json" in sys.argv[1:]
    try:
        app(standalone_mode=False)
    except VenireError as error:
        sys.exit(_fail(error, as_json))
    except typer.Exit as done:
        sys.exit(done.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(_say("interrupted", INTERRUPTED))
    except BrokenPipeError:
        sys.stderr.close()  # whoever read us has gone; there is nobody to tell
        sys.exit(0)
    except Exception as error:
        exit_code = getattr(error, "exit_code", None)
        if exit_code is None or not hasattr(error, "format_message"):
            raise
        usage = VenireError(error.format_message(), code="usage", hint="see `venire --help`")
        usage.exit_code = int(exit_code)
        sys.exit(_fail(usage, as_json))


@app.callback(invoke_without_command=True)
def top(
    show_version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False,
) -> None:
    """A jury of models, and an honest verdict."""
    if show_version:
        typer.echo(f"venire {version('venire')}")
        raise typer.Exit


@app.command()
def compare(
    source: options.Source,
    target: options.Target = None,
    positive: options.Positive = None,
    task: options.TaskName = None,
    metric: Annotated[
        str | None,
        typer.Option(help="error, balanced_error, log_loss, brier, auc, f1; rmse, mae, r2. Default: error or rmse."),
    ] = None,
    models: Annotated[list[str] | None, typer.Option(help="Only these, such as tree,forest,vote.")] = None,
    folds: Annotated[int | None, typer.Option(help="Number of blocks. Default: 10, and 5 above 20,000 rows.")] = None,
    repeats: Annotated[int, typer.Option(help="Deal the rows this often.")] = 1,
    groups: options.Groups = None,
    time: options.TimeColumn = None,
    stratified: Annotated[bool, typer.Option("--stratified", help="Spread the classes evenly over blocks.")] = False,
    seed: Annotated[int, typer.Option(help="The same seed gives the same result.")] = 0,
    jobs: Annotated[int | None, typer.Option(help="Worker processes. Default: one a core.")] = None,
    budget: Annotated[str, typer.Option(help="Seconds, or 10m, 2h, none.")] = "600",
    report: Annotated[Path | None, typer.Option(help="Write the report here: one page that opens offline.")] = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
    drop: options.Drop = None,
    numeric: options.Numeric = None,
    categorical: options.Categorical = None,
    boolean: options.Boolean = None,
    date: options.Date = None,
    missing: options.Missing = None,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    encoding: options.Encoding = None,
) -> None:
    """Train the bucket of models on a table, validate it in two layers, and print the verdict."""
    from venire.cli.comparing import Request, carry_out

    reading = {
        "task": task,
        "drop": names(drop),
        "numeric": names(numeric),
        "categorical": names(categorical),
        "boolean": names(boolean),
        "date": names(date),
        "missing": tuple(missing) if missing else None,
        "delimiter": delimiter,
        "decimal": decimal,
        "encoding": encoding,
    }
    asked = {
        "target": target,
        "positive": positive,
        "metric": metric,
        "models": names(models) or None,
        "folds": folds,
        "repeats": repeats,
        "groups": groups,
        "time": time,
        "stratified": stratified,
        "seed": seed,
        "jobs": jobs,
        "budget": seconds(budget),
    }
    raise typer.Exit(carry_out(Request(one_or_many(source), {**asked, **reading}, report, as_json, quiet)))


@app.command()
def show(
    source: options.Source,
    target: options.Target = None,
    positive: options.Positive = None,
    task: options.TaskName = None,
    groups: options.Groups = None,
    time: options.TimeColumn = None,
    as_json: options.Json = False,
    drop: options.Drop = None,
    numeric: options.Numeric = None,
    categorical: options.Categorical = None,
    boolean: options.Boolean = None,
    date: options.Date = None,
    missing: options.Missing = None,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    encoding: options.Encoding = None,
) -> None:
    """Print what was read: columns, kinds, missing values, what was left out, and notes."""
    from venire.data import describe, read_table
    from venire.report import listings
    from venire.report.terminal import make_console

    table = read_table(
        one_or_many(source),
        target,
        positive=positive,
        task=task,
        groups=groups,
        time=time,
        drop=names(drop),
        numeric=names(numeric),
        categorical=names(categorical),
        boolean=names(boolean),
        date=names(date),
        missing=tuple(missing) if missing else None,
        delimiter=delimiter,
        decimal=decimal,
        encoding=encoding,
    )
    facts = describe(table)
    if as_json:
        _print_json(facts)
    else:
        listings.columns(facts, make_console())


@app.command()
def models(as_json: options.Json = False) -> None:
    """List the bucket of models, with each family's path."""
    from venire.cli.listing import bucket
    from venire.report import listings
    from venire.report.terminal import make_console

    rows = bucket()
    if as_json:
        _print_json({"schema_version": 1, "models": rows})
    else:
        listings.models(rows, make_console())


@app.command()
def runs(as_json: options.Json = False) -> None:
    """List what was computed before. Running the same comparison again resumes it."""
    from venire.cli.listing import kept_runs
    from venire.report import listings
    from venire.report.terminal import make_console
    from venire.validation.runs import Runs

    home = Runs.default()
    rows = kept_runs(home)
    if as_json:
        _print_json({"schema_version": 1, "home": str(home.home), "runs": rows})
    elif rows:
        listings.runs(rows, make_console())
    else:
        typer.echo(f"no runs under {home.home}")


@app.command()
def report(
    run_key: Annotated[str, typer.Argument(metavar="RUN", help="A run of `venire runs`, or the start of its name.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where to write the page.")] = None,
) -> None:
    """Write the report of a run that was computed before."""
    from venire.cli.listing import kept_verdict
    from venire.report import html
    from venire.validation.runs import Runs

    home = Runs.default()
    run = home.find(run_key)
    kept = kept_verdict(home, run)
    typer.echo(html.write(kept["document"], kept["pictures"], output or Path(f"venire-{run.key[:8]}.html")))


@app.command()
def demo(
    report: Annotated[Path, typer.Option(help="Where to write the report.")] = Path("venire-demo.html"),
    jobs: Annotated[int | None, typer.Option(help="Worker processes. Default: one a core.")] = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Compare the bucket on the rare-class data that ships with the package, and write a report."""
    from venire.cli.comparing import Request, carry_out
    from venire.data.datasets import dataset

    banknotes = dataset("banknotes")
    asked = {"target": banknotes.target, "positive": banknotes.positive, "jobs": jobs}
    raise typer.Exit(carry_out(Request(str(banknotes.path), asked, report, as_json, quiet)))


def _print_json(document: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def _fail(error: VenireError, as_json: bool) -> int:
    """One line and a hint on stderr; with --json the error document on stdout as well."""
    if as_json:
        _print_json(error.to_dict())
    return _say(f"error: {error}" + (f"\nhint: {error.hint}" if error.hint else ""), error.exit_code)


def _say(text: str, exit_code: int) -> int:
    encoding = sys.stderr.encoding or "utf-8"
    sys.stderr.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
    return exit_code
