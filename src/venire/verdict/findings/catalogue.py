"""Findings: what a careful colleague would point out, each with a stable code, a sentence and advice.

This is the list of the checks; what each looks for is in `evidence`, `table` and `duplicates`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from venire.errors import UsageError
from venire.validation.honesty.certificate import Certificate
from venire.verdict.calibration import looked_at
from venire.verdict.findings import duplicates, evidence, table
from venire.verdict.judgement import Checked, Finding, Judgement

__all__ = ["CHECKS", "HEAD", "Check", "Finding", "check_codes", "review", "reviewed"]


def _always(case: Judgement) -> str | None:
    return None


def _all_rows(case: Judgement) -> str:
    return ""


@dataclass(frozen=True)
class Check:
    """One check: its code and title, what it looks for, and why it may not apply to a case."""

    code: str
    title: str
    look: Callable[[Judgement], Iterator[tuple[str, str]]]
    unfit: Callable[[Judgement], str | None] = _always
    looked_at: Callable[[Judgement], str] = _all_rows  # in which rows, where these are not all


CHECKS = (
    Check("V001", "few rows", evidence.few_rows),
    Check("V002", "classes with few rows", evidence.rare_classes, evidence.no_classes),
    Check("V003", "trained without a class", evidence.absent_classes, evidence.no_classes),
    Check("V004", "a metric undefined in some folds", evidence.undefined_folds),
    Check("V005", "not clearly better than guessing", evidence.no_better_than_guessing, evidence.no_baseline),
    Check("V006", "a metric that overlooks the rare class", evidence.unsuited_metric, evidence.no_classes),
    Check("V007", "a simpler family is as good", evidence.not_separable, evidence.one_candidate),
    Check("V008", "far from its training error", evidence.over_fitting, evidence.no_training_error),
    Check("V009", "an unstable choice", evidence.unstable_choice, evidence.one_candidate),
    Check("V010", "a learner warned", evidence.learners_complained),
    Check("V011", "stratified folds", evidence.stratified_folds),
    Check(
        "V012", "one column predicts the target alone", table.one_column_is_enough, table.too_few_rows, table.looked_at
    ),
    Check("V013", "rows that repeat one another", duplicates.repeated_rows),
    Check("V014", "groups suggested by a column", table.hidden_groups, table.grouped_rows, table.looked_at),
    Check("V015", "drift between early and late rows", table.drift, table.sorted_by_target, table.looked_at),
    Check(
        "V016",
        "probabilities out of calibration",
        evidence.out_of_calibration,
        evidence.no_probabilities,
        looked_at,
    ),
    Check("V017", "a member that leaks", evidence.leaking_members, evidence.not_checked),
    Check("V018", "a member that no fit repeats", evidence.unrepeatable_members, evidence.not_checked),
    Check("V019", "a column made of the target", table.encoded_target, table.too_few_rows),
)
HEAD = ("V017", "V018", "V019")  # where they are found, no figure means what it says: they stand before all others


def review(case: Judgement, mute: Collection[str] = ()) -> tuple[tuple[Finding, ...], tuple[Checked, ...]]:
    """Everything that was found, first what no figure survives, and what every check came to in the order of codes."""
    findings: list[Finding] = []
    checked: list[Checked] = []
    for check in CHECKS:
        reason = check.unfit(case)
        if check.code in mute:
            checked.append(Checked(check.code, check.title, "muted"))
        elif reason is not None:
            checked.append(Checked(check.code, check.title, "not applicable", reason))
        else:
            found = [Finding(check.code, message, advice) for message, advice in check.look(case)]
            findings += found
            checked.append(Checked(check.code, check.title, "found" if found else "clear", check.looked_at(case)))
    findings.sort(key=lambda finding: finding.code not in HEAD)  # stable: else in the order of the codes
    return tuple(findings), tuple(checked)


def check_codes(codes: Collection[str] | str) -> frozenset[str]:
    """The codes to mute, in a list or as one text with commas between, or an error that lists those there are.

    >>> sorted(check_codes(["v004", "V001"])), sorted(check_codes("V006"))
    (['V001', 'V004'], ['V006'])
    """
    known = [check.code for check in CHECKS]
    asked = {str(code).strip().upper() for code in (codes.split(",") if isinstance(codes, str) else codes)}
    if unknown := sorted(asked - set(known)):
        raise UsageError(
            f"there is no finding {unknown[0]!r} to mute",
            code="unknown_finding",
            hint=f"the codes are {known[0]} to {known[-1]}; a finding shows its own",
        )
    return frozenset(asked)


def reviewed(bare: Judgement, certificates: Mapping[str, Certificate], mute: Collection[str] = ()) -> Judgement:
    """A judgement with the certificates of its members, and with what is found in it."""
    checked = replace(bare, certificates=certificates)
    findings, checks = review(checked, frozenset(mute))
    return replace(checked, findings=findings, checks=checks)
