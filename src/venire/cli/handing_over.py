"""The commands that hand a model over to other programs and other people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from venire.cli import options

OnnxFile = Annotated[
    Path, typer.Argument(help="Where the graph is written, such as model.onnx.", metavar="ONNX", show_default=False)
]
Numbers = Annotated[
    str,
    typer.Option(
        "--numbers",
        help="The type of numbers that come in and go out: float32 or float64. With float32, a number that float32 "
        "cannot hold may fall on the other side of a threshold.",
        metavar="TYPE",
        rich_help_panel=options.OUTPUT,
    ),
]

CardFile = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="Where the card is written, such as card.md or card.html.",
        metavar="FILE",
        rich_help_panel=options.OUTPUT,
        show_default="Markdown to the output",
    ),
]


def export(path: options.ModelFile, output: OnnxFile, numbers: Numbers = "float32") -> None:
    """Write the model of a file as an ONNX graph, and print where it is.

    Encoding of categories, missing values, scaling, calibration and the threshold are inside. The graph takes one
    tensor a column of the table: numbers (NaN where missing), and strings for categories. What has no form in ONNX
    says so. Needs pip install 'venire[onnx]'.
    """
    from venire.cli.plots import check_place
    from venire.export import save_onnx
    from venire.persist import load

    check_place(output, what="graph", example="model.onnx")
    typer.echo(save_onnx(load(path), output, numbers=numbers))


def card(path: options.ModelFile, output: CardFile = None) -> None:
    """Write the model card of a file: what the model predicts, how good it is, from which rows, and its limits.

    Markdown (card.md) or a page (card.html) for whoever uses the model. The file is checked as it is when the model is
    loaded; nothing in it is run.
    """
    from venire.cli.plots import check_place
    from venire.persist import describe_model
    from venire.report.card.contents import card_of
    from venire.report.card.markdown import to_markdown
    from venire.report.card.page import refuse_other_cards, write_card

    if output is not None:
        refuse_other_cards(output)
        check_place(output, what="card", example="card.md")
    facts = card_of(describe_model(path))
    typer.echo(to_markdown(facts).rstrip() if output is None else write_card(facts, output))
