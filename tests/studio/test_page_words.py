"""Advice on the studio's pages speaks of its fields."""

from __future__ import annotations

from venire.advice import Advice, Option, parts_of
from venire.studio.page_words import findings_in_fields


def test_findings_advise_in_the_words_of_the_page() -> None:
    budget = Advice("Allow more in ", Option("budget"), ".")
    difference = Advice("With ", Option("practical_difference"), " you say what difference matters to you.")
    findings = [
        {"code": "V001", "message": "few", "advice": str(budget), "advice_parts": parts_of(budget)},
        {"code": "V007", "message": "near", "advice": str(difference), "advice_parts": parts_of(difference)},
        {"code": "V002", "message": "of an earlier version", "advice": "Look at it."},
    ]
    shown = findings_in_fields({"rows": 3, "findings": findings})
    assert shown["rows"] == 3
    assert [one["advice"] for one in shown["findings"]] == [
        "Allow more in the field ‘It may take’.",
        "With the option practical_difference (in Python) you say what difference matters to you.",
        "Look at it.",
    ]
