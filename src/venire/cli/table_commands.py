"""The commands that take a table: parse, call, print."""

from __future__ import annotations

import typer

from venire.cli import options
from venire.cli.exit_codes import in_options, print_json
from venire.cli.option_groups import cluster_options, limit_options, report_options, use_options
from venire.cli.reading import reading, reads_a_table


@reads_a_table
def compare(
    ctx: typer.Context,
    source: options.Source,
    target: options.Target = None,
    metric: options.MetricName = None,
    costs: options.Costs = None,
    models: options.Models = None,
    folds: options.FoldsByBudget = None,
    repeats: options.Repeats = 1,
    stratified: options.Stratified = False,
    duplicates: options.Duplicates = "together",
    rule: options.RuleName = "best",
    practical_difference: options.PracticalDifference = None,
    test: use_options.TestFile = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    cluster: cluster_options.Cluster = None,
    shared: cluster_options.Shared = None,
    budget: options.Budget = "10m",
    evidence_limit: limit_options.EvidenceLimit = None,
    report: options.Report = None,
    name: options.RunName = None,
    save: options.Save = None,
    worst_rows: options.WorstRows = 0,
    explain: report_options.Explain = "auto",
    by: report_options.By = None,
    plot: report_options.Plot = None,
    save_plot: report_options.SavePlot = None,
    mute: options.Mute = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Compare models on a table by nested (two-layer) cross-validation, and print the verdict.

    What was computed is kept in .venire (or VENIRE_HOME): the same command resumes where it stopped.
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
        "practical_difference": practical_difference,
        "test": test,
        "duplicates": duplicates,
        "mute": options.names(mute),
        "name": name,
        "seed": seed,
        "jobs": jobs,
        "cluster": cluster,
        "shared": shared,
        "budget": options.seconds(budget),
        **reading(ctx.params),
    }
    request = Request(
        lambda: options.one_or_many(source),
        asked,
        report,
        as_json,
        quiet,
        save,
        worst_rows,
        explain,
        by=by,
        shown=tuple(plot or ()),
        plots=tuple(save_plot or ()),
        evidence_limit=evidence_limit,
    )
    raise typer.Exit(carry_out(request))


@reads_a_table
def fit(
    ctx: typer.Context,
    source: options.Source,
    target: options.Target = None,
    metric: options.MetricName = None,
    costs: options.Costs = None,
    model: options.FittedModel = None,
    setting: options.FittedSetting = None,
    folds: options.FoldsByBudget = None,
    repeats: options.Repeats = 1,
    stratified: options.Stratified = False,
    duplicates: options.Duplicates = "together",
    rule: options.RuleName = "best",
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    budget: options.Budget = "none",
    save: options.SaveFitted = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Fit one model on all rows of a table, and write it to a model file with its error on rows it has not seen.

    The error is that of nested (two-layer) cross-validation, as of `venire compare`. What was computed is kept in
    .venire (or VENIRE_HOME): the same command resumes where it stopped.
    """
    from venire.cli.comparing import Request
    from venire.cli.fitting import carry_out

    asked = {
        "target": target,
        "model": model,
        "setting": setting,
        "metric": metric,
        "costs": costs,
        "folds": folds,
        "repeats": repeats,
        "stratified": stratified,
        "rule": rule,
        "duplicates": duplicates,
        "seed": seed,
        "jobs": jobs,
        "budget": options.seconds(budget),
        **reading(ctx.params),
    }
    raise typer.Exit(carry_out(Request(lambda: options.one_or_many(source), asked, None, as_json, quiet, save)))


@reads_a_table
def validate(
    ctx: typer.Context,
    source: options.Source,
    target: options.Target = None,
    metric: options.MetricName = None,
    costs: options.Costs = None,
    model: options.ValidatedModel = None,
    by: options.By = "folds",
    folds: options.Folds = None,
    repeats: options.MaybeRepeats = None,
    layers: options.Layers = None,
    inner_folds: options.InnerFolds = None,
    share: options.Share = None,
    inner_share: options.InnerShare = None,
    samples: options.Samples = None,
    estimate: options.Estimate = None,
    stratified: options.Stratified = False,
    duplicates: options.Duplicates = "together",
    rule: options.MaybeRule = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    cluster: cluster_options.Cluster = None,
    shared: cluster_options.Shared = None,
    budget: options.Budget = "none",
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Validate one model with all its settings: the error on training rows and on rows it has not seen.

    With --by folds the validation is nested (two-layer): the error is that of choosing a setting and using it. The
    one-layer error is shown beside it. Options that do not go with --by are refused. Results are kept under .venire (or
    VENIRE_HOME): the same command again resumes where it stopped.
    """
    from venire.cli.comparing import Request
    from venire.cli.validating import carry_out
    from venire.validation.ways import Way

    asked = {
        "target": target,
        "model": model,
        "metric": metric,
        "costs": costs,
        "seed": seed,
        "jobs": jobs,
        "cluster": cluster,
        "shared": shared,
        "budget": options.seconds(budget),
        "way": Way.of(by, ctx.params),
        "duplicates": duplicates,
        **reading(ctx.params),
    }
    raise typer.Exit(carry_out(Request(lambda: options.one_or_many(source), asked, None, as_json, quiet)))


@reads_a_table
def select(
    ctx: typer.Context,
    source: options.Source,
    target: options.Target = None,
    direction: options.Direction = "forward",
    metric: options.MetricName = None,
    costs: options.Costs = None,
    model: options.SelectionModel = "linear",
    whole_path: options.WholePath = False,
    columns: options.Columns = None,
    attributes: options.Attributes = None,
    folds: options.Folds = None,
    repeats: options.Repeats = 1,
    stratified: options.Stratified = False,
    duplicates: options.Duplicates = "together",
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    cluster: cluster_options.Cluster = None,
    shared: cluster_options.Shared = None,
    budget: options.Budget = "none",
    picture: options.Picture = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Select columns (features) by cross-validated error, and print each step and the two-layer error of the selection.

    Forward starts with no column and adds the best one while the error falls. Backward starts with all columns and
    removes the least useful one while the error does not rise. Results are kept under .venire (or VENIRE_HOME): the
    same command again resumes where it stopped.
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
        "n_attributes": attributes if columns is None else columns,
        "folds": folds,
        "repeats": repeats,
        "stratified": stratified,
        "duplicates": duplicates,
        "seed": seed,
        "jobs": jobs,
        "cluster": cluster,
        "shared": shared,
        "budget": options.seconds(budget),
        **reading(ctx.params),
    }
    raise typer.Exit(carry_out(Request(lambda: options.one_or_many(source), asked, picture, as_json, quiet)))


@reads_a_table
def show(
    ctx: typer.Context,
    source: options.Source,
    target: options.Target = None,
    as_json: options.Json = False,
) -> None:
    """Print what is read from a table: the columns and their kinds, missing values, what is left out, and notes."""
    from venire.data import describe, read_table
    from venire.report.terminal import listings
    from venire.report.terminal.console import make_console

    facts = describe(read_table(options.one_or_many(source), target, **reading(ctx.params)))
    if as_json:
        print_json(in_options(facts))
    else:
        listings.columns(in_options(facts), make_console())
