from tests.report.samples import binary, many_classes
from venire.report.sentences.cards import cards
from venire.report.sentences.headline import headline


def test_cards_do_not_repeat_the_headline():
    document = binary()[0] | {"class_counts": [200, 180]}
    assert "wrong on about 3.2 %" in headline(document)
    said = cards(document, ["forest"] * 7 + ["svm"] * 3)
    assert "3.2 % of" not in said.how_good
    assert "95 % interval" in said.how_good
    assert "The baseline, which uses no column, is wrong on 9.7 %" in said.how_good
    assert "forest in 7 of 10, svm in 3 of 10" in said.which
    assert "Take" not in said.which


def test_of_a_rare_class_the_error_of_all_rows_is_on_the_card():
    assert cards(binary()[0]).how_good.startswith("Of all rows 3.2 % are wrong (95 % interval ")


def test_under_costs_the_card_has_the_interval_and_what_is_found():
    ways = [{"name": "procedure", "cost": 212.4, "interval": [150.0, 270.0]},
            {"name": "always saying normal", "cost": 974.0}]  # fmt: skip
    document = binary()[0] | {"metric": "cost", "metric_label": "mean cost", "costs": {"per_thousand": ways}}
    said = cards(document).how_good
    assert said.startswith("The 95 % interval is 150 to 270; always saying normal costs 970. Its decisions find ")
    assert "of its alarms are false" in said


def test_a_combination_is_a_bar_of_weights():
    said = cards(many_classes()[0])
    assert [(part.name, part.percent, part.start) for part in said.parts] == [
        ("forest", 61.0, 0.0), ("svm", 29.0, 61.0), ("knn", 10.0, 90.0),
    ]  # fmt: skip
    assert said.which.startswith("A stack of 3 models")


def test_where_nothing_was_chosen_the_cards_say_so():
    assert cards({"chosen": None}).which == "No model could be chosen."
