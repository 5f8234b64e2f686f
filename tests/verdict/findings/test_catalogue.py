"""Every finding: a table that calls for it, and one that does not."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB

from tests.validation.tables import classification, noise, plain, regression
from tests.verdict.cases import BASELINE, BAYES, NEAREST, RIDGE, TREE, judged
from venire.advice import parts_of
from venire.data import read_table
from venire.data.table import Column, Kind, Table
from venire.errors import UsageError
from venire.validation.honesty.certificate import Certificate
from venire.validation.honesty.leaking import KnowsAnswers
from venire.validation.plans.folds import make_plan
from venire.validation.trials.generic import GenericFamily
from venire.validation.trials.reasons import NoFixedSeed, Status
from venire.verdict.findings import duplicates as checks_duplicates
from venire.verdict.findings import evidence as checks_evidence
from venire.verdict.findings import table as checks_table
from venire.verdict.findings.catalogue import CHECKS, check_codes, review
from venire.verdict.findings.columns import encodes_target
from venire.verdict.judgement import Judgement
from venire.verdict.procedure import Procedure

HASTY = GenericFamily("hasty", classifier=LogisticRegression(max_iter=1))
Judge = Callable[..., Judgement]


@pytest.fixture
def judge_(tmp_path: Path) -> Judge:
    def judging(table: Table, *families: Any, **how: Any) -> Judgement:
        return judged(tmp_path, table, families or [BASELINE, BAYES], **{"folds": 4, **how})

    return judging


def message(judgement: Judgement, code: str) -> str | None:
    return next((finding.message for finding in judgement.findings if finding.code == code), None)


def status(judgement: Judgement, code: str) -> tuple[str, str]:
    return next((check.status, check.reason) for check in judgement.checks if check.code == code)


def add(table: Table, column: Column, values: np.ndarray) -> Table:
    """The table with one more column."""
    return replace(table, X=np.asfortranarray(np.column_stack([table.X, values])), columns=(*table.columns, column))


def labelled(counts: list[int]) -> Table:
    y = np.repeat(np.arange(len(counts)), counts)
    X = np.random.default_rng(0).normal(size=(len(y), 2)) + y[:, None]
    return plain(X, y, classes=len(counts))


def test_v001_few_rows(judge_: Judge) -> None:
    assert "60 rows are few: the error rate is between" in str(message(judge_(classification(60)), "V001"))
    assert message(judge_(classification(100)), "V001") is None
    by_score = judge_(classification(60), measure="auc")
    low, high = (1 - end for end in (by_score.top.interval.high, by_score.top.interval.low))
    assert message(by_score, "V001") == f"60 rows are few: the AUC is between {low:.3g} and {high:.3g}"
    one_defined = judge_(labelled([40, 1]), measure="auc")
    assert message(one_defined, "V001") == "41 rows are few: no interval can be given"


def test_v002_classes_with_fewer_rows_than_folds(judge_: Judge) -> None:
    assert (
        message(judge_(labelled([50, 3, 2])), "V002") == "classes with fewer rows than the 4 folds: 'c1' (3), 'c2' (2)"
    )
    assert message(judge_(labelled([50, 4])), "V002") is None
    assert message(judge_(regression(40), BASELINE, RIDGE), "V002") is None


def test_v003_trained_without_a_class(judge_: Judge) -> None:
    assert message(judge_(labelled([50, 2])), "V003") == "some models were trained without a single row of 'c1'"
    assert message(judge_(labelled([50, 3])), "V003") is None


def test_v004_undefined_folds(judge_: Judge) -> None:
    assert "AUC is undefined in 2 of 4 folds" in str(message(judge_(labelled([50, 2]), measure="auc"), "V004"))
    assert message(judge_(labelled([50, 2])), "V004") is None


def test_v005_no_better_than_guessing(judge_: Judge) -> None:
    assert "is not clearly better than always predicting the same" in str(message(judge_(noise(80, 0)), "V005"))
    assert message(judge_(classification(80, noise=0.1)), "V005") is None
    assert message(judge_(noise(80, 0), BAYES), "V005") is None, "without the baseline nothing is said of it"


def test_v005_compares_fold_by_fold(judge_: Judge) -> None:
    """Groups of very different spread: hard folds are hard for everybody, and the model is better in each."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(8), 60).astype(np.int32)
    x = 4 * rng.normal(size=480)
    table = plain(x[:, None], x + (1 + groups) * rng.normal(size=480), groups=groups)
    judgement = judge_(table, BASELINE, GenericFamily("line", regressor=LinearRegression()), folds=8)
    assert judgement.rows[0].interval.high > judgement.candidate("baseline").error, "the intervals overlap"
    assert message(judgement, "V005") is None


