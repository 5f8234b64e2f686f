"""Copied rows and practical differences, from the question to the verdict."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import venire as vn
from venire.errors import UsageError

MODELS = ["baseline", "tree"]


def patients(rows: int = 150, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age, dose = rng.normal(50, 12, rows), rng.exponential(2.0, rows)
    ill = age / 12 + dose + 2 * rng.normal(size=rows) > 6.2
    return pd.DataFrame({"age": age, "dose": dose, "ill": np.where(ill, "yes", "no")})


def test_a_table_joined_to_itself_has_the_error_of_the_plain_one(tmp_path: Path) -> None:
    once = patients()
    twice = pd.concat([once, once])
    plain, together, apart = (
        vn.compare(frame, "ill", models=MODELS, home=tmp_path, folds=5, jobs=1, duplicates=how)
        for frame, how in ((once, "together"), (twice, "together"), (twice, "apart"))
    )
    assert abs(together.chosen["error"] - plain.chosen["error"]) < 0.08
    assert apart.chosen["error"] < 0.5 * plain.chosen["error"], "this is what the copies would have claimed"
    found = {finding["code"]: finding for finding in together.to_dict()["findings"]}
    assert found["V013"]["message"].startswith("300 of 300 rows (100 %) are copies of one another (150 different rows)")
    assert together.to_dict()["plan_notes"] == [
        "300 of 300 rows are copies of one another; copies are kept in one fold"
    ]
    assert plain.to_dict()["plan_notes"] == []


def test_copies_bring_no_certainty(tmp_path: Path) -> None:
    """On average of tables: how much training rows matter is known roughly on each, and trees of copies are others."""
    widths = {1: 0.0, 2: 0.0}
    for seed in range(3):
        for times in widths:
            frame = pd.concat([patients(seed=seed)] * times)
            found = vn.compare(frame, "ill", models=MODELS, home=tmp_path, folds=5, jobs=1, duplicates="together")
            widths[times] += np.ptp(found.chosen["interval"])
    assert widths[2] == pytest.approx(widths[1], rel=0.2)


def test_a_practical_difference_can_be_asked_for(tmp_path: Path) -> None:
    frame = patients()
    usual = vn.compare(frame, "ill", models=MODELS, home=tmp_path, folds=5, jobs=1).to_dict()
    baseline = next(row["error"] for row in usual["leaderboard"] if row["family"] == "baseline")
    assert usual["practical_difference"] == pytest.approx(0.01 * baseline)
    asked = vn.compare(frame, "ill", models=MODELS, home=tmp_path, folds=5, jobs=1, practical_difference=0.5).to_dict()
    assert asked["practical_difference"] == 0.5
    assert all(pair["p_equal"] > 0.95 for pair in asked["pairwise"])
    with pytest.raises(UsageError, match="practical_difference must be a number from 0 on, not -1"):
        vn.compare(frame, "ill", practical_difference=-1)
    with pytest.raises(UsageError, match="duplicates must be 'together' or 'apart', not 'never'"):
        vn.compare(frame, "ill", duplicates="never")
