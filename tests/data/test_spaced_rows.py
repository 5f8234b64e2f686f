from __future__ import annotations

import numpy as np
import pytest

from venire.data.spaced_rows import spaced_rows


@pytest.mark.parametrize(("rows", "most"), [(1, 1), (2, 1), (7, 3), (1000, 999), (1000, 7), (5, 500)])
def test_as_many_as_asked_for_each_once_and_from_end_to_end(rows: int, most: int) -> None:
    found = spaced_rows(rows, most)
    assert len(found) == min(rows, most)
    assert found[0] == 0
    assert most == 1 or found[-1] == rows - 1
    steps = np.diff(found)
    assert len(steps) == 0 or (steps.min() > 0 and steps.max() - steps.min() <= 1), "equal distances, as far as it goes"


def test_of_no_rows_none() -> None:
    assert len(spaced_rows(0, 10)) == 0
