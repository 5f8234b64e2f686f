import pytest

from tests.report.samples import SAMPLES, binary, one_family, only_baseline, regression
from venire.report.page.panels import figures, path_figures


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_caption_names_its_rows(sample):
    document, pictures = SAMPLES[sample]()
    for figure in figures(document, pictures):
        assert "held-out rows in 10 folds" in figure.caption or "when each fold is held out" in figure.caption
        assert figure.spec["width"] == "container"
        assert "config" not in figure.spec


def test_the_numbers_behind_a_figure_are_all_there():
    shown = {figure.name: figure for figure in figures(*binary())}
    names = "errors fold_errors roc precision_recall threshold_cost cost_curve calibration selection"
    assert list(shown) == names.split()
    assert len(shown["fold_errors"].numbers.rows) == 13
    assert len(shown["fold_errors"].numbers.head) == 11
    assert shown["roc"].numbers.rows[0] == ("procedure", "0.971")
    assert len(shown["calibration"].numbers.rows) == 120
    assert "The first 4 of 12 are drawn" in shown["calibration"].caption
    assert "forest in 7 of 10, svm in 3 of 10" in shown["selection"].caption


def test_the_numbers_of_the_curves_are_those_drawn():
    document, pictures = binary()
    shown = {figure.name: figure for figure in figures(document, pictures)}
    precise, costly = pictures["precision_recall"]["curves"], pictures["cost_curve"]["curves"]
    assert dict(shown["precision_recall"].numbers.rows)["forest"] == f"{precise['forest']['average_precision']:.3f}"
    assert shown["cost_curve"].numbers.head == ("family", "at 0.1", "at 0.3", "at 0.5", "at 0.7", "at 0.9")
    at_half = costly["forest"]["expected_cost"][costly["forest"]["probability_cost"].index(0.5)]
    assert {row[0]: row[3] for row in shown["cost_curve"].numbers.rows}["forest"] == f"{at_half:.3f}"
    assert "its precision is the share of 'fraud', 10.0 %" in shown["precision_recall"].caption


def test_a_cost_curve_says_whose_costs_and_that_it_flatters():
    document, pictures = binary()
    said = {figure.name: figure for figure in figures(document, pictures)}["cost_curve"].caption
    assert "so the curves look a little too good." in said
    assert said.endswith("The vertical line, at 0.10, is this table if both mistakes cost the same.")
    document["costs"] = {"per_thousand": []}
    said = {figure.name: figure for figure in figures(document, pictures)}["cost_curve"].caption
    assert said.endswith("is this table at the costs given.")
    pictures["cost_curve"]["here"] = None
    assert "upright" not in {figure.name: figure for figure in figures(document, pictures)}["cost_curve"].caption


def test_a_dot_is_named_only_where_there_is_one():
    document, pictures = binary()
    said = {figure.name: figure for figure in figures(document, pictures)}["precision_recall"].caption
    assert said.endswith("The dot shows the decisions of the procedure (the confusion matrix).")
    pictures["precision_recall"]["decided"]["precision"] = None  # nothing was flagged
    assert "dot" not in {figure.name: figure for figure in figures(document, pictures)}["precision_recall"].caption


def test_pooled_curves_name_the_rows_they_pool():
    document, pictures = binary()
    document |= {"repeats": 3}
    shown = {figure.name: figure.caption for figure in figures(document, pictures)}
    for name in ("roc", "precision_recall", "cost_curve", "calibration"):
        assert "only the first of 3 splits" in shown[name]
    assert "repeated with 3 different splits" in shown["errors"]


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
    assert shown["fold_errors"].numbers.head[0] == "family ×1e9"


def test_titles_begin_with_a_capital_and_own_names_stay():
    document, pictures = one_family()
    curve = {"settings": ["1", "2"], "training": [0.1, 0.1], "held_out": [0.2, 0.1], "chosen": 0, "label": "T"}
    pictures["paths"] = {"bagging": curve, "boosting": curve, "my_own": curve}
    titles = [figure.title for figure in path_figures(document, pictures)]
    assert titles == ["Bagging", "Gradient boosting", "my_own"]


def test_captions_tell_who_counts_by_rank_and_who_has_no_probabilities():
    document, pictures = binary()
    pictures["roc"]["forest"]["pooled"] = False
    shown = {figure.name: figure for figure in figures(document, pictures)}
    assert shown["roc"].caption.endswith(
        " By their rank in each fold, because they are scores and not probabilities: forest."
    )
    assert shown["calibration"].caption.endswith(" Not drawn, because they are scores and not probabilities: forest.")
