"""`venire validate` as a person meets it, and its figures against the functions, the plain loops and by hand."""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import time
from contextlib import suppress
from math import isclose, sqrt
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from venire import validation
from venire.data import read_table
from venire.families.bucket import default_bucket
from venire.validation.trials.family import Setting
from venire.validation.trials.generic import GenericFamily

ROOT = Path(__file__).parents[2]
QUICK = ("--jobs", 1, "-q", "--json")
# Each way of splitting: what is asked for, and the function that does it by the plain loop.
WAYS = {
    "two layers": (["--folds", 4], "two_layer", {"folds": 4}),
    "inner folds": (["--folds", 4, "--inner-folds", 3], "two_layer", {"folds": 4, "inner_folds": 3}),
    "inner folds, split twice": (
        ["--folds", 3, "--inner-folds", 2, "--repeats", 2],
        "two_layer",
        {"folds": 3, "inner_folds": 2, "repeats": 2},
    ),
    "one layer": (["--folds", 4, "--layers", 1, "--repeats", 2], "one_layer", {"folds": 4, "repeats": 2}),
    "stratified": (["--folds", 4, "--stratified"], "two_layer", {"folds": 4, "split": "stratified"}),
    "one standard error": (
        ["--folds", 4, "--rule", "one_standard_error"],
        "two_layer",
        {"folds": 4, "rule": "one_standard_error"},
    ),
    "groups": (["--folds", 4, "--groups", "patient"], "two_layer", {"folds": 4, "groups": "patient"}),
    "time": (["--folds", 5, "--time", "day"], "two_layer", {"folds": 5, "time": "day"}),
    "inner windows": (
        ["--folds", 5, "--inner-folds", 3, "--time", "day"],
        "two_layer",
        {"folds": 5, "inner_folds": 3, "time": "day"},
    ),
    "leave one out": (["--by", "leave-one-out"], "two_layer", {"split": "leave_one_out"}),
    "leave one group out": (
        ["--by", "leave_one_group_out", "--groups", "patient"],
        "two_layer",
        {"split": "leave_one_group_out", "groups": "patient"},
    ),
    "hold-out": (
        ["--by", "holdout", "--share", "1/4", "--inner-share", "0.4"],
        "holdout",
        {"test": 0.25, "validation": 0.4},
    ),
    "hold-out in time": (["--by", "holdout", "--time", "day"], "holdout", {"time": "day"}),
    "sub-sampling": (
        ["--by", "subsampling", "--repeats", 3, "--stratified"],
        "holdout",
        {"repeats": 3, "stratified": True},
    ),
    "bootstrap": (
        ["--by", "bootstrap", "--samples", 8, "--estimate", "632"],
        "bootstrap",
        {"samples": 8, "estimate": "632"},
    ),
}


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    """Thirty-six visits of nine patients on as many days; two classes, and a number."""
    rng = np.random.default_rng(3)
    lines = ["near,noise,patient,day,kind,size"]
    for row in range(36):
        kind = int(rng.integers(2))
        near, noise, size = rng.normal(1.5 * kind), rng.normal(), rng.gamma(3)
        lines.append(f"{near:.3f},{noise:.3f},p{row % 9},2024-03-{1 + row % 28:02d},{'ab'[kind]},{size:.3f}")
    path = tmp_path / "visits.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def family(name: str):
    return next(each for each in default_bucket() if each.name == name)