def test_v006_a_metric_that_overlooks_the_rare_class(judge_: Judge) -> None:
    assert "'c1' is 10.0 % of the rows" in str(message(judge_(labelled([90, 10])), "V006"))
    assert message(judge_(labelled([90, 10]), measure="balanced_error"), "V006") is None
    assert message(judge_(labelled([75, 25])), "V006") is None


def test_v007_a_simpler_family_is_as_good(judge_: Judge) -> None:
    judgement = judge_(classification(60), BASELINE, BAYES, TREE)
    handed = Procedure(judgement.candidate("cart"), judgement.procedure.picks, 0.1)
    found, _ = review(replace(judgement, procedure=handed))
    assert next(f.message for f in found if f.code == "V007").startswith(
        "cart is not clearly better than the simpler bayes: the probability that it is better by more than "
    )
    advice = next(f.advice for f in found if f.code == "V007")
    assert {"option": "practical_difference", "value": None} in parts_of(advice), "each surface writes it its own way"
    others = [GenericFamily(name, classifier=GaussianNB()) for name in ("again", "more")]
    several = judge_(classification(60), BASELINE, BAYES, *others, TREE)
    several = replace(several, docket=replace(several.docket, practical_difference=1.0))  # nobody is better by that
    handed = Procedure(several.candidate("cart"), several.procedure.picks, 0.1)
    said = next(f.message for f in review(replace(several, procedure=handed))[0] if f.code == "V007")
    assert "than the simpler bayes, again and more: " in said
    first = replace(judgement, procedure=Procedure(judgement.candidate("bayes"), judgement.procedure.picks, 0.1))
    assert "V007" not in {f.code for f in review(first)[0]}, "nothing but guessing is simpler"


def test_v007_a_clear_winner_is_not_held_back(judge_: Judge) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 2))
    apart = plain(x, (x[:, 0] * x[:, 1] > 0).astype(int), classes=2)  # no line parts them, neighbours do
    line = judge_(apart, BASELINE, RIDGE, NEAREST, folds=8)
    assert line.procedure.chosen.name == "nearest"
    assert message(line, "V007") is None


def test_v008_far_from_its_training_error(judge_: Judge) -> None:
    assert "says nothing about new rows" in str(message(judge_(noise(200, 1), NEAREST), "V008"))
    assert message(judge_(noise(200, 1), BASELINE), "V008") is None


def test_v009_an_unstable_choice(judge_: Judge) -> None:
    judgement = judge_(noise(60, 4), BASELINE, BAYES, NEAREST, RIDGE, TREE, folds=8)
    picked = [c.name for c in judgement.procedure.picks.values()]
    assert max(picked.count(name) for name in picked) <= 4
    assert "no family was chosen in more than half of the 8 folds" in str(message(judgement, "V009"))
    assert message(judge_(classification(60), BAYES), "V009") is None


def test_v010_a_learner_warned(judge_: Judge) -> None:
    found = str(message(judge_(classification(60), HASTY), "V010"))
    assert found.startswith("hasty warned in 10 of 10 trials: ConvergenceWarning: ")
    assert message(judge_(classification(60), BAYES), "V010") is None


def test_v011_strictly_stratified_folds(judge_: Judge) -> None:
    assert "stratified folds: the class shares" in str(message(judge_(classification(60), stratified=True), "V011"))
    assert message(judge_(classification(60)), "V011") is None


def test_v012_one_column_predicts_alone(judge_: Judge) -> None:
    table = classification(120, classes=2)
    given_away = add(table, Column("discharged", Kind.CATEGORICAL, ("no", "yes")), table.y.astype(float))
    found = judge_(given_away)
    assert message(found, "V012") == (
        "the column 'discharged' alone predicts the target: 0 % of the error of guessing is left"
    )
    assert "drop=['discharged']." in next(f.advice for f in found.findings if f.code == "V012")
    gaps = np.where(table.y == 1, np.nan, 1.0 + np.arange(120))
    assert "'when'" in str(message(judge_(add(table, Column("when", Kind.NUMERIC, missing=60), gaps)), "V012"))
    numbers = regression(120)
    in_euros = add(numbers, Column("euros", Kind.NUMERIC), 0.9 * numbers.y + 3)
    assert "'euros'" in str(message(judge_(in_euros, BASELINE, RIDGE), "V012"))
    assert message(judge_(table), "V012") is None


