from tests.report.drawn import inline_values
from tests.report.samples import regression
from venire.report.charts import predictions as prediction_charts


def test_a_scatter_draws_no_more_than_it_can_show():
    document, pictures = regression()
    drawn = inline_values(prediction_charts.scatter(document, pictures), "actual")
    assert len(drawn) == 1734
    assert prediction_charts.drawn_rows(document, pictures).endswith("; 1,734 of them drawn")
    assert min(point["actual"] for point in drawn) < 0
