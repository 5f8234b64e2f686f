"""The further sentences: what they say, and that they are silent about what is not known."""

from __future__ import annotations

from typing import Any

import pytest

from tests.report.samples import SAMPLES, binary
from venire.report.sentences import evidence as further
from venire.report.sentences import verdict as words
from venire.report.sentences.headline import headline
from venire.report.sentences.scale import figure


def document(**more: Any) -> dict[str, Any]:
    return binary()[0] | more


COSTS = {
    "matrix": [[0, 1], [10, 0]],
    "per_thousand": [
        {"name": "procedure", "cost": 212.4, "interval": [150.0, 270.0]},
        {"name": "always saying normal", "cost": 974.0, "interval": None},
        {"name": "always saying fraud", "cost": 903.0, "interval": [880.0, 930.0]},
    ],
}


def growing(error: float, gain: float, ends: list[float], helps: float, **more: Any) -> dict[str, Any]:
    return {
        "rows": 380,
        "error": error,
        "most": error / 2,
        "judged": True,
        "gain": gain,
        "gain_interval": ends,
        "twice": error - gain,
        "p_helps": helps,
    } | more


@pytest.mark.parametrize(
    ("helps", "said"),
    [
        (
            0.99,
            "Twice the rows would lower the error rate from 3.2 % to about 2.0 % (95 % interval of the gain: 0.4 to "
            "1.6 percentage points; probability 0.99 that they help).",
        ),
        (
            0.7,
            "Twice the rows might lower the error rate from 3.2 % to about 2.0 % (95 % interval of the gain: 0.4 to "
            "1.6 percentage points), but this is not certain (probability 0.70 that they help).",
        ),
        (0.49, "More rows of the same kind may or may not help noticeably (probability 0.49 that they do)."),
        (0.2, "More rows of the same kind are not expected to help noticeably (probability 0.20 that they do)."),
    ],
)
def test_would_more_rows_help(helps: float, said: str) -> None:
    found = growing(0.032, 0.012, [0.004, 0.016], helps)
    assert further.more_rows_words(document(more_rows=found)) == said


def test_an_interval_that_ends_below_what_matters_says_no() -> None:
    told = document(more_rows=growing(0.32, 0.0004, [0.0, 0.002], 0.1), practical_difference=0.005)
    assert further.more_rows_words(told) == (
        "More rows of the same kind would not help: twice the rows would lower the error rate from 32.0 % to about "
        "31.8 % at most (95 % interval)."
    )
    nothing = document(more_rows=growing(0.32, 0.0, [0.0, 0.0], 0.1), practical_difference=0.005)
    assert further.more_rows_words(nothing).endswith("twice the rows would change nothing.")


def test_where_it_starts_is_the_error_of_the_verdict() -> None:
    told = document()
    told["more_rows"] = growing(told["chosen"]["error"], 0.01, [0.0, 0.016], 0.9)
    before = figure(told, told["chosen"]["error"])
    assert f"from {before} to about" in further.more_rows_words(told)
    assert f"wrong on {before}" in words.verdict(told).how_good


def test_a_gain_is_told_from_none_even_where_the_interval_is_wide() -> None:
    found = growing(0.35, 0.004, [0.001, 0.008], 0.96)
    told = document(more_rows=found)
    told["chosen"] |= {"interval": [0.1, 0.6]}
    assert "from 35.0 % to about 34.6 %" in further.more_rows_words(told)


def test_what_cannot_be_judged_is_not_foretold() -> None:
    nothing = {"gain": None, "gain_interval": None, "twice": None, "p_helps": None}
    found = growing(0.35, 0.1, [0.0, 0.175], 0.9) | nothing | {"rows": 14, "judged": False}
    said = further.more_rows_words(document(more_rows=found))
    assert said == (
        "The folds leave open whether more rows would help: twice the rows may change nothing, or lower the error rate "
        "from 35.0 % to about 17.5 %."
    )


def test_a_low_error_leaves_little_to_gain() -> None:
    found = growing(0.016, 0.004, [0.0, 0.008], 0.0)
    told = document(more_rows=found, practical_difference=0.01)
    told["chosen"] |= {"interval": [0.005, 0.03]}
    assert further.more_rows_words(told) == "The error rate is 1.6 % already: more rows can gain little."


def test_a_score_is_raised_and_not_lowered() -> None:
    found = growing(0.08, 0.01, [0.002, 0.018], 0.99)
    said = further.more_rows_words(document(more_rows=found, metric="auc", metric_label="1 − AUC"))
    assert said.startswith(
        "Twice the rows would raise the AUC from 0.920 to about 0.930 (95 % interval of the gain: 0.002"
    )


def test_guessing() -> None:
    assert "better than guessing with probability >0.99" in str(words.verdict(document(guessing={"p_better": 0.999})))
    unsure = str(words.verdict(document(guessing={"p_better": 0.6})))
    assert "not clearly better than guessing (probability 0.60)" in unsure


