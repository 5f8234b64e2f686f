"""Checks of a long table look at rows drawn from it, find what is there, and say in how many rows they found it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.validation.tables import plain
from tests.verdict.cases import BASELINE, BAYES, judged
from venire.data.table import Table
from venire.verdict.findings import row_sample as screen
from venire.verdict.findings import table as checks_table
from venire.verdict.judgement import Judgement

ROWS, LOOKED_AT = 4000, 400
CODES = ("V012", "V013", "V014", "V015")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen, "MOST_ROWS", LOOKED_AT)
    monkeypatch.setattr(screen, "_FEWEST", 100)


def messages(judgement: Judgement) -> dict[str, str]:
    return {finding.code: finding.message for finding in judgement.findings if finding.code in CODES}


def clean(seed: int = 0) -> Table:
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(ROWS, 3)), rng.integers(0, ROWS // 5, ROWS)])
    return plain(X, (X[:, 0] + rng.normal(size=ROWS) > 0).astype(int), classes=2)


def troubled(seed: int = 0) -> Table:
    """A column that gives the target away, one that drifts, patients with an illness of their own, and copies."""
    rng = np.random.default_rng(seed)
    patient = rng.permutation(np.repeat(np.arange(ROWS // 5), 5))
    ill = (3.0 * rng.normal(size=ROWS // 5)[patient] + rng.normal(size=ROWS) > 0).astype(int)
    X = np.column_stack([rng.normal(size=ROWS), patient, ill, np.linspace(0, 3, ROWS) + rng.normal(size=ROWS)])
    twins = rng.permutation(ROWS)[:400]
    X[twins[:200]], ill[twins[:200]] = X[twins[200:]], ill[twins[200:]]
    return plain(X, ill, classes=2)


def test_what_is_there_is_found_in_the_rows_drawn_and_said_to_be(tmp_path: Path) -> None:
    found = judged(tmp_path, troubled(), [BASELINE, BAYES], folds=4)
    told = messages(found)
    assert sorted(told) == list(CODES)
    for code in ("V012", "V015"):
        assert told[code].endswith("(in 400 rows drawn from 4,000)")
    assert " rows drawn from 3,800)" in told["V014"], "copies of other rows are left out"
    assert told["V013"].startswith("400 of 4,000 rows (10.0 %) are copies of one another"), "copies are all counted"
    reasons = {check.code: check.reason for check in found.checks}
    assert all(reasons[code] == "looked at in some 400 of 4,000 rows" for code in CODES if code != "V013")
    assert reasons["V001"] == reasons["V013"] == ""


def test_a_clean_table_hears_nothing_and_is_told_how_it_was_looked_at(tmp_path: Path) -> None:
    found = judged(tmp_path, clean(), [BASELINE, BAYES], folds=4)
    assert messages(found) == {}
    checks = {check.code: (check.status, check.reason) for check in found.checks}
    assert checks["V013"] == ("clear", "")
    assert {checks[code] for code in CODES if code != "V013"} == {("clear", "looked at in some 400 of 4,000 rows")}


def test_the_work_is_bound_by_rows_however_long_the_table_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that sorts or compares sees at most the rows drawn (of copies: about as many)."""
    sizes: list[int] = []
    true = {name: getattr(checks_table, name) for name in ("alone", "group_effect", "_moved")}
    monkeypatch.setattr(checks_table, "alone", lambda t, b: sizes.append(t.rows) or true["alone"](t, b))
    monkeypatch.setattr(checks_table, "group_effect", lambda t, j: sizes.append(t.rows) or true["group_effect"](t, j))
    monkeypatch.setattr(checks_table, "_moved", lambda c, v, late: sizes.append(len(v)) or true["_moved"](c, v, late))
    judged(tmp_path, clean(), [BASELINE, BAYES], folds=4)
    assert len(sizes) >= 1 + 1 + 5, "numbers with fractions cannot name groups"
    assert max(sizes) <= LOOKED_AT