@pytest.mark.parametrize("case", WAYS)
def test_the_figures_are_those_of_the_plain_loop(venire, visits, case):
    words, name, asked = WAYS[case]
    document = venire("validate", visits, "-t", "kind", "-m", "knn", "--drop", "size", *words, *QUICK).document
    found = getattr(validation, name)(family("knn"), str(visits), "kind", drop=("size",), naive=True, **asked)
    chosen = document["chosen"]
    assert [row["setting"] for row in document["settings"]] == [setting.label for setting in found.settings]
    assert chosen["error"] == pytest.approx(found.error, abs=1e-12)
    if name == "bootstrap":
        assert [row["error_632_plus"] for row in document["settings"]] == pytest.approx(found.error_632_plus)
        assert chosen["setting"] == found.setting
        return
    one = found if name == "one_layer" else found.one_layer
    assert [row["training_error"] for row in document["settings"]] == pytest.approx(one.training_errors)
    assert [row["error"] for row in document["settings"]] == pytest.approx(one.errors)
    assert chosen["training_error"] == pytest.approx(found.training_error)
    ends = [found.interval.low, found.interval.high] if found.interval.defined else None
    assert chosen["interval"] == (ends and pytest.approx(ends))
    if name != "one_layer":
        assert chosen["one_layer_error"] == pytest.approx(one.error)
        assert chosen["optimism"] == pytest.approx(found.optimism)
        assert document["trials"] == found.trials


@pytest.mark.parametrize("case", WAYS)
def test_the_figures_follow_from_the_parts(venire, visits, case):
    words, _, _ = WAYS[case]
    document = venire("validate", visits, "-t", "kind", "-m", "knn", "--drop", "size", *words, *QUICK).document
    chosen, settings = document["chosen"], document["settings"]
    (marked,) = (row for row in settings if row["chosen"])
    assert marked["setting"] == chosen["setting"]
    if document["by"] == "bootstrap":
        assert document["trained_on"][0] + document["tested_on"][1] == 36
        return
    parts = document["parts"]
    assert chosen["error"] == pytest.approx(fmean(part["error"] for part in parts))
    assert chosen["training_error"] == pytest.approx(fmean(part["training_error"] for part in parts))
    for size in ("trained_on", "tested_on"):
        assert document[size] == [min(part[size] for part in parts), max(part[size] for part in parts)]
    if document["layers"] == 2:
        assert chosen["optimism"] == pytest.approx(chosen["error"] - chosen["one_layer_error"])
        often = [sum(part["setting"] == row["setting"] for part in parts) for row in settings]
        assert [row["chosen_in"] for row in settings] == often


