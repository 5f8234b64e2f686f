import copy

from tests.report.samples import binary
from venire.inference.comparisons import compare_learners
from venire.report.page.two_runs import answer, board, facts, render
from venire.report.sentences.numbers import probability


def other(shift):
    document, pictures = copy.deepcopy(binary())
    folds = pictures["fold_errors"]["procedure"]
    pictures["fold_errors"]["procedure"] = [error + shift * (1 + 0.1 * at) for at, error in enumerate(folds)]
    document["chosen"]["error"] += shift
    return document, pictures


def test_the_same_rows_are_compared_fold_by_fold():
    first, second = binary(), other(-0.01)
    losses = [side[1]["fold_errors"]["procedure"] for side in (second, first)]
    wanted = compare_learners(*losses, test_over_train=1 / 9).p_better
    said = answer(first, second, paired=True)
    assert wanted > 0.95
    assert said.startswith(f"The difference is real: the second run is better with probability {probability(wanted)}")
    assert "not certain" in answer(first, second, paired=False)  # other rows: the intervals overlap


def test_equal_errors_in_every_fold_are_no_difference():
    assert answer(binary(), binary(), paired=True) == (
        "There is no difference: both runs have the same error in every fold."
    )


def test_what_measures_another_thing_is_not_compared():
    document, pictures = binary()
    assert "do not measure the same thing" in answer(
        (document, pictures), (document | {"metric": "auc"}, pictures), paired=True
    )


def test_different_tables_are_not_compared():
    document, pictures = binary()
    apart = {"classes": ["a", "b"]}, {"columns": [{"name": "other", "kind": "numeric"}]}
    for change in apart:
        said = answer((document, pictures), (document | change, pictures), paired=False)
        assert said == "The two runs are of different tables, so their figures cannot be compared."
    more = {"columns": [*document["columns"], {"name": "other", "kind": "numeric"}]}
    assert "probability" in answer((document, pictures), (document | more, pictures), paired=False)


def test_many_columns_of_one_run_are_counted():
    document = binary()[0]
    names = [f"c{at:02}" for at in range(30)]
    lines = {line.name: line for line in facts(document, document | {"columns": [{"name": name} for name in names]})}
    assert lines["columns of this run alone"].second == ", ".join(names[:8]) + " and 22 more"
    assert lines["folds"].first == "10, random"
    assert {line.name: line for line in facts(document | {"repeats": 3}, document)}["folds"].first.endswith(", 3 times")


def test_what_changed_is_marked():
    document = binary()[0]
    changed = document | {"rows": 400, "source": "/data/new.csv", "columns": document["columns"][1:]}
    lines = {line.name: line for line in facts(document, changed)}
    assert (lines["rows"].first, lines["rows"].second, lines["rows"].differs) == ("380", "400", True)
    assert lines["table"].second == "new.csv"
    assert lines["columns of this run alone"].first == "length"
    assert not lines["seed"].differs
    assert [line.name for line in board(document, changed)][:2] == ["procedure", "forest"]


def test_the_page_escapes_names_and_has_no_script():
    document, pictures = binary()
    page = render((document | {"source": "<script>x"}, pictures), (document, pictures), paired=False)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