def copied_rows(table: Table, rows: Any) -> Table:
    return table.take(np.asarray(rows, dtype=np.intp))


def test_v013_copied_rows_are_kept_in_one_fold_and_it_is_said(judge_: Judge) -> None:
    table = classification(100)
    some_twice = copied_rows(table, np.r_[np.arange(100), np.arange(20)])
    found = judge_(some_twice)
    assert message(found, "V013") == (
        "40 of 120 rows (33.3 %) are copies of one another (100 different rows); all copies of a row are in one fold"
    )
    assert "duplicates='apart'" in next(f.advice for f in found.findings if f.code == "V013")
    assert str(message(judge_(replace(some_twice, duplicates="apart")), "V013")).endswith(
        "of them have a copy in another fold"
    )
    groups = np.r_[np.arange(100), np.arange(100, 120)].astype(np.int32)
    by_groups = judge_(replace(some_twice, groups=groups))
    assert str(message(by_groups, "V013")).endswith("of them have a copy in another fold")
    assert "share a group" in next(f.advice for f in by_groups.findings if f.code == "V013")
    assert message(judge_(table), "V013") is None


def test_v013_a_doubled_table_reports_the_error_of_the_plain_one(judge_: Judge) -> None:
    table = classification(300, classes=2)
    rare = np.flatnonzero(table.y == 1)
    plain_error = judge_(table, NEAREST).top.error
    twice = judge_(copied_rows(table, np.tile(np.arange(300), 2)), NEAREST)
    tripled = judge_(copied_rows(table, np.r_[np.arange(300), rare, rare]), NEAREST)
    assert abs(twice.top.error - plain_error) < 0.06
    assert abs(tripled.top.error - plain_error) < 0.06
    assert message(twice, "V013") is not None
    assert message(tripled, "V013") is not None


def test_v013_columns_with_few_values_have_twins_by_chance(judge_: Judge) -> None:
    rng = np.random.default_rng(0)
    few = plain(rng.integers(0, 3, size=(200, 3)), rng.integers(0, 2, 200), classes=2)
    assert "are copies" not in str(message(judge_(few), "V013"))


def test_v013_the_same_columns_with_another_target_are_said(judge_: Judge) -> None:
    rng = np.random.default_rng(0)
    x, ill = np.repeat(np.arange(5.0), 40), np.tile(np.arange(40) < 10, 5)
    ill[0] = False
    assert message(judge_(plain(x[:, None], ill, classes=2)), "V013") == (
        "200 of 200 rows (100 %) have the same columns as a row of another class: whatever a model predicts, it is "
        "wrong on at least 49 of them"
    )
    numbers = regression(100)
    measured = copied_rows(numbers, np.tile(np.arange(100), 2))
    again = replace(measured, target=replace(measured.target, values=measured.y + rng.normal(size=200)))
    assert message(judge_(again, BASELINE, RIDGE), "V013") == (
        "200 of 200 rows (100 %) have the same columns as another row and another target"
    )


def test_v013_most_rows_hardly_differ_from_another(judge_: Judge) -> None:
    table = classification(150)
    twice = copied_rows(table, np.tile(np.arange(150), 2))
    numbered = add(twice, Column("copy", Kind.NUMERIC), np.repeat([1.0, 2.0], 150))
    assert message(judge_(numbered), "V013") == "100 % of the rows equal another row in everything but 'copy'"
    X = twice.X.copy(order="F")
    X[150:, 0] += 0.001 * np.random.default_rng(0).normal(size=150)
    X[150:, 5] += 0.01 * np.random.default_rng(1).normal(size=150)
    assert "hardly differ from another row" in str(message(judge_(replace(twice, X=X)), "V013"))