@pytest.mark.parametrize(
    ("case", "folds", "parts", "trained", "tested", "trials"),
    [
        ("two layers", 4, 4, [27, 27], [9, 9], 4 + 6),
        ("inner folds", 4, 4, [27, 27], [9, 9], 4 * (1 + 3)),
        ("inner folds, split twice", 3, 6, [24, 24], [12, 12], 6 * (1 + 2)),
        ("one layer", 4, 8, [27, 27], [9, 9], 8),
        ("inner windows", 5, 4, [8, 29], [6, 8], 4 * (1 + 2)),  # a day is not torn apart: 8, 6, 8, 7, 7 rows
        ("leave one out", 36, 36, [35, 35], [1, 1], 36 + 36 * 35 // 2),
        ("leave one group out", 9, 9, [32, 32], [4, 4], 9 + 36),
        ("hold-out", None, 1, [27, 27], [9, 9], 2),
        ("sub-sampling", None, 3, [24, 24], [12, 12], 6),
    ],
)
def test_how_many_rows_are_trained_and_tested_on(venire, visits, case, folds, parts, trained, tested, trials):
    document = venire("validate", visits, "-t", "kind", "-m", "naive_bayes", *WAYS[case][0], *QUICK).document
    assert document["folds"] == folds
    assert len(document["parts"]) == parts
    assert (document["trained_on"], document["tested_on"]) == (trained, tested)
    assert document["trials"] == trials


def test_leaving_one_out_of_a_mean_by_hand(venire, visits):
    words = ("-t", "size", "-m", "baseline", "--by", "leave_one_out", "--layers", 1)
    document = venire("validate", visits, *words, *QUICK).document
    with visits.open() as file:
        y = [float(row["size"]) for row in csv.DictReader(file)]
    n, mean = len(y), fmean(y)
    # Without row i the mean of the others is off by n / (n − 1) times what the mean of all is off.
    assert document["chosen"]["error"] == pytest.approx(n / (n - 1) * sqrt(fmean((each - mean) ** 2 for each in y)))
    without = [[*y[:i], *y[i + 1 :]] for i in range(n)]
    spreads = [fmean((each - fmean(part)) ** 2 for each in part) for part in without]
    assert document["chosen"]["training_error"] == pytest.approx(sqrt(fmean(spreads)))


def test_the_parts_of_632_plus_by_hand(venire, visits):
    words = ("-t", "kind", "-m", "knn", "--drop", "size", "--by", "bootstrap", "--samples", 10)
    document = venire("validate", visits, *words, *QUICK).document
    assert (document["samples"], document["estimate"], document["trials"]) == (10, "632+", 11)
    for row in document["settings"]:
        err, oob, gamma = row["training_error"], row["out_of_bag_error"], row["no_information_error"]
        assert row["error_632"] == pytest.approx(0.368 * err + 0.632 * oob)
        capped = min(oob, gamma)
        R = (capped - err) / (gamma - err) if capped > err and gamma > err else 0.0
        assert row["overfitting"] == pytest.approx(R)
        assert row["weight"] == pytest.approx(0.632 / (1 - 0.368 * R))
        if oob <= gamma:
            w = row["weight"]
            assert row["error_632_plus"] == pytest.approx((1 - w) * err + w * oob)
        assert row["error"] == row["error_632_plus"]
    lowest = min(row["error"] for row in document["settings"])
    first = next(row for row in document["settings"] if isclose(row["error"], lowest, rel_tol=1e-9))
    assert first["setting"] == document["chosen"]["setting"]


def test_the_document_is_the_same_again_and_for_any_jobs(venire, visits):
    def text(*words):
        document = venire("validate", visits, "-t", "kind", "-m", "tree", "--folds", 3, "-q", "--json", *words).document
        assert document.pop("timing")["seconds"] > 0
        return json.dumps(document)

    assert text("--jobs", 1) == text("--jobs", 1) == text("--jobs", 2)
    assert text("--seed", 1, "--jobs", 1) != text("--jobs", 1)


def test_the_document_says_what_was_asked(venire, visits):
    words = ("-t", "kind", "-m", "tree", "--by", "holdout", "--share", 0.25, "--costs", "1:10", "--seed", 5)
    document = venire("validate", visits, *words, *QUICK).document
    expected = {
        "schema_version": 2, "rows": 36, "target": "kind", "task": "classification", "metric": "cost",
        "model": "tree", "by": "holdout", "layers": 2, "splitting": "random", "folds": None, "repeats": 1,
        "inner_folds": None, "share": 0.25, "samples": None, "estimate": None, "rule": "best", "seed": 5,
    }  # fmt: skip
    assert {name: document[name] for name in expected} == expected
    assert sorted(cost for row in document["costs"]["matrix"] for cost in row) == [0, 0, 1, 10]


@pytest.mark.parametrize("case", WAYS)
def test_it_reads_well_on_eighty_columns(venire, visits, case):
    said = venire("validate", visits.name, "-t", "kind", "-m", "knn", *WAYS[case][0], "--jobs", 1)
    assert said.code == 0
    lines = said.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert not [line for line in lines if line != line.rstrip()]
    assert lines[0].startswith("kind in visits.csv · 36 rows · ")
    assert sum(line.startswith("▸ ") for line in lines) == 1
    progress = said.err.splitlines()
    assert progress[:2] == ["venire: getting ready", "venire: reading the table"]
    assert progress[2].startswith("venire: validating knn by ")
    assert progress[3].endswith(" trials to run")
    assert progress[-1] == "venire: checked for leaks: certified"


def test_the_page_shows_what_is_printed(venire, tmp_path):
    """docs/validation.md has a command and its output; the command is run here."""
    page = (ROOT / "docs/validation.md").read_text()
    command, _, shown = page.split("```text\n$ ")[1].split("```")[0].partition("\n")
    shutil.copy(ROOT / "src/venire/data/tables/banknotes.csv", tmp_path / "bank.csv")
    assert venire(*command.split()[1:], "-q", "--jobs", 1).out == shown


def test_quiet_says_nothing_on_stderr(venire, visits):
    assert venire("validate", visits, "-t", "kind", "-m", "naive_bayes", "--folds", 3, "-q").err == ""


def test_a_table_can_be_piped_in(venire, visits, monkeypatch):
    with visits.open() as file:
        monkeypatch.setattr("sys.stdin", file)
        document = venire("validate", "-", "-t", "kind", "-m", "baseline", "--folds", 3, *QUICK).document
    assert (document["source"], document["rows"]) == ("standard input", read_table(str(visits)).rows)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([], 2, "which model is to be validated?"),
        (["-m", "tre"], 2, "did you mean 'tree'?"),
        (["-m", "vote"], 2, "'vote' combines several models, and only one model can be validated at a time"),
        (["-m", "tree", "--by", "boot"], 2, "there is no way of splitting called 'boot'; did you mean 'bootstrap'?"),
        (["-m", "tree", "--by", "holdout", "--folds", 3], 2, "--folds says nothing with --by holdout"),
        (["-m", "tree", "--by", "bootstrap", "--time", "day"], 2, "--time says nothing with --by bootstrap"),
        (["-m", "tree", "--by", "leave_one_out", "--groups", "patient"], 2, "--groups says nothing with"),
        (["-m", "tree", "--by", "leave_one_group_out"], 2, "needs to know the groups"),
        (["-m", "tree", "--layers", 1, "--inner-folds", 3], 2, "there are no inner folds"),
        (["-m", "tree", "--by", "holdout", "--share", 2], 2, "'2' is not a share between 0 and 1"),
        (["-m", "tree", "--by", "holdout", "--share", "a"], 2, "'a' is not a share between 0 and 1"),
        (["-m", "tree", "--folds", 0], 2, "0 folds are too few"),
        (["-m", "tree", "--folds", 1000], 3, "fewer than the 1000 folds"),
        (["-m", "tree", "--inner-folds", 1], 2, "1 inner folds cannot be made"),
        (["-m", "tree", "--by", "bootstrap", "--estimate", "633"], 2, "there is no estimate '633'"),
        (["-m", "tree", "--rule", "simple"], 2, "there is no rule 'simple'"),
        (["-m", "tree", "--by", "holdout", "--seed", -1], 2, "the seed must be 0 or more, not -1"),
        (["-m", "tree", "--jobs", 0], 2, "jobs must be at least 1, not 0"),
        (["-m", "tree", "--metric", "rmse"], 2, "it is one for regression"),
        (["-m", "perceptron", "--metric", "brier"], 2, "needs probabilities"),
        (["-m", "tree", "--by", "leave_one_group_out", "--groups", "patient", "--time", "day"], 2, "says nothing"),
        (["-m", "tree", "--groups", "patien"], 3, "did you mean 'patient'?"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "",
)
def test_what_makes_no_sense_is_refused(venire, visits, words, code, said):
    ended = venire("validate", visits, "-t", "kind", "-q", "--json", *words)
    assert ended.code == code
    assert said in ended.err
    error, hint = ended.err.splitlines()
    assert error.startswith("error: ")
    assert hint.startswith("hint: ")
    assert set(ended.document) == {"schema_version", "error"}


def test_too_many_fits_are_refused_in_the_words_of_the_command_line(venire, tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("x,y\n" + "".join(f"{row * 0.37 % 5:.2f},{'ab'[row % 2]}\n" for row in range(300)))
    ended = venire("validate", path, "-t", "y", "-m", "naive_bayes", "--by", "leave_one_out", "-q")
    assert ended.code == 2
    assert "leaving out one of 300 rows in two layers takes 45,150 fits" in ended.err
    assert "hint: use --inner-folds 5, or --by folds, or --layers 1" in ended.err


class Deaf(ClassifierMixin, BaseEstimator):
    """Takes a Ctrl-C for "enough", as networks of scikit-learn do."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        with suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@pytest.fixture
def handlers():
    """Puts back the handlers of this process, which stay after a signal."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("handlers")
@pytest.mark.usefixtures("trusted")
def test_ctrl_c_ends_it_whatever_the_learner_does_with_it(venire, visits, monkeypatch):
    deaf = GenericFamily("deaf", classifier=Deaf(), path=(Setting("as it is"),))
    monkeypatch.setattr("venire.families.requested.default_bucket", lambda: (deaf,))
    ended = venire("validate", visits, "-t", "kind", "-m", "deaf", "--folds", 3, *QUICK)
    assert (ended.code, ended.error["code"]) == (130, "interrupted")
    assert ended.err == (
        "error: interrupted before any fold was finished\n"
        "hint: trials that were finished are kept; the same command goes on from there\n"
    )


def test_the_same_command_goes_on_where_it_was(venire, visits, monkeypatch):
    """Stopped by Ctrl-C in the third of four folds: two are kept and judged, and the rest is run another time."""
    words = ("validate", visits, "-t", "kind", "-m", "naive_bayes", "--folds", 4, "--layers", 1, *QUICK)
    whole = venire(*words, "--seed", 3).document
    shutil.rmtree(os.environ["VENIRE_HOME"])
    real, ran = GenericFamily.run, []

    def run(self, prepared, trial, *cancel):
        if len(ran) == 2:
            raise KeyboardInterrupt
        ran.append(trial)
        return real(self, prepared, trial, *cancel)

    monkeypatch.setattr(GenericFamily, "run", run)
    stopped = venire(*words, "--seed", 3)
    assert stopped.code == 130
    document = stopped.document
    assert (document["stopped"], len(document["parts"])) == ("interrupted", 2)
    assert document["chosen"]["error"] == pytest.approx(fmean(part["error"] for part in document["parts"]))
    assert document["warnings"][-1] == (
        "stopped by an interruption after 2 of 4 trials: all figures are of 2 of 4 folds"
    )
    assert document["certificates"][0]["status"] == "not checked"
    monkeypatch.setattr(GenericFamily, "run", real)
    again = venire(*words, "--seed", 3)
    assert again.code == 0
    assert again.document | {"timing": None} == whole | {"timing": None}


def test_a_budget_that_is_too_short_says_how_to_go_on(venire, visits, monkeypatch):
    real = GenericFamily.run

    def slowly(self, prepared, trial, cancel):
        while trial.test == (1,):
            cancel()
            time.sleep(0.01)
        return real(self, prepared, trial, cancel)

    monkeypatch.setattr(GenericFamily, "run", slowly)
    words = ("validate", visits, "-t", "kind", "-m", "naive_bayes", "--folds", 3, "--budget", "2s", *QUICK)
    ended = venire(*words)
    assert ended.code == 1
    assert ended.error["message"] == "the budget of 2 s ended after 1 of 6 trials, before any fold was finished"
    assert ended.error["hint"] == (
        "give more time with --budget; trials that were finished are kept; the same command goes on from there"
    )
    monkeypatch.setattr(GenericFamily, "run", real)
    assert venire(*words).code == 0


def test_costs_have_bounds(venire, visits):
    """No interval of a mean cost lies below the cheapest outcome, whichever command gives it."""
    for words in (["--folds", 4], ["--by", "holdout"], ["--by", "subsampling", "--repeats", 3]):
        for costs in ("1:10", "1:100"):
            document = venire(
                "validate", visits, "-t", "kind", "-m", "naive_bayes", "--costs", costs, *words, *QUICK
            ).document
            ends = document["chosen"]["interval"]
            assert ends is None or ends[0] >= 0


def test_what_compare_has_found_is_not_run_again(venire, visits, monkeypatch):
    """Both use the same folds and the same evidence."""
    words = ("-t", "kind", "--folds", 4, "--drop", "size")
    venire("compare", visits, *words, "--models", "baseline,naive_bayes", *QUICK)
    monkeypatch.setattr(GenericFamily, "run", lambda *_: pytest.fail("run again"))
    assert venire("validate", visits, *words, "-m", "naive_bayes", *QUICK).code == 0
