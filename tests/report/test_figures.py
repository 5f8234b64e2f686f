import pytest

from tests.report.samples import SAMPLES, binary, one_family, only_baseline, regression
from venire.report.figures import figures, path_figures


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_caption_names_its_rows(sample):
    document, pictures = SAMPLES[sample]()
    for figure in figures(document, pictures):
        assert "rows in 10 blocks" in figure.caption or "without each block" in figure.caption
        assert figure.spec["width"] == "container"
        assert "config" not in figure.spec


def test_the_numbers_behind_a_figure_are_all_there():
    shown = {figure.name: figure for figure in figures(*binary())}
    assert list(shown) == ["errors", "block_errors", "roc", "calibration", "selection"]
    assert len(shown["block_errors"].numbers.rows) == 13
    assert len(shown["block_errors"].numbers.head) == 11
    assert shown["roc"].numbers.rows[0] == ("procedure", "0.971")
    assert len(shown["calibration"].numbers.rows) == 120
    assert "The first 4 of 12 are drawn" in shown["calibration"].caption
    assert "forest in 7 of 10, svm in 3 of 10" in shown["selection"].caption


def test_complexity_curves_name_the_chosen_setting():
    shown = {figure.name: figure for figure in path_figures(*binary())}
    assert list(shown) == ["path_forest", "path_boosting", "path_knn", "path_tree"]
    assert shown["path_forest"].title == "A random forest"
    assert shown["path_forest"].caption.endswith("Chosen, at the dashed line: q = 4.")


def test_a_family_with_one_setting_has_no_curve():
    document, pictures = one_family()
    pictures["paths"] = {"tree": {"settings": ["1"], "training": [0.1], "held_out": [0.2], "chosen": 0, "label": "c"}}
    assert path_figures(document, pictures) == []
    assert path_figures(*only_baseline()) == []


def test_huge_numbers_state_their_unit():
    shown = {figure.name: figure for figure in figures(*regression())}
    assert shown["block_errors"].numbers.head[0] == "family ×1e9"


def test_titles_begin_with_a_capital_and_own_names_stay():
    document, pictures = one_family()
    curve = {"settings": ["1", "2"], "training": [0.1, 0.1], "held_out": [0.2, 0.1], "chosen": 0, "label": "T"}
    pictures["paths"] = {"bagging": curve, "boosting": curve, "my_own": curve}
    titles = [figure.title for figure in path_figures(document, pictures)]
    assert titles == ["Bagging", "Gradient boosting", "my_own"]
