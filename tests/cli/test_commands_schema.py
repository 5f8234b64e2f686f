"""Every document a command prints keeps its published schema, and holds no field that the schema does not know."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from sklearn.naive_bayes import GaussianNB

import venire as vn
from scripts.schema_files import FOLDER, files
from tests.cli.conftest import Outcome, Venire
from tests.flows import own, quickly
from tests.validation.estimators import Failing, Interrupted, Slow
from tests.validation.tables import regression
from venire.cli.exit_codes import in_options
from venire.report.document.schema import DOCUMENTS, PRINTED_BY, schema
from venire.validation.honesty import certificates as certifying
from venire.validation.honesty.leaking import KnowsAnswers
from venire.validation.trials.reasons import NoWeights, Status, TooSlow

FEW = ("--models", "baseline,naive_bayes,linear,vote,stack", "--folds", "4", "-q", "--json")


def holds(kind: str, document: Any) -> None:
    """A document keeps its schema, to the last field."""
    whole = schema(kind, closed=True)
    faults = [f"{fault.json_path}: {fault.message}" for fault in Draft202012Validator(whole).iter_errors(document)]
    assert not faults
    Draft202012Validator(schema(kind)).validate({**document, "of a later version": 1})


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Ninety rows with two classes, three classes, a number, groups, a time, weights, a category and gaps."""
    chance = random.Random(0)
    lines = ["near,noise,colour,two,three,number,who,when,weight"]
    for row in range(90):
        near = chance.gauss(row % 3, 0.5)
        colour = chance.choice(["red", "green", ""])
        facts = (f"{near:.3f}", f"{chance.gauss(0, 1):.3f}", colour, "yn"[row % 3 == 0], "abc"[row % 3])
        lines.append(",".join((*facts, f"{near + chance.gauss(0, 1):.3f}", f"g{row // 9}", str(row), str(1 + row % 2))))
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


USED = ("--drop", "two,three,number,who,when,weight")


def test_what_is_published_is_what_is_made() -> None:
    assert {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()} == files(), "make schema-files"
    for kind in DOCUMENTS:
        Draft202012Validator.check_schema(schema(kind))
        assert schema(kind)["$id"] == f"urn:venire:schema:{kind}:2"


def test_the_command_prints_them(venire: Venire) -> None:
    assert [line.split()[0] for line in venire("schema").out.splitlines()] == list(DOCUMENTS) == list(PRINTED_BY)
    for kind in DOCUMENTS:
        assert venire("schema", kind).document == schema(kind)
    refused = venire("schema", "verdit", "--json")
    assert refused.code == 2
    assert "did you mean 'verdict'?" in venire("schema", "verdit").err


def without(*names: str) -> tuple[str, ...]:
    """The columns that are no attributes, but for these."""
    return ("--drop", ",".join(name for name in USED[1].split(",") if name not in names))


@pytest.mark.parametrize(
    "words",
    [
        ("-t", "two", *without("two")),
        ("-t", "two", *without("two"), "--metric", "auc", "--repeats", "2"),
        ("-t", "two", *without("two"), "--costs", "1:5"),
        ("-t", "two", *without("two"), "--metric", "log_loss", "--mute", "V001"),
        ("-t", "three", *without("three"), "--stratified"),
        ("-t", "three", *without("three", "who"), "--groups", "who"),
        ("-t", "number", *without("number")),
        ("-t", "number", *without("number", "when"), "--time", "when"),
        ("-t", "number", *without("number", "weight"), "--weights", "weight"),
    ],
    ids=lambda words: " ".join(word for word in words if "," not in word),
)
def test_comparisons(venire: Venire, rows: Path, words: tuple[str, ...]) -> None:
    ended = venire("compare", rows, *words, *FEW)
    assert ended.code == 0
    holds("verdict", ended.document)
    combined = [row for row in ended.document["leaderboard"] if row["kind"] == "combination"]
    assert all(sum(row["weights"].values()) == pytest.approx(1.0) for row in combined)
    holds("runs", venire("runs", "--json").document)


@pytest.mark.usefixtures("trusted")
def test_runs_that_did_not_go_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = {
        "failed": quickly(models=["baseline", own(Failing())], home=tmp_path),
        "stopped": quickly(models=["baseline", vn.GenericFamily("own", classifier=Interrupted())], home=tmp_path),
        "refused": quickly(
            models=["baseline", vn.GenericFamily("own", classifier=Slow(), seconds=lambda *_: 1e4)],
            budget=60,
            home=tmp_path,
        ),
        "unfit": quickly(regression(40), models=["linear", "logistic"], home=tmp_path),
    }
    late = vn.GenericFamily("late", classifier=Slow(seconds=1.0), seconds=lambda *_: 1e-3)
    found["late"] = quickly(models=["baseline", late], budget=3, home=tmp_path)
    true = certifying.kept_certificate
    leaks = certifying.Certificate("bayes", Status.LEAKS, KnowsAnswers("bayes", 15))
    monkeypatch.setattr(
        certifying, "kept_certificate", lambda *given: leaks if given[1].name == "bayes" else true(*given)
    )
    found["leaks"] = quickly(models=["baseline", vn.GenericFamily("bayes", classifier=GaussianNB())], home=tmp_path)
    documents = {name: verdict.to_dict() for name, verdict in found.items()}
    for document in documents.values():
        holds("verdict", document)
        holds("verdict", in_options(document))
    assert documents["failed"]["failed"][0]["kind"] == "raised"
    assert documents["stopped"]["stopped"] == "interrupted"
    assert documents["stopped"]["not_tried"][0]["kind"] == "interrupted"
    assert documents["refused"]["not_tried"][0]["kind"] == "too_slow"
    assert documents["unfit"]["not_tried"][0]["kind"] == "wrong_task"
    assert documents["late"]["not_tried"][0]["kind"] == "out_of_time"
    assert documents["leaks"]["certificates"][1]["kind"] == "knows_answers"


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--layers", "1"),
        ("--inner-folds", "3"),
        ("--repeats", "2", "--stratified"),
        ("--by", "leave_one_group_out", "--groups", "who"),
        ("--by", "holdout"),
        ("--by", "subsampling", "--repeats", "3"),
        ("--by", "bootstrap", "--samples", "5"),
        ("--by", "leave_one_out", "--layers", "1"),
        ("--time", "when"),
        ("--costs", "1:3"),
    ],
    ids=" ".join,
)
def test_validations(venire: Venire, rows: Path, words: tuple[str, ...]) -> None:
    kept = {"--groups": "who", "--time": "when"}
    dropped = without("two", *(name for option, name in kept.items() if option in words))
    ended = venire("validate", rows, "-t", "two", "--model", "naive_bayes", *dropped, *words, "-q", "--json")
    assert ended.code == 0
    holds("validation", ended.document)


