"""Models are saved and loaded with the same predictions, files of this version stay readable, damage is refused."""

from __future__ import annotations

import errno
import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.pipeline import make_pipeline

from benchmarks.reliability.fuzzing import counted, fuzz
from benchmarks.reliability.model_files import ModelFiles
from tests.persist.fitted import MODELS, frame, numbers, said, two
from tests.persist.make_files import EXPECTED, FILES, plain
from venire import (
    BaggingClassifier,
    DecisionTreeClassifier,
    KNeighborsClassifier,
    ModelFormatError,
    UsageError,
    VenireWarning,
    describe_model,
    load,
    save,
)
from venire.errors import VenireError
from venire.models.baseline import BaselineClassifier
from venire.persist import model_files
from venire.persist.model_files import from_bytes, to_bytes
from venire.persist.registry import kinds

X, Y = numbers(), two()
KEPT = sorted(FILES.glob("*.venire"))
SHORT_RUN = 1500
SINGLE_PRECISION = {"net_classifier", "net_regressor"}  # seven digits


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODELS)
def test_a_loaded_model_predicts_the_same_bits(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VENIRE_HOME", str(tmp_path))
    model = MODELS[name]()
    loaded = load(save(model, tmp_path / "m.venire"))
    before, after = said(model), said(loaded)
    assert before.keys() == after.keys()
    assert plain(before) == plain(after)
    assert [one.dtype for one in before.values()] == [one.dtype for one in after.values()]
    assert to_bytes(loaded) == to_bytes(model)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("file", KEPT, ids=lambda file: file.stem)
def test_files_of_this_version_are_read_for_ever(file: Path) -> None:
    expected = json.loads(EXPECTED.read_text())[file.stem]
    found = plain(said(load(file)))
    assert found.keys() >= expected.keys()  # a later version may answer more
    # Libraries of other machines, and other widths of vectors, change the last digits.
    digits = {"rel": 1e-5} if file.stem in SINGLE_PRECISION else {"rel": 1e-11, "abs": 1e-14}
    for method, answers in expected.items():
        for one, other in zip(map(number, found[method]), map(number, answers), strict=True):
            assert one == (pytest.approx(other, **digits) if isinstance(other, float) else other)


def number(value: Any) -> Any:
    return float.fromhex(value) if isinstance(value, str) and "0x" in value else value


def test_every_kind_of_estimator_has_a_file() -> None:
    inside = {name for file in KEPT for name in kind_names(json.loads(header_of(file))["model"])}
    assert set(kinds()) == inside


def header_of(file: Path) -> bytes:
    data = file.read_bytes()
    return data[24 : 24 + int.from_bytes(data[12:16], "little")]


def kind_names(node: Any) -> set[str]:
    inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    found = {name for each in inner for name in kind_names(each)}
    return found | {node["kind"]} if isinstance(node, dict) and set(node) == {"kind", "state"} else found


def test_mutated_files_are_refused_or_predict() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcomes, faults = counted(fuzz(ModelFiles(KEPT), range(SHORT_RUN), 0))
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10
    assert faults == []
    assert outcomes["refused"] > SHORT_RUN / 2
    assert outcomes["loaded"] > SHORT_RUN / 50  # a changed number may be another model, and is no damage to see
    assert grown < 256


def test_loading_runs_no_code_and_imports_nothing_by_name() -> None:
    """A file is read where nothing can be unpickled or executed any more, and no module comes with it."""
    program = f"""
import builtins, pathlib, pickle, sys
from venire.persist.model_files import from_bytes
files = sorted(pathlib.Path({str(FILES)!r}).glob("tree_*.venire"))
for file in files:  # whatever predicting imports late is there
    from_bytes(file.read_bytes())
pickle.loads = pickle.load = pickle.Unpickler = builtins.exec = builtins.eval = None
there = set(sys.modules)
for file in files:
    from_bytes(file.read_bytes())
print(len(files), sorted(set(sys.modules) - there))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == [str(len(list(FILES.glob("tree_*.venire")))), "[]"]


def test_columns_may_come_in_any_order() -> None:
    model = load(FILES / "verdict_tree.venire")
    rows = frame(12)
    np.testing.assert_array_equal(model.predict(rows), model.predict(rows[["colour", "weight", "size"]]))
    assert model.feature_names_in_.tolist() == ["size", "weight", "colour"]


def test_a_verdict_hands_on_its_figures() -> None:
    model = load(FILES / "verdict_tree.venire")
    about = model.about_
    assert (about["family"], about["metric"], about["positive"], about["rows"]) == ("tree", "cost", "yes", 40)
    assert about["error"] == pytest.approx(np.mean(about["interval"]), abs=1.0)
    assert [column["name"] for column in about["columns"]] == ["size", "weight", "colour"]
    assert about["columns"][2]["categories"] == ["blue", "green", "red"]
    assert about["columns"][0]["missing"] == 1
    assert len(about["columns"][0]["range"]) == 2
    assert model.classes_.tolist() == about["classes"] == ["no", "yes"]


def test_rows_that_are_kept_are_told(tmp_path: Path) -> None:
    near = KNeighborsClassifier(n_neighbors=3).fit(X, Y)
    with pytest.warns(
        VenireWarning, match=r"near.venire keeps 24 training rows with the target \(nearest neighbours\)"
    ):
        save(near, tmp_path / "near.venire")
    assert describe_model(tmp_path / "near.venire")["keeps"][0]["rows"]


def test_what_is_in_a_file(tmp_path: Path) -> None:
    facts = describe_model(save(DecisionTreeClassifier().fit(frame(), Y), tmp_path / "tree.venire"))
    assert facts["model"] == "DecisionTreeClassifier"
    assert facts["columns"] == ["size", "weight", "colour"]
    assert facts["classes"] == ["no", "yes"]
    assert facts["keeps"] == [{"what": "the categories of columns, as words", "rows": False}]
    assert facts["figures"] is None
    assert facts["bytes"] == (tmp_path / "tree.venire").stat().st_size


@pytest.mark.parametrize(
    ("model", "wrong"),
    [
        (SGDClassifier().fit(X, Y), "^SGDClassifier cannot be written to a model file$"),
        (
            make_pipeline(SGDClassifier()).fit(X, Y),
            r"SGDClassifier cannot be written to a model file \(it is steps.0.1 of the model\)",
        ),
        (BaggingClassifier(SGDClassifier(), n_estimators=1).fit(X, Y), r"\(it is estimator of the model\)"),
        (DecisionTreeClassifier(), "DecisionTreeClassifier is not fitted yet"),
        ("tree", "a model file holds a fitted model, and this is str"),
        (
            DecisionTreeClassifier(random_state=np.random.RandomState(0)).fit(X, Y),
            r"RandomState cannot be written to a model file \(it is random_state of the model\)",
        ),
        (LogisticRegression().fit(X, Y).set_params(C=-1.0), "LogisticRegression cannot be written.*The 'C' parameter"),
    ],
)
def test_what_cannot_be_saved_says_so(model: Any, wrong: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=wrong):
        save(model, tmp_path / "m.venire")
    assert list(tmp_path.iterdir()) == []


def test_an_attribute_of_ones_own_is_not_lost_in_silence(tmp_path: Path) -> None:
    tree = DecisionTreeClassifier().fit(X, Y)
    tree.note = "mine"
    with pytest.raises(UsageError, match="has an attribute 'note' that a model file has no place for") as caught:
        save(tree, tmp_path / "m.venire")
    assert "del model.note" in str(caught.value.hint)


def test_a_model_that_guesses_can_be_saved() -> None:
    from_bytes(to_bytes(BaselineClassifier(strategy="shares").fit(X, Y)))


def test_a_file_that_is_there_is_replaced_or_left_alone(tmp_path: Path) -> None:
    goal = tmp_path / "m.venire"
    save(DecisionTreeClassifier().fit(X, Y), goal)
    first = goal.read_bytes()
    with pytest.raises(UsageError, match="cannot be written"):
        save(SGDClassifier().fit(X, Y), goal)
    assert goal.read_bytes() == first
    save(DecisionTreeClassifier(max_depth=1).fit(X, Y), goal)
    assert goal.read_bytes() != first
    assert [file.name for file in tmp_path.iterdir()] == ["m.venire"]


def test_a_full_disk_is_no_misuse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(model_files, "write_atomically", full)
    with pytest.raises(VenireError, match="the model cannot be written: No space left on device") as caught:
        save(DecisionTreeClassifier().fit(X, Y), tmp_path / "m.venire")
    assert (caught.value.exit_code, caught.value.code) == (1, "cannot_write")
    assert str(caught.value.hint).startswith("make room")


def test_a_place_that_cannot_be_written_is_an_error_of_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the model cannot be written: No such file"):
        save(DecisionTreeClassifier().fit(X, Y), tmp_path / "no" / "m.venire")


@pytest.mark.parametrize(("name", "wrong"), [("none.venire", "No such file"), ("", "Is a directory")])
def test_a_file_that_is_not_there_is_an_error_of_one_line(name: str, wrong: str, tmp_path: Path) -> None:
    with pytest.raises(ModelFormatError, match=wrong):
        load(tmp_path / name)


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    keep = os.open(pipe, os.O_RDWR)  # opening it to read alone would wait for a writer
    try:
        with pytest.raises(ModelFormatError, match="this is no file"):
            load(pipe)
    finally:
        os.close(keep)


def test_an_error_names_the_file_and_has_exit_code_three(tmp_path: Path) -> None:
    file = tmp_path / "m.venire"
    file.write_bytes(b"x" * 100)
    with pytest.raises(ModelFormatError, match=r"m\.venire: it is no model file: its first bytes are others") as caught:
        load(file)
    assert caught.value.exit_code == 3
    assert caught.value.to_dict()["error"]["code"] == "bad_model"


@pytest.mark.filterwarnings("ignore")
def test_a_model_of_a_verdict_writes_itself(tmp_path: Path) -> None:
    """What `fit` gives and what `load` reads are of one class, and both give the same file."""
    model = MODELS["verdict_tree"]()
    again = load(model.save(tmp_path / "first.venire"))
    assert type(again) is type(model)
    again.save(tmp_path / "second.venire")
    assert (tmp_path / "first.venire").read_bytes() == (tmp_path / "second.venire").read_bytes()
