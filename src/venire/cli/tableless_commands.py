"""The commands that take no table: what there is to ask for, what was computed before, and a first try."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from venire.cli import options
from venire.cli.exit_codes import in_options, print_json
from venire.cli.option_groups import deleting_options, learning_options, report_options


def models(as_json: options.Json = False) -> None:
    """List the models, with the settings that are tried for each."""
    from venire.errors import SCHEMA_VERSION
    from venire.flow.listing import bucket
    from venire.report.document.shapes.lists import ModelsDocument
    from venire.report.terminal import listings
    from venire.report.terminal.console import make_console

    rows = bucket()
    if as_json:
        print_json(ModelsDocument(schema_version=SCHEMA_VERSION, models=rows))
    else:
        listings.models(rows, make_console())


def model(path: options.ModelFile, as_json: options.Json = False) -> None:
    """Print what is in a model file: the model, its error, the columns it reads, and what it keeps of the data.

    The file is checked as it is when the model is loaded; nothing in it is run.
    """
    from venire.persist import describe_model
    from venire.report.terminal import model_file
    from venire.report.terminal.console import make_console

    facts = describe_model(path)
    if as_json:
        print_json(facts)
    else:
        model_file.show(facts, make_console())


def runs(
    delete: deleting_options.Delete = None,
    prune: deleting_options.Prune = False,
    older_than: deleting_options.OlderThan = None,
    larger_than: deleting_options.LargerThan = None,
    as_json: options.Json = False,
) -> None:
    """List what was computed before, or delete some of it. Running the same comparison again resumes it.

    A run is a question (a table, models, a metric, options) with its answer. Evidence, what models predicted, is shared
    between the runs on a table, and only deleted with the last run that uses it. A run that is running is not deleted.
    """
    from datetime import UTC, datetime

    from venire.flow import listing
    from venire.report.terminal import runs as runs_text
    from venire.report.terminal.console import make_console
    from venire.validation.evidence.runs import Runs

    deleting_options.check(delete, prune, older_than, larger_than)
    home, now = Runs.default(), datetime.now(UTC)
    if delete or prune:
        document = listing.deleted(home, delete, now, older_than, larger_than)
        print_json(document) if as_json else runs_text.deleted(document, make_console())
        return
    found = listing.kept_runs(home)
    if as_json:
        print_json(found)
    else:
        runs_text.runs(listing.dated(found["runs"], now), make_console(), found["damaged"], found["bytes"])


def report(
    run_key: options.RunKey,
    output: options.Page = None,
    compare: report_options.Compare = None,
    save_plot: report_options.SavePlot = None,
) -> None:
    """Write the report of a run that was computed before, and print where it is.

    With --compare, write two runs side by side: what changed in data, options and error, and whether the difference is
    real. With --save-plot, save pictures of the run as well.
    """
    from venire.cli.plots import check_place, kept_plot, read_plot
    from venire.flow.listing import kept_verdict, reading_a_verdict
    from venire.report.page import html, two_runs
    from venire.validation.evidence.runs import Runs

    home = Runs.default()
    run = home.find(run_key)
    other = None if compare is None else home.find(compare)
    page = output or Path(f"venire-{run.key[:8]}{'' if other is None else f'-{other.key[:8]}'}.html")
    check_place(page)
    plots = [read_plot(one) for one in save_plot or ()]
    kept = kept_verdict(home, run)
    document = in_options(kept["document"])
    with reading_a_verdict(run):
        if other is None:
            written = html.write(document, kept["pictures"], page)
        else:
            beside = kept_verdict(home, other)
            paired = run.evidence == other.evidence
            both = (document, kept["pictures"]), (in_options(beside["document"]), beside["pictures"])
            names = [f"{one.called} ({one.key[:8]})" for one in (run, other)]
            written = two_runs.write(*both, page, paired=paired, names=names)
        for plot in plots:
            kept_plot(plot.plot, document, kept["pictures"]).save(plot.file)
    typer.echo(written)


def schema(kind: options.SchemaKind = None) -> None:
    """Print the JSON Schema of what a command prints with --json."""
    from venire.report.document.schema import PRINTED_BY, published

    if kind is None:
        widest = max(map(len, PRINTED_BY))
        for name, commands in PRINTED_BY.items():
            typer.echo(f"{name:{widest}}  {commands}")
    else:
        print_json(published(kind))


def demo(
    report: options.DemoReport = Path("venire-demo.html"),
    jobs: options.Jobs = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Compare models on data with a rare class that ships with venire, and write a report."""
    from venire.cli.comparing import Request, carry_out

    raise typer.Exit(carry_out(Request(_demo_table, {"jobs": jobs}, report, as_json, quiet)))


def tutorial(
    lesson: learning_options.LessonName = None,
    listed: learning_options.Listed = False,
    notebooks: learning_options.Notebooks = None,
) -> None:
    """Walk through the methods by small examples, from a tree by information gain to comparing two classifiers.

    Each step says what comes, shows its code, and runs it when you press Enter; q ends it. Where the output is no
    terminal, it goes through without stopping.
    """
    from venire.tutorial.table_of_contents import LESSONS, find
    from venire.tutorial.walk import course, enter, table, write_notebooks

    if listed:
        typer.echo(table())
    elif notebooks is not None:
        typer.echo("\n".join(str(path) for path in write_notebooks(notebooks)))
    else:
        course(LESSONS if lesson is None else [find(lesson)], typer.echo, enter())


def _demo_table() -> Any:
    from dataclasses import replace

    from venire.data.datasets import load

    return replace(load("banknotes"), source="banknotes (ships with venire)")
