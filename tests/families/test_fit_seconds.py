"""What boosting is said to cost, beside what was measured: never less, and not many times as much."""

from __future__ import annotations

import pytest

from venire.families.fit_seconds import boosting, boosting_slow, boosting_small

# Processor seconds of a trial on one thread (five folds, numbers, a quarter of the labels at random), as
# `benchmarks/speed/wide.py` takes them.
MEASURED = [
    (boosting, 60, 1_000, 0.03),
    (boosting, 60, 10_000, 0.36),
    (boosting, 200, 2_000, 0.19),
    (boosting, 1_000, 20, 0.02),
    (boosting, 1_000, 200, 0.15),
    (boosting, 1_000, 1_000, 0.85),
    (boosting, 5_000, 100, 0.20),
    (boosting, 5_000, 1_000, 3.2),
    (boosting, 20_000, 20, 0.084),
    (boosting_small, 60, 2_000, 0.28),
    (boosting_slow, 60, 2_000, 0.29),
]


@pytest.mark.parametrize(("formula", "rows", "columns", "seconds"), MEASURED)
def test_boosting_costs_about_what_is_said(formula, rows, columns, seconds):
    said = formula(rows * 3 // 5, columns, 2)
    assert seconds <= said <= 4 * seconds


def test_few_rows_of_many_columns_stay_in_the_cache():
    # More columns cost in proportion where the rows are few, and more than that where they are many.
    assert boosting(36, 10_000, 2) < 11 * boosting(36, 1_000, 2)
    assert boosting(30_000, 3_000, 2) > 20 * boosting(30_000, 300, 2)
