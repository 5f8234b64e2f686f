import json

from tests.report.drawn import inline_values
from tests.report.samples import binary, regression
from venire.report import prediction_charts
from venire.report.marks import PALETTE, QUIET


def test_only_the_leading_curves_are_coloured():
    document, pictures = binary()
    spec = json.dumps(prediction_charts.roc(document, pictures).to_dict())
    assert all(colour in spec for colour in PALETTE)
    assert QUIET in spec


def test_a_scatter_draws_no_more_than_it_can_show():
    document, pictures = regression()
    drawn = inline_values(prediction_charts.scatter(document, pictures), "actual")
    assert len(drawn) == 1734
    assert prediction_charts.drawn_rows(document, pictures).endswith("; 1,734 of them drawn")
    assert min(point["actual"] for point in drawn) < 0
