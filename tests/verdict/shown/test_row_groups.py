"""Errors of groups of rows: counted again from what was predicted, with intervals, in an order that reads well."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from venire import Verdict, compare
from venire.errors import UsageError
from venire.inference.intervals import accuracy_interval
from venire.verdict.leaderboard import PROCEDURE
from venire.verdict.shown.row_groups import errors_by_group

RNG = np.random.default_rng(0)
ROWS = 120
FRAME = pd.DataFrame({
    "size": RNG.normal(10, 3, ROWS),
    "rooms": RNG.choice([1.0, 2.0, np.nan, 10.0], ROWS),
    "place": RNG.choice(["town", "village", "city"], ROWS, p=[0.6, 0.3, 0.1]),
})  # fmt: skip
SOLD = np.where(FRAME["size"] + RNG.normal(0, 2, ROWS) > 10, "yes", "no")


@pytest.fixture(scope="module")
def verdict(tmp_path_factory: pytest.TempPathFactory) -> Verdict:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("VENIRE_HOME", str(tmp_path_factory.mktemp("home")))
        return compare(FRAME, SOLD, models=["baseline", "tree"], folds=3, positive="yes", jobs=1)


def groups(verdict: Verdict, column: str) -> dict[str, dict[str, Any]]:
    return {one["group"]: one for one in errors_by_group(verdict.judgement, column)["groups"]}


def test_every_figure_is_that_of_the_rows_of_the_group(verdict: Verdict) -> None:
    said = verdict.evidence[PROCEDURE].to_frame()
    found = groups(verdict, "place")
    assert set(found) == {"town", "village", "city"}
    for name, one in found.items():
        rows = said[FRAME["place"].to_numpy()[said["row"]] == name]
        wrong = int((rows["actual"] != rows["predicted"]).sum())
        interval = accuracy_interval(len(rows) - wrong, len(rows))
        assert (one["rows"], one["error"]) == (len(rows), wrong / len(rows))
        assert (one["low"], one["high"]) == pytest.approx((1 - interval.high, 1 - interval.low))
        sold = rows[rows["actual"] == "yes"]
        assert one["extra"]["sensitivity"] == pytest.approx((sold["predicted"] == "yes").mean())
        kept = rows[rows["actual"] == "no"]
        assert one["extra"]["false positive rate"] == pytest.approx((kept["predicted"] == "yes").mean())


def test_categories_come_by_their_rows_and_numbers_in_their_order(verdict: Verdict) -> None:
    assert list(groups(verdict, "place")) == ["town", "village", "city"]
    assert list(groups(verdict, "rooms")) == ["1", "2", "10", "missing"]
    lows = [float(name.split(" to ")[0]) for name in groups(verdict, "size")]
    assert len(lows) == 4
    assert lows == sorted(lows)


def test_a_column_that_is_not_there_is_refused(verdict: Verdict) -> None:
    with pytest.raises(UsageError, match="no column 'sex' to group by"):
        errors_by_group(verdict.judgement, "sex")


def test_numbers_have_a_mean_absolute_error(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VENIRE_HOME", str(tmp_path))
    y = FRAME["size"] * 2 + RNG.normal(size=ROWS)
    verdict = compare(FRAME, y, models=["baseline", "linear"], folds=3, jobs=1)
    said, found = verdict.evidence[PROCEDURE].to_frame(), groups(verdict, "place")
    for name, one in found.items():
        rows = said[FRAME["place"].to_numpy()[said["row"]] == name]
        assert one["error"] == pytest.approx((rows["actual"] - rows["predicted"]).abs().mean())
        assert one["low"] < one["error"] < one["high"]