@pytest.mark.parametrize("words", [("-d", "forward"), ("-d", "backward", "--metric", "balanced_error")], ids=" ".join)
def test_selections(venire: Venire, rows: Path, words: tuple[str, ...]) -> None:
    holds("selection", venire("select", rows, "-t", "two", *without("two"), *words, "--folds", "4", "--json").document)


def test_tables(venire: Venire, rows: Path) -> None:
    for words in ((), ("-t", "two"), ("-t", "number", "--time", "when", "--weights", "weight"), ("--missing", "red")):
        holds("table", venire("show", rows, *words, "--json").document)
    holds("table", vn.describe(vn.read_table([[1.0, 2.0], [2.0, None]])))


def test_lists(venire: Venire, rows: Path) -> None:
    holds("models", venire("models", "--json").document)
    holds("runs", venire("runs", "--json").document)


def test_deletions(venire: Venire, rows: Path) -> None:
    venire("compare", rows, "-t", "two", *without("two"), *FEW)
    (run,) = venire("runs", "--json").document["runs"]
    holds("deleted", venire("runs", "--delete", run["key"], "--json").document)
    holds("deleted", venire("runs", "--prune", "--larger-than", "0", "--json").document)


def test_a_run_without_a_verdict(venire: Venire, rows: Path) -> None:
    venire("compare", rows, "-t", "two", *without("two"), *FEW)
    (verdict,) = Path(venire("runs", "--json").document["home"]).rglob("verdict.json")
    verdict.unlink()
    listed = venire("runs", "--json").document
    holds("runs", listed)
    assert [run["state"] for run in listed["runs"]] == ["no verdict"]


def test_the_demo(venire: Venire, monkeypatch: pytest.MonkeyPatch) -> None:
    from venire import flow

    whole = flow.compare
    few = {"models": ["baseline", "naive_bayes"], "folds": 3}
    monkeypatch.setattr(flow, "compare", lambda source, **options: whole(source, **(options | few)))
    holds("verdict", venire("demo", "-q", "--json").document)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("compare", "nowhere.csv", "-t", "y"), "missing_file"),
        (("compare", "rows.csv"), "no_target"),
        (("compare", "rows.csv", "-t", "two", "--folds", "1"), "too_few_folds"),
        (("compare", "rows.csv", "-t", "two", "--models", "jury"), "unknown_model"),
        (("compare", "rows.csv", "-t", "two", "--metric", "cost"), "costs"),
        (("validate", "rows.csv", "-t", "two", "--model", "tree", "--by", "folds", "--samples", "3"), "bad_split"),
        (("select", "rows.csv", "-t", "two", "-d", "sideways"), "bad_direction"),
        (("show", "rows.csv", "--nonsense"), "usage"),
        (("report", "nothing"), "usage"),
    ],
)
def test_errors(venire: Venire, rows: Path, words: tuple[str, ...], code: str) -> None:
    ended: Outcome = venire(*words, "--json")
    assert ended.code != 0
    holds("error", ended.document)
    assert ended.error["code"] == code


def test_a_fault_is_seen(tmp_path: Path) -> None:
    """The schemas do refuse what is wrong: else nothing above would mean anything."""
    document: Any = quickly(models=["baseline"], home=tmp_path).to_dict()
    strict, published = (Draft202012Validator(schema("verdict", closed=closed)) for closed in (True, False))
    assert published.is_valid(document | {"new": 1})
    assert not strict.is_valid(document | {"new": 1})
    for wrong in ({"rows": "60"}, {"schema_version": 1}, {"stopped": "tired"}, {"leaderboard": [{}]}):
        assert not published.is_valid(document | wrong)
    slow = TooSlow(seconds=1.0, room=1.0, budget=1.0, planned_share=0.7)
    right = {"family": "svm", "kind": slow.kind, "figures": slow.figures, "reason": ""}
    assert published.is_valid(document | {"not_tried": [right]})
    assert not published.is_valid(document | {"not_tried": [right | {"figures": NoWeights().figures}]})
    assert not published.is_valid(json.loads(json.dumps(document | {"not_tried": [right | {"kind": "too dear"}]})))