def test_costs_per_thousand_rows_beside_always_the_same() -> None:
    told = document(metric="cost", metric_label="mean cost", costs=COSTS)
    assert further.cost_words(told) == (
        "1,000 new rows cost about 210 (95 % interval 150 to 270); always saying normal costs 970, "
        "always saying fraud costs 900"
    )
    assert headline(told).endswith("Expect that 1,000 new rows cost about 210.")
    assert further.cost_rows(told)[1] == ("always saying normal", "970", "–")
    assert words.verdict(told).how_good.startswith("With a model chosen this way, 1,000 new rows cost about 210")


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        (
            {"decision": "threshold", "threshold": 0.125, "threshold_class": "fraud", "threshold_of": "probability"},
            "it predicts fraud from a probability threshold of 0.125 on",
        ),
        ({"decision": "least expected cost"}, "it predicts the class of least expected cost"),
        ({"decision": "one class", "threshold": None}, "at these costs it always predicts the same class"),
        ({"calibration": "isotonic"}, "its probabilities are calibrated (isotonic)"),
        ({}, ""),
    ],
)
def test_how_it_decides(chosen: dict[str, Any], said: str) -> None:
    told = document()
    told["chosen"] |= chosen
    assert further.decision_words(told) == said


@pytest.mark.parametrize(
    ("p", "difference", "said"),
    [(0.97, -0.1, "better than guessing"), (0.6, -0.01, "not clearly better"),
     (0.9475, -0.058, "probably better than guessing (probability 0.95), but this is not certain"),
     (0.0, 0.0, "no better than guessing: both have the same error in every row"),
     (0.02, 0.1, "worse than guessing")],
)  # fmt: skip
def test_beside_guessing(p: float, difference: float, said: str) -> None:
    told = document(guessing={"p_better": p, "difference": difference})
    assert further.guessing_words(told).startswith(said)


def test_certificates() -> None:
    passed = {"family": "tree", "status": "certified", "reason": ""}
    leaks = {"family": "own", "status": "leaks", "reason": "own peeked"}
    skipped = {"family": "svm", "status": "not checked", "reason": "no time"}
    assert further.certificate_words(document(certificates=[passed])).startswith("every model was trained again")
    mixed = further.certificate_words(document(certificates=[passed, leaks, skipped]))
    assert mixed.startswith("1 model was trained again on one training part, with random values in place of all the")
    several = further.certificate_words(document(certificates=[passed, {**passed, "family": "b"}, skipped]))
    assert several.startswith("2 models were trained again on one training part, with random values in place of all")
    assert "leaks, and takes no part: own" in mixed
    assert mixed.endswith("not checked: svm (no time)")


def test_who_was_not_checked_is_told_by_the_reason_and_apart_from_who_was() -> None:
    passed = {"family": "tree", "status": "certified", "reason": ""}
    late = [{"family": name, "status": "not checked", "reason": "no time"} for name in ("svm", "knn")]
    restless = {"family": "own", "status": "not checked", "reason": "no fixed seed"}
    parts = further.certificate_parts(document(certificates=[passed, *late, restless]))
    assert list(parts) == ["certified", "not checked"]
    assert parts["not checked"] == "svm, knn (no time); own (no fixed seed)"
    assert "checked" not in parts["certified"]
    assert further.certificate_parts(document(certificates=late)) == {"not checked": "svm, knn (no time)"}


@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_is_said_of_what_is_not_known(name: str) -> None:
    bare = SAMPLES[name]()[0] if callable(SAMPLES[name]) else SAMPLES[name][0]
    for said in (further.more_rows_words, further.guessing_words, further.cost_words, further.certificate_words):
        assert said(bare) == ""


def test_a_simpler_member_that_may_be_as_good_is_named() -> None:
    pairs = [
        {"first": "forest", "second": "tree", "p_better": 0.5, "p_worse": 0.2},
        {"first": "logistic", "second": "forest", "p_better": 0.2, "p_worse": 0.6},
        {"first": "forest", "second": "boosting", "p_better": 0.1, "p_worse": 0.1},
        {"first": "tree", "second": "logistic", "p_better": 0.1, "p_worse": 0.1},
        {"first": "forest", "second": "baseline", "p_better": 0.7, "p_worse": 0.1},
    ]
    said = words.verdict(document(pairwise=pairs)).is_it_real
    assert said.endswith("The simpler tree is not clearly worse: take it if speed or explanation matters.")
    nothing = words.verdict(document(pairwise=pairs, guessing={"p_better": 0.6})).is_it_real
    assert "take it" not in nothing, "where nothing was found there is nothing to take"
    clear = [pair | {"p_better": 0.9, "p_worse": 0.9} for pair in pairs]
    assert words.verdict(document(pairwise=clear)).is_it_real.endswith(".")
    assert "simpler" not in words.verdict(document(pairwise=clear)).is_it_real
