"""How much surer one model on fresh rows would be: from what leaving a fold out of training changes."""

from __future__ import annotations

import numpy as np
import pytest

from venire.inference import training_overlap
from venire.inference.by_rows.training_overlaps import NATURES, SMOOTH

MOVED = np.random.default_rng(0).standard_normal(100)
PLAIN = float(np.square(MOVED).mean())
NOTHING = np.zeros(10)


def test_losses_that_training_rows_do_not_change_have_a_fifth_of_the_usual_correction() -> None:
    for nature in (SMOOTH, *NATURES.values()):
        assert training_overlap(MOVED, NOTHING, NOTHING, NOTHING, usual=2.0, nature=nature) == pytest.approx(1.2)
    few = np.zeros(3)
    assert training_overlap(MOVED, few, few, few, usual=2.5) == pytest.approx(1.75)


def test_losses_that_are_all_luck_count_twice() -> None:
    # of a smooth loss K − 2 times the change, of a decision half of the root of 2 (K − 2)
    smooth, turned = np.full(10, PLAIN / 8), np.full(10, PLAIN / 2)
    assert training_overlap(MOVED, smooth, NOTHING, NOTHING, usual=2.1) == pytest.approx(2.0)
    assert training_overlap(MOVED, turned, NOTHING, NOTHING, usual=2.1, nature=NATURES["error"]) == pytest.approx(2.0)
    assert training_overlap(MOVED, 9 * smooth, NOTHING, NOTHING, usual=2.1) == pytest.approx(2.0)


def test_a_figure_that_moves_with_every_fold_is_less_sure_than_chance_alone_would_make_it() -> None:
    shifts = np.tile([0.1, -0.1], 5)
    moving = training_overlap(MOVED, NOTHING, shifts, NOTHING, usual=2.1, nature=NATURES["f1"])
    by_chance = training_overlap(MOVED, NOTHING, shifts, np.full(10, 0.02), usual=2.1, nature=NATURES["f1"])
    assert moving > 10
    assert by_chance == pytest.approx(1.22, abs=0.01)
    assert training_overlap(MOVED, NOTHING, 100 * shifts, NOTHING, usual=2.1, nature=NATURES["error"]) == 4.0


def test_what_chance_makes_of_a_smooth_metric_is_taken_off_both_parts() -> None:
    changes, noise = np.full(10, PLAIN / 16), np.full(10, PLAIN * 10 / 81 / 100 / 5)  # one half, and one fifth
    assert training_overlap(MOVED, changes, NOTHING, noise, usual=2.1) == pytest.approx(1.3)


def test_where_nothing_can_be_told_it_is_the_usual_one() -> None:
    unknown = np.full(10, np.nan)
    assert training_overlap(MOVED, unknown, unknown, unknown, usual=2.1) == 2.1
    assert training_overlap(np.zeros(5), NOTHING, NOTHING, NOTHING, usual=2.1) == 2.1
