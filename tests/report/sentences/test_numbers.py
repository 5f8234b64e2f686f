import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.report.sentences.numbers import (
    Scale,
    amount,
    decimals_for,
    finite,
    interval_of,
    probability,
    rounded,
    rounded_percent,
)
from venire.report.terminal.selection import to_text
from venire.wording import MISSING


@pytest.mark.parametrize("value", [None, math.nan, math.inf, -math.inf, "3", True, [1]])
def test_what_is_no_number_is_none(value):
    assert finite(value) is None


def test_numpy_numbers_are_numbers():
    assert finite(np.float32(0.5)) == 0.5
    assert finite(np.int64(3)) == 3.0


@pytest.mark.parametrize("ends", [None, [], [0.1], [0.1, None], [math.nan, 0.2]])
def test_half_an_interval_is_none(ends):
    assert interval_of({"interval": ends}) is None


@pytest.mark.parametrize(
    ("width", "decimals"), [(0.04, 3), (0.2, 2), (1.0, 1), (37.0, 0), (5e8, 0), (1e-12, 6), (0.0, 3), (math.nan, 3)]
)
def test_decimals_follow_the_interval(width, decimals):
    assert decimals_for(width) == decimals


def test_scale_is_led_by_the_first_row_and_helped_by_the_others():
    wide = {"error": 0.3, "interval": [0.1, 0.5]}
    perfect = {"error": 0.0, "interval": [0.0, 0.0]}
    assert Scale.of([wide, perfect]) == Scale(0, 2)
    assert Scale.of([perfect, wide]) == Scale(0, 2)
    assert Scale.of([perfect]) == Scale(0, 3)
    assert Scale.of([]) == Scale(0, 3)


def test_scale_takes_out_powers_of_ten_in_threes():
    assert Scale.of([{"error": 4.2e7, "interval": [4.0e7, 4.4e7]}]) == Scale(6, 1)
    assert Scale.of([{"error": 4.2e-8, "interval": [4.0e-8, 4.4e-8]}]) == Scale(-9, 1)
    assert Scale.of([{"error": 54321.0, "interval": [54000.0, 55000.0]}]) == Scale(0, -2)


def test_scale_shows_a_member_gone_astray_in_few_signs():
    scale = Scale(0, 3)
    assert scale.show(1.23456e20) == "1.23e+20"
    assert scale.show(None) == MISSING
    assert scale.show(-0.00001) == "0.000"
    assert scale.show(-1.5) == "-1.500"
    assert scale.show_interval([0.1, None]) == MISSING


def test_amount_rounds_before_it_names_the_unit():
    assert amount(9.97e8, 1.9e9) == "1.0 billion"
    assert amount(0.0) == "0.000"
    assert amount(-2.5e6, 1e5) == "-2.50 million"
    assert amount(5e-7) == "5e-07"


def test_percent_and_probability():
    assert rounded_percent(0.09737, 3) == "9.7 %"
    assert rounded_percent(0.5, 2) == rounded_percent(0.5, 1) == "50 %"
    assert rounded_percent(None, 2) == rounded(math.nan, 2) == MISSING
    assert [probability(p) for p in (1.0, 0.0, 0.5, math.nan)] == [">0.99", "<0.01", "0.50", MISSING]


@given(st.integers(0, 2000), st.floats(0.003, 0.99))
def test_a_sentence_rounds_a_share_as_a_table_does(halves, width):
    """Halves of a last digit fall where binary fractions have them: 0.175 is a little less, 17.5 is not."""
    rate = halves / 2000
    scale = Scale(decimals=decimals_for(width))
    said = rounded_percent(rate, scale.places_of(rate))
    assert float(said.removesuffix(" %")) == pytest.approx(100 * float(scale.show(rate)), abs=1e-9)


def test_a_selection_says_one_number_twice():
    document = {
        "target": "y", "rows": 40, "direction": "forward", "model": "tree", "folds": 5, "metric": "error",
        "metric_label": "error rate", "attributes": ["a", "b"],
        "path": [{"step": 1, "change": "a", "attributes": 1, "training_error": 0.1, "error": 0.175, "chosen": True}],
        "chosen": {"attributes": ["a"], "error": 0.3, "interval": [0.2, 0.45], "one_layer_error": 0.175},
    }  # fmt: skip
    shown = to_text(document)
    (row,) = (line for line in shown.splitlines() if line.rstrip().endswith("chosen"))
    assert "0.17 " in row
    assert "One layer says 17 %" in " ".join(shown.split())


@pytest.mark.parametrize("width", [0.004, 0.3, 7.0, 45.0, 700.0, 4700.0, 52000.0])
@pytest.mark.parametrize("error", [0.0312, 4.56, 87.6, 2330.7, 23307.4, 98765.4])
def test_a_table_rounds_as_a_sentence_does(error, width):
    if 1e-3 < width / error < 2:
        scale = Scale.of([{"error": error, "interval": [error - width / 2, error + width / 2]}])
        assert scale.show(error) == rounded(error, scale.places_of(error)) == amount(error, width)


def leaderboard(errors, width):
    return [{"error": error, "interval": [error - width / 2, error + width / 2]} for error in errors]


def test_rows_that_differ_in_practice_never_read_the_same():
    errors = (196.2, 199.4, 202.9, 207.1)
    rows = leaderboard(errors, 260.0)
    assert len({Scale.of(rows).show(error) for error in errors}) < len(errors), "the interval alone is too coarse"
    assert len({Scale.of(rows, 1.96).show(error) for error in errors}) == len(errors)


@given(st.lists(st.floats(0.5, 9.5), min_size=2, max_size=12), st.floats(0.01, 40.0), st.floats(1e-3, 1e6))
def test_one_format_for_a_whole_leaderboard(sizes, width, unit):
    """All rows end at the same digit, whatever the width of their own intervals, and 1 % apart is told apart."""
    errors = [size * unit for size in sizes]
    rows = leaderboard(errors, width * unit)
    apart = 0.01 * min(errors)
    scale = Scale.of(rows, apart)
    assert not scale.floating
    shown = [scale.show(error) for error in errors]
    if not any("e" in text for text in shown):  # too long for its column
        assert len({len(text.partition(".")[2]) for text in shown}) == 1
        for one, said_one in zip(errors, shown, strict=True):
            for other, said_other in zip(errors, shown, strict=True):
                assert abs(one - other) < 2 * apart or said_one != said_other


def test_a_score_takes_no_power_of_ten_out():
    tiny = leaderboard((2e-6, 3e-6), 1e-6)
    assert Scale.of(tiny).exponent == -6
    assert Scale.of(tiny, score=True) == Scale(0, 6)
    assert Scale.of(leaderboard((1e-9, 0.5), 1e-9), score=True) == Scale(0, 6)
    assert Scale.of(leaderboard((0.02, 5e7), 0.01), score=True).floating


def test_a_tooltip_has_the_digits_of_the_table():
    assert Scale(0, 3).d3 == ",.3f"
    assert Scale(0, -2).d3 == ",.0f"
    assert Scale(floating=True).d3 == ".3~g"
