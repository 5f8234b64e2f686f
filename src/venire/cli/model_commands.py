"""The commands that use a model file: parse, call, print."""

from __future__ import annotations

import typer

from venire.cli import options
from venire.cli.option_groups import use_options
from venire.cli.reading import how_written, reads_rows


@reads_rows
def predict(
    ctx: typer.Context,
    model: use_options.ModelToUse,
    source: use_options.Rows,
    output: use_options.Output = None,
    interval: use_options.Interval = None,
    sets: use_options.Sets = None,
    fill_missing_columns: use_options.FillAbsent = False,
    keep: use_options.Keep = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Predict every row of a table with a model file, part by part: memory does not grow with the table.

    Columns may be in any order, and further ones are passed over. Values that the model does not know count as missing;
    they are counted on stderr. A file appears under its name when all of it is written.
    """
    from venire.cli.using import Use
    from venire.cli.using import predict as carry_out

    use = Use(model, options.one_or_many(source), how_written(ctx.params), as_json, quiet)
    wish = {
        "interval": interval,
        "sets": sets,
        "keep": options.names(keep),
        "fill_missing_columns": fill_missing_columns,
    }
    carry_out(use, output, wish)


@reads_rows
def evaluate(
    ctx: typer.Context,
    model: use_options.ModelToUse,
    source: use_options.Rows,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Evaluate a model file on rows with known outcome that it was not trained on.

    Prints every metric with a 95 % interval for this model on new rows like these, whether probabilities come true, and
    which columns drifted since training.
    """
    from venire.cli.using import Use
    from venire.cli.using import evaluate as carry_out

    carry_out(Use(model, options.one_or_many(source), how_written(ctx.params), as_json, quiet))


@reads_rows
def explain(
    ctx: typer.Context,
    model: use_options.ModelToUse,
    source: use_options.Rows,
    output: use_options.Output = None,
    plot: use_options.Plot = None,
    of: use_options.ExplainedClass = None,
    background: use_options.Background = None,
    keep: use_options.Keep = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Explain what a model file predicts, row by row: Shapley values, how far each column moves a prediction.

    The base value and the values of a row add up to what the model says of it. They are exact for trees, forests,
    boosting and linear models, and sampled with a fixed seed for others. They speak of the model, not of causes.
    """
    from venire.cli.using import Use
    from venire.cli.using import explain as carry_out

    use = Use(model, options.one_or_many(source), how_written(ctx.params), as_json, quiet)
    carry_out(use, output, plot, {"of": of, "background": background, "keep": options.names(keep)})
