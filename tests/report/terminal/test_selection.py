"""What is said and drawn of a selection, from its document alone."""

from __future__ import annotations

from typing import Any

from venire.report.charts.selection import picture
from venire.report.terminal.selection import sentences, to_text


def document(**changes: Any) -> dict[str, Any]:
    return {
        "target": "y",
        "source": "t.csv",
        "rows": 1200,
        "metric": "error",
        "metric_label": "error rate",
        "folds": 10,
        "direction": "forward",
        "model": "linear",
        "attributes": ["a", "b", "c"],
        "subsets": 6,
        "most_subsets": 7,
        "path": [
            {"step": 0, "change": None, "attributes": 0, "training_error": 0.4, "error": 0.4, "chosen": False},
            {"step": 1, "change": "b", "attributes": 1, "training_error": 0.1, "error": 0.12, "chosen": True},
            {"step": 2, "change": "a\x1b", "attributes": 2, "training_error": 0.09, "error": 0.13, "chosen": False},
        ],
        "chosen": {
            "attributes": ["b"],
            "error": 0.14,
            "interval": [0.1, 0.18],
            "one_layer_error": 0.12,
            "training_error": 0.1,
        },
        "all_attributes": {
            "error": 0.15,
            "interval": [0.11, 0.19],
            "difference": -0.01,
            "difference_interval": [-0.024, 0.004],
            "p_better": 0.93,
            "p_worse": 0.07,
        },
        "chosen_in": {"a": 2, "b": 10, "c": 0},
        "choices": 10,
    } | changes


def test_the_words() -> None:
    assert sentences(document()) == [
        "Chosen: 1 of 3 columns: b.",
        "Two-layer error rate of the selection: 14.0 %, 95 % interval 10.0 % to 18.0 %. One layer says 12.0 % for "
        "the chosen columns: too good on average, because it is the best of many.",
        "With all 3 columns: 15.0 %, 95 % interval 11.0 % to 19.0 %. Selecting is probably better: difference -1.0 "
        "percentage points (95 % interval -2.4 to +0.4).",
        "All of them were also chosen in each of the 10 training parts.",
        "6 sets of columns were tried. This search tries at most 7 of the 2^3 there are.",
    ]


def test_an_unsteady_choice_and_none() -> None:
    unsteady = document(chosen=document()["chosen"] | {"attributes": ["a", "b"]})
    assert sentences(unsteady)[3] == "Also chosen in all 10 training parts: 1 column; a in 2."
    never = document(chosen=document()["chosen"] | {"attributes": ["a", "c"]})
    assert sentences(never)[3] == "Also chosen, of 10 training parts: a in 2, c in 0."
    empty = document(chosen=document()["chosen"] | {"attributes": []})
    assert sentences(empty)[0] == "Chosen: none of 3 columns; no column lowers the error."


def test_all_columns_beside_the_selection() -> None:
    def beside(**changes: Any) -> str:
        return sentences(document(all_attributes=document()["all_attributes"] | changes))[2]

    assert "Selecting is better: difference" in beside(p_better=0.99, p_worse=0.01)
    assert "Selecting is worse: difference" in beside(p_better=0.01, p_worse=0.99, difference=0.01)
    assert "It is not clear which of the two is better: difference" in beside(p_better=0.4, p_worse=0.6)
    same = beside(p_better=0.0, p_worse=0.0, difference=0.0, difference_interval=[0.0, 0.0])
    assert same.endswith("Selecting makes no difference in any fold.")
    assert beside(p_better=None, difference=None).endswith("One fold cannot say whether that is a real difference.")
    assert not any("With all" in line for line in sentences(document(all_attributes={"error": None})))


def test_figures_that_are_not_there() -> None:
    lost = document(chosen={"attributes": ["b"], "error": None, "interval": None, "one_layer_error": None})
    assert "is not defined on any fold" in sentences(lost)[1]
    assert "y in t.csv" in to_text(lost)


def test_an_interval_of_a_score_reads_from_low_to_high() -> None:
    said = sentences(document(metric="auc", metric_label="1 − AUC"))[1]
    assert said.startswith("Two-layer AUC of the selection: 0.860, 95 % interval 0.820 to 0.900.")


def test_the_table() -> None:
    text = to_text(document())
    assert max(map(len, text.splitlines())) <= 80
    assert "a\\x1b" in text  # nothing in a name steers the terminal
    chosen = next(line for line in text.splitlines() if line.endswith("chosen"))
    assert chosen.split() == ["1", "b", "1", "0.100", "0.120", "chosen"]
    assert "removed" in to_text(document(direction="backward"))


def test_a_score_is_shown_and_drawn_as_itself() -> None:
    by_auc = document(metric="auc", metric_label="1 − AUC", higher_is_better=True, score_label="AUC")
    text = to_text(by_auc)
    assert "cross-validated AUC" in text
    chosen = next(line for line in text.splitlines() if line.endswith("chosen"))
    assert chosen.split()[3:5] == ["0.900", "0.880"]
    empty = by_auc | {"chosen": by_auc["chosen"] | {"attributes": []}}
    assert sentences(empty)[0] == "Chosen: none of 3 columns; no column raises the score."
    drawn = picture(by_auc).to_dict()
    assert 0.88 in {round(row["error"], 9) for rows in drawn["datasets"].values() for row in rows if "error" in row}


def test_the_picture_has_all_steps() -> None:
    drawn = picture(document()).to_dict()
    assert len(drawn["layer"]) == 3
    assert sorted(map(len, drawn["datasets"].values())) == [1, 3, 6]  # the chosen one, the names, the two lines


def test_in_time_order_it_is_told_what_else_the_choice_has_seen() -> None:
    seen = "The choice also uses one earlier fold, which the figures above leave out."
    assert seen in sentences(document(splitting="time"))
    assert seen not in sentences(document(splitting="random"))
