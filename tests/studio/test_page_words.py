"""Advice on the pages of the studio speaks of their fields."""

from __future__ import annotations

from venire.advice import Advice, Option, parts_of
from venire.studio.page_words import document_in_fields


def test_notes_and_findings_name_fields() -> None:
    note = Advice("say ", Option("task", "classification"))
    budget = Advice("Allow more in ", Option("budget"), ".")
    difference = Advice("It can be set with ", Option("practical_difference"), ".")
    jobs = Advice("Take fewer with ", Option("jobs"), ".")
    findings = [{"advice": str(one), "advice_parts": parts_of(one)} for one in (budget, difference, jobs)]
    shown = document_in_fields(
        {"rows": 3, "findings": findings, "notes": [{"message": str(note), "message_parts": parts_of(note)}]}
    )
    assert shown["rows"] == 3
    assert [one["advice"] for one in shown["findings"]] == [
        "Allow more in the field ‘It may take’.",
        "It can be set with the field ‘Smallest difference that matters’.",
        "Take fewer with the option jobs (in Python).",
    ]
    assert shown["notes"][0]["message"] == "say ‘classes’ in the field ‘Taken as’"


def test_a_document_of_an_earlier_version_keeps_its_words() -> None:
    assert document_in_fields({"findings": [{"advice": "as it was"}]})["findings"] == [{"advice": "as it was"}]
