import pytest

from tests.report.samples import SAMPLES, binary, many_classes, only_baseline
from venire.report.sentences import verdict as words
from venire.report.sentences.headline import headline
from venire.report.sentences.split import folds_words, rows_words


def test_the_three_answers_for_two_classes():
    said = words.verdict(binary()[0])
    assert said.which == "The choice is a random forest (q = 3)."
    assert said.how_good == (
        "A model chosen this way is wrong on 3.2 % of the rows it has not seen (95 % interval 1.1 % to 5.2 %). "
        "The baseline, which uses no column, is wrong on 9.7 %."
    )
    assert said.is_it_real.startswith("The lead is not certain: of the 12 models compared, forest is the best with")


def test_a_clear_lead_is_called_clear():
    document = binary()[0]
    for row in document["leaderboard"][1:]:
        row["p_best"] = 0.97 if row["family"] == "forest" else 0.03 / 11
    expected = "The lead is clear: of the 12 models compared, forest is the best with probability 0.97."
    assert words.verdict(document).is_it_real == expected


def test_a_stack_names_its_members_by_weight():
    said = words.verdict(many_classes()[0])
    assert said.which == "The choice is a stack of forest (0.61), svm (0.29), knn (0.10)."
    assert "the chosen stack with 0.24" in said.is_it_real


def test_a_score_is_said_as_the_score_and_its_interval_runs_upwards():
    document = binary()[0] | {"metric": "auc", "metric_label": "1 − AUC"}
    said = words.verdict(document).how_good
    assert "the AUC of a model chosen this way is 0.968 (95 % interval 0.948 to 0.989)" in said


def test_nothing_measured_still_makes_sentences():
    said = words.verdict({"chosen": {"family": None, "error": None}, "leaderboard": []})
    assert str(said) == (
        "No model could be chosen. How good it is could not be measured. There was nothing to compare it with."
    )


def test_optimism_is_told_where_it_is_known():
    assert "the error rate would have been 2.9 %" in words.optimism_words(binary()[0])
    assert words.optimism_words(only_baseline()[0]) == ""


def test_rows_say_how_often_and_in_which_order():
    document = binary()[0]
    assert rows_words(document) == "380 rows in 10 folds, each fold tested by models trained on the others"
    assert rows_words(document | {"repeats": 3}).endswith(", repeated with 3 different splits")
    assert "the last 8 of 10 folds tested" in rows_words(document | {"splitting": "time"})


def test_order_follows_the_leaderboard_and_keeps_strangers():
    names = {"stranger": 1, "baseline": 1, "procedure": 1, "forest": 1}
    assert words.in_order(binary()[0], names) == ["procedure", "forest", "baseline", "stranger"]


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_sample_can_be_said(sample):
    document, _ = SAMPLES[sample]()
    text = f"{headline(document)} {words.verdict(document)}"
    assert "None" not in text
    assert "nan" not in text


def test_a_run_that_was_cut_short_says_so():
    document = binary()[0]
    assert words.stopped_words({**document, "stopped": None}) == ""
    assert words.stopped_words({**document, "stopped": "budget"}).startswith("Out of time: ")
    assert words.stopped_words({**document, "stopped": "interrupted"}).startswith("Interrupted: ")


def test_numbers_are_stratified_by_their_size_and_not_by_class():
    assert "low and high values" in folds_words({"splitting": "stratified", "classes": []})
    assert "class shares" in folds_words({"splitting": "stratified", "classes": ["no", "yes"]})


def test_several_without_an_error_share_the_lead():
    rows = [
        {"family": "procedure", "kind": "procedure", "error": 0.0, "p_best": None},
        {"family": "knn", "kind": "member", "error": 0.0, "p_best": 0.14},
        {"family": "forest", "kind": "member", "error": 0.0, "p_best": 0.14},
        {"family": "vote", "kind": "combination", "error": 0.013, "p_best": 0.29},
    ]
    chosen = {"family": "knn", "setting": "k = 5", "error": 0.0, "interval": [0.0, 0.01]}
    told = words.verdict({"metric": "error", "chosen": chosen, "leaderboard": rows}).is_it_real
    assert told == "Several models lead together: of the 3 models compared, knn, forest make no error at all."


def test_models_without_a_posterior_are_not_told_apart():
    rows = [
        {"family": "procedure", "kind": "procedure", "error": 0.5, "p_best": None},
        {"family": "tree", "kind": "member", "error": 0.4, "p_best": None},
        {"family": "knn", "kind": "member", "error": 0.5, "p_best": None},
    ]
    document = {"metric": "auc", "chosen": {"family": "tree", "error": 0.5}, "leaderboard": rows}
    assert words.verdict(document).is_it_real == "Too few folds could be measured to tell the models apart."
    alone = words.verdict({**document, "leaderboard": rows[:2]})
    assert alone.is_it_real == "There was nothing to compare it with."