def patients(rows: int = 240, effect: float = 3.0, seed: int = 0) -> tuple[Table, np.ndarray]:
    rng = np.random.default_rng(seed)
    patient = rng.permutation(np.repeat(np.arange(rows // 6), 6))
    illness = effect * rng.normal(size=rows // 6)
    y = (illness[patient] + rng.normal(size=rows) > 0).astype(int)
    return plain(rng.normal(size=(rows, 2)), y, classes=2), patient


def test_v014_groups_suggested_by_a_column(judge_: Judge) -> None:
    table, patient = patients()
    names = tuple(f"p{k}" for k in range(40))
    for column in (Column("patient", Kind.CATEGORICAL, names), Column("patient", Kind.NUMERIC)):
        found = judge_(add(table, column, patient.astype(float)))
        assert str(message(found, "V014")).startswith("rows with the same 'patient' (40 values) have similar targets")
        assert "groups='patient'." in next(f.advice for f in found.findings if f.code == "V014")
    grouped = add(replace(table, groups=patient.astype(np.int32)), Column("patient", Kind.NUMERIC), patient * 1.0)
    assert status(judge_(grouped), "V014") == ("not applicable", "the folds keep groups together already")


def test_v014_a_trend_is_no_group(judge_: Judge) -> None:
    rng = np.random.default_rng(1)
    age = rng.integers(20, 70, 400).astype(float)
    y = (age + 8 * rng.normal(size=400) > 45).astype(int)
    assert message(judge_(plain(age[:, None], y, classes=2)), "V014") is None


def test_v014_copies_of_rows_are_no_groups(judge_: Judge) -> None:
    rng = np.random.default_rng(2)
    amount, y = rng.permutation(200).astype(float), rng.integers(0, 2, 200)
    twice = plain(np.column_stack([np.tile(amount, 2), np.tile(rng.normal(size=200), 2)]), np.tile(y, 2), classes=2)
    found = judge_(twice)
    assert message(found, "V013") is not None
    assert message(found, "V014") is None


def test_v015_drift_between_early_and_late_rows(judge_: Judge) -> None:
    table = classification(200, classes=2)
    X = table.X.copy(order="F")
    X[:, 0] += np.linspace(0, 3, 200)
    drifting = judge_(replace(table, X=X))
    assert message(drifting, "V015") == "rows further down the table differ from the earlier ones in 'a'"
    timed = judge_(replace(table, X=X, time=np.arange(200.0)))
    assert str(message(timed, "V015")).startswith("later rows differ")
    assert message(judge_(table), "V015") is None


def test_v015_a_counter_of_the_rows_kept_as_the_only_attribute_is_no_drift(judge_: Judge) -> None:
    counter = np.arange(200.0)
    frame = pd.DataFrame({"id": counter.astype(int), "y": np.random.default_rng(0).permutation(200) % 2})
    table = read_table(frame, "y")
    assert [column.name for column in table.columns] == ["id"]
    assert message(judge_(table), "V015") is None
    assert "in 'id'" in str(message(judge_(replace(table, notes=())), "V015"))


def test_v015_a_table_sorted_by_its_target_has_no_drift(judge_: Judge) -> None:
    table = classification(100)
    order = np.argsort(table.y, kind="stable")
    ranked = replace(table, X=np.asfortranarray(table.X[order]), target=replace(table.target, values=table.y[order]))
    assert status(judge_(ranked), "V015") == ("not applicable", "the rows are sorted by the target")


def test_v016_probabilities_out_of_calibration(judge_: Judge) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    once = rng.normal(size=400) + y
    copies = np.column_stack([once + 0.05 * rng.normal(size=400) for _ in range(8)])  # taken for eight witnesses
    found = str(message(judge_(plain(copies, y, classes=2), BAYES), "V016"))
    assert found.startswith("the probabilities of bayes are too far apart: their calibration error is 0.")
    straight = judge_(plain(once[:, None], y, classes=2), BAYES)
    assert message(straight, "V016") is None
    calibrated = judge_(plain(copies, y, classes=2), BAYES, measure="log_loss")
    assert message(calibrated, "V016") is None, "judged by log loss it is calibrated inside"
    assert status(judge_(regression(60), BASELINE, RIDGE), "V016") == ("not applicable", "numbers are predicted")
    assert status(judge_(classification(60), RIDGE), "V016")[1] == "ridge gives no probabilities"


def test_v017_a_member_that_leaks(judge_: Judge) -> None:
    judgement = judge_(classification(60))
    found, _ = review(
        replace(judgement, certificates={"own": Certificate("own", Status.LEAKS, KnowsAnswers("own", 20))})
    )
    assert [f.message for f in found if f.code == "V017"] == [
        f"{KnowsAnswers('own', 20)}; it takes no part in the verdict"
    ]
    clean, checked = review(replace(judgement, certificates={"own": Certificate("own", Status.CERTIFIED)}))
    assert "V017" not in {f.code for f in clean}
    assert next(c.status for c in checked if c.code == "V017") == "clear"


def test_v018_a_member_that_no_fit_repeats_stands_first(judge_: Judge) -> None:
    judgement = judge_(classification(60))
    chosen = judgement.handed_over[0]
    fine = {"other": Certificate("other", Status.CERTIFIED)}
    unsteady = {chosen: Certificate(chosen, Status.NOT_CHECKED, NoFixedSeed()), **fine}
    found, _ = review(replace(judgement, certificates=unsteady))
    assert len(found) > 1
    assert found[0].code == "V018"
    assert found[0].message.endswith(", and it would be handed over")
    absent, _ = review(replace(judgement, certificates=fine))
    assert "V018" not in {f.code for f in absent}


def test_v019_a_column_made_of_the_target(judge_: Judge) -> None:
    rng = np.random.default_rng(0)
    town, y = rng.integers(0, 40, 400), rng.integers(0, 2, 400)
    size = np.bincount(town, minlength=40)
    means = np.bincount(town, y, 40) / size
    shrunk = (size * means + 5.0 * y.mean()) / (size + 5.0)
    columns = np.column_stack([means[town], shrunk[town], rng.random(40)[town], rng.normal(size=400)])
    judgement = judge_(plain(columns, y, classes=2), BAYES)
    table = judgement.docket.table
    assert [encodes_target(table, j) for j in range(4)] == [True, True, False, False]
    found = [f for f in judgement.findings if f.code == "V019"]
    assert [f.message.split("'")[1] for f in found] == [table.columns[0].name, table.columns[1].name]
    assert judgement.findings[0].code == "V019"


def test_a_finding_is_muted_by_its_code(judge_: Judge) -> None:
    judgement = judge_(classification(60))
    assert message(judgement, "V001") is not None
    found, checked = review(judgement, {"V001"})
    assert "V001" not in {f.code for f in found}
    assert checked[0].status == "muted"
    assert [c.code for c in checked] == [check.code for check in CHECKS]
    assert check_codes("V006") == {"V006"}
    assert check_codes("V001, v006") == {"V001", "V006"}
    with pytest.raises(UsageError, match="there is no finding 'V999' to mute"):
        check_codes(["V999"])


CLEAN_SEEDS = 60


def clean(seed: int) -> Table:
    """Nothing wrong with it: mixed columns, some of them informative, in random order."""
    rng = np.random.default_rng(1000 + seed)
    rows = int(rng.integers(60, 400))
    return regression(rows, seed) if seed % 3 == 2 else classification(rows, classes=2 + seed % 2, seed=seed)


def test_clean_tables_raise_no_false_alarm_about_their_rows(judge_: Judge) -> None:
    template = {True: judge_(classification(60)), False: judge_(regression(60), BASELINE, RIDGE)}
    alarms = []
    for seed in range(CLEAN_SEEDS):
        table = clean(seed)
        case = template[bool(table.target.classes)]
        docket = replace(case.docket, table=table, plan=make_plan(table, seed=seed))
        for check in CHECKS:
            if check.code in ("V012", "V013", "V014", "V015"):
                alarms += [(seed, check.code, said) for said in check.look(replace(case, docket=docket))]
    assert alarms == []


def test_probabilities_that_are_right_raise_few_false_alarms(tmp_path: Path) -> None:
    logistic = GenericFamily("logistic", classifier=LogisticRegression())
    alarms = 0
    for seed in range(50):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(150, 2))
        y = (rng.random(150) < 1 / (1 + np.exp(-2 * x[:, 0]))).astype(int)
        found = judged(tmp_path / str(seed), plain(x, y, classes=2), [logistic], folds=3)
        alarms += message(found, "V016") is not None
    assert alarms <= 2


def test_every_finding_has_a_code_a_test_and_a_place_in_the_docs() -> None:
    codes = [check.code for check in CHECKS]
    assert codes == [f"V{k:03d}" for k in range(1, len(CHECKS) + 1)]
    tests = [name for name in globals() if name.startswith("test_v")]
    assert {name[5:9].upper() for name in tests} == set(codes)
    page = (Path(__file__).parents[3] / "docs/findings.md").read_text()
    assert [code for code in codes if f"## {code} " not in page] == []


def test_advice_speaks_of_arguments_as_python_writes_them() -> None:
    """The command line makes options of them; an option in the text would be told to both."""
    for module in (checks_duplicates, checks_evidence, checks_table):
        assert re.findall(r"--[a-z]\S*", Path(module.__file__).read_text(encoding="utf-8")) == []
