from tests.report.samples import binary
from venire.report.page.metric_columns import metric_columns


def test_every_line_of_the_leaderboard_has_a_cell():
    document, pictures = binary()
    auc, loss = metric_columns(document, pictures["metrics"])
    assert (auc.label, auc.higher_is_better, loss.higher_is_better) == ("AUC", True, False)
    assert len(auc.cells) == len(document["leaderboard"])
    assert auc.cells[1].figure == "0.949"
    places = [cell.bar.at for cell in auc.cells]
    assert places == sorted(places, reverse=True)  # a higher score lies further to the right


def test_what_a_metric_does_not_know_is_missing():
    document, _ = binary()
    (column,) = metric_columns(document, [{"name": "auc", "label": "AUC", "higher_is_better": True, "figures": {}}])
    assert {cell.figure for cell in column.cells} == {"–"}
