"""Figures that a run keeps: all that the page needs comes back, and a figure of before has no kind."""

import altair as alt

from venire.report.charts.figure import Figure, Numbers
from venire.report.page.kept_figures import as_kept, kept_figure


def test_a_figure_comes_back_as_it_was():
    chart = alt.Chart(alt.InlineData(values=[{"x": 1}])).mark_point().encode(x="x:Q")
    figure = Figure("tree_diagram", "The tree", "Of all rows.", chart, Numbers(("leaf", "rows"), (("1", "7"),)))
    kept = as_kept(figure)
    found = kept_figure(kept, "asked_0")
    assert (found.name, found.kind) == ("asked_0", "tree_diagram")
    assert (found.title, found.caption, found.numbers) == (figure.title, figure.caption, figure.numbers)
    assert found.spec["mark"] == figure.to_dict()["mark"]
    assert kept_figure({**kept, "rows": []}, "asked_0").numbers is None
    del kept["kind"]
    assert kept_figure(kept, "asked_0").kind == ""
