from __future__ import annotations

import copy
import os
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.validation.two_runs import pairs_on, verdict_on
from venire.metrics.packing import completed
from venire.metrics.predictions import Output
from venire.validation.evidence import trial_files
from venire.validation.evidence.evidence import FamilyKey
from venire.validation.evidence.read_contents import ReadContents
from venire.validation.evidence.trial_files import Damaged, OnDisk
from venire.validation.plans.plan import Trial
from venire.validation.trials.family import Outcome, PathPredictions

KEY = FamilyKey("tree", "0123456789ab")
TRIAL = Trial(0, (0, 1), (2, 3))


def outcome(values: bool = False) -> Outcome:
    rng = np.random.default_rng(0)
    if values:
        shape = (2, 3, 1)
        return Outcome(Output.VALUES, rng.normal(size=shape), np.zeros((2, 3), np.int16), {"rmse": np.array([1.5, 2])})
    second = rng.random((2, 3))
    outputs = completed(np.stack([1 - second, second], axis=2).astype(np.float32), Output.PROBABILITIES)
    labels = outputs.argmax(axis=2).astype(np.int16)
    training = {"error": np.array([0.25, 0.5]), "auc": np.array([np.nan, 0.1])}
    return Outcome(Output.PROBABILITIES, outputs, labels, training, ("UserWarning: “odd”",), 0.25)


@pytest.fixture
def kept(tmp_path: Path) -> OnDisk:
    evidence = OnDisk(tmp_path)
    evidence.put(KEY, TRIAL, outcome())
    return evidence


@pytest.mark.parametrize("values", [False, True])
def test_what_is_kept_comes_back(tmp_path: Path, values: bool) -> None:
    evidence, given = OnDisk(tmp_path), outcome(values)
    assert not evidence.has(KEY, TRIAL)
    evidence.put(KEY, TRIAL, given)
    assert evidence.intact(KEY, TRIAL)
    record = evidence.get(KEY, TRIAL)
    found = record.outcome()
    for name in ("outputs", "labels"):
        one, other = getattr(given, name), getattr(found, name)
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    assert found.training.keys() == given.training.keys()
    for name in given.training:
        np.testing.assert_array_equal(found.training[name], given.training[name])
    assert (found.output, found.warnings, found.seconds) == (given.output, given.warnings, given.seconds)
    outputs, labels = record.at(1)
    np.testing.assert_array_equal(outputs, given.outputs[1])
    np.testing.assert_array_equal(labels, given.labels[1])


def any_outcome(output: Output, classes: int, settings: int, rows: int) -> Outcome:
    """Of one kind and shape, its odd numbers included."""
    rng = np.random.default_rng(rows)
    outputs = rng.random((settings, rows, classes)).astype(np.float64 if output is Output.VALUES else np.float32)
    if classes == 2:
        outputs[..., 0] = -outputs[..., 1] if output is Output.SCORES else 1 - outputs[..., 1]
    labels = rng.integers(0, classes, (settings, rows)).astype(np.int16)
    told = PathPredictions(completed(outputs, output), labels)
    if not rows % 2:
        return Outcome(output, told.outputs, told.labels, {})
    seen = PathPredictions(told.outputs[:, ::-1][:, 1:].copy(), told.labels[:, 1:].copy())
    return Outcome(output, told.outputs, told.labels, {"error": rng.random(settings)}, seen=seen)


@pytest.mark.parametrize(
    ("output", "classes"),
    [
        (Output.PROBABILITIES, 2),
        (Output.SCORES, 2),
        (Output.LABELS, 2),
        (Output.PROBABILITIES, 3),
        (Output.PROBABILITIES, 1),
        (Output.VALUES, 1),
    ],
)
@pytest.mark.parametrize(("settings", "rows"), [(1, 9), (7, 64), (3, 0), (5, 9_001)])
def test_every_kind_of_outcome_comes_back_whole_and_setting_by_setting(
    tmp_path: Path, output: Output, classes: int, settings: int, rows: int
) -> None:
    evidence, given = OnDisk(tmp_path), any_outcome(output, classes, settings, rows)
    evidence.put(KEY, TRIAL, given)
    assert evidence.intact(KEY, TRIAL)
    record = evidence.get(KEY, TRIAL)
    found = record.outcome()
    for one, other in ((given.outputs, found.outputs), (given.labels, found.labels)):
        assert (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())
    assert (found.seen is None) == (given.seen is None) == (record.seen(0) is None)
    if found.seen is not None and given.seen is not None:
        for one, other in ((given.seen.outputs, found.seen.outputs), (given.seen.labels, found.seen.labels)):
            assert (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())
        for setting in range(settings):
            told = record.seen(setting)
            assert told is not None
            assert told.outputs[0].tobytes() == given.seen.outputs[setting].tobytes()
            assert told.labels[0].tobytes() == given.seen.labels[setting].tobytes()
    assert {name: loss.tolist() for name, loss in found.training.items()} == {
        name: loss.tolist() for name, loss in given.training.items()
    }
    for setting in range(settings):
        outputs, labels = record.at(setting)
        assert outputs.tobytes() == given.outputs[setting].tobytes()
        assert labels.tobytes() == given.labels[setting].tobytes()


@pytest.mark.parametrize("output", [Output.PROBABILITIES, Output.SCORES])
def test_two_classes_take_about_four_bytes_a_prediction(tmp_path: Path, output: Output) -> None:
    evidence = OnDisk(tmp_path)
    evidence.put(KEY, TRIAL, any_outcome(output, 2, settings=20, rows=1_000))
    size, arrays = evidence.path(KEY, TRIAL).stat().st_size, 4 * 20_000 + 20 * 125
    assert arrays < size < arrays + 400
    assert size < 4.2 * 20_000


def test_probabilities_that_do_not_add_up_are_kept_as_they_are(tmp_path: Path) -> None:
    evidence = OnDisk(tmp_path)
    outputs = np.array([[[0.25, 0.25], [np.nan, np.nan], [-0.0, 1.0]]], np.float32)
    evidence.put(KEY, TRIAL, Outcome(Output.PROBABILITIES, outputs, np.zeros((1, 3), np.int16), {}))
    found = evidence.get(KEY, TRIAL).outcome()
    assert found.outputs.tobytes() == outputs.tobytes()
    assert found.labels.tolist() == [[0, 0, 0]]


def test_the_same_outcome_is_the_same_bytes(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        OnDisk(tmp_path / folder).put(KEY, TRIAL, outcome())
    assert len({path.read_bytes() for path in tmp_path.rglob("*.trial")}) == 1


def test_every_flipped_byte_is_noticed(kept: OnDisk) -> None:
    path = kept.path(KEY, TRIAL)
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x11]) + whole[at + 1 :])
        assert not kept.intact(KEY, TRIAL), f"byte {at}"
        assert path.with_suffix(".damaged").exists()
        assert not path.exists()
    path.write_bytes(whole)
    assert kept.intact(KEY, TRIAL)


def test_every_truncation_is_noticed(kept: OnDisk) -> None:
    path = kept.path(KEY, TRIAL)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert not kept.intact(KEY, TRIAL), f"{length} bytes"
    path.write_bytes(whole + b"\0")
    assert not kept.intact(KEY, TRIAL)


def test_a_file_of_another_trial_is_not_taken_for_this_one(kept: OnDisk) -> None:
    other = Trial(0, (0, 2), (1, 3))
    kept.path(KEY, TRIAL).rename(kept.path(KEY, other))
    assert not kept.intact(KEY, other)


def test_what_is_damaged_says_so(kept: OnDisk) -> None:
    path = kept.path(KEY, TRIAL)
    with pytest.raises(Damaged, match="there is no trial file"):
        kept.get(KEY, Trial(1, (0,), (1,)))
    path.write_bytes(b"GIF89a")
    with pytest.raises(Damaged, match=r"\.trial is no trial file"):
        kept.get(KEY, TRIAL)


def test_a_half_written_file_is_ignored(tmp_path: Path) -> None:
    evidence = OnDisk(tmp_path)
    path = evidence.path(KEY, TRIAL)
    path.parent.mkdir(parents=True)
    path.with_name(f".{path.name}.part").write_bytes(b"venire trial 5\n")
    assert not evidence.has(KEY, TRIAL)


def test_a_file_of_an_older_format_is_put_aside(kept: OnDisk) -> None:
    path = kept.path(KEY, TRIAL)
    path.write_bytes(path.read_bytes().replace(b"venire trial 5", b"venire trial 4"))
    with pytest.raises(Damaged, match="is no trial file"):
        kept.get(KEY, TRIAL)
    assert not kept.intact(KEY, TRIAL)
    assert not kept.has(KEY, TRIAL)
    assert path.with_suffix(".damaged").exists()


def test_reading_a_trial_runs_nothing(kept: OnDisk) -> None:
    """Object arrays would need unpickling: a header that asks for one is refused."""
    path = kept.path(KEY, TRIAL)
    path.write_bytes(path.read_bytes().replace(b'"<f8"', b'"|O8"'))
    with pytest.raises(Damaged, match="asks for Python objects"):
        kept.get(KEY, TRIAL)


@pytest.mark.parametrize("header", [b"[]", b"{}", b"1", b'{"arrays": 1}'])
def test_another_header_is_no_header(kept: OnDisk, header: bytes) -> None:
    path = kept.path(KEY, TRIAL)
    path.write_bytes(b"venire trial 5\n00000000\n" + header + b"\n")
    with pytest.raises(Damaged, match=r"the header of .* cannot be read"):
        kept.get(KEY, TRIAL)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'["bits",[2,3]]', b'["bits",[]]'),
        (b'["bits",[2,3]]', b'["bits",[2]]'),
        (b'["bits",[2,3]]', b'["bats",[2,3]]'),
        (b'["bits",[2,3]]', b'["(2",[2,3]]'),
        (b'["bits",[2,3]]', b'["bits",[-2,3]]'),
        (b'["bits",[2,3]]', b'["bits","23"]'),
    ],
)
def test_arrays_that_cannot_be_are_damage(kept: OnDisk, before: bytes, after: bytes) -> None:
    path = kept.path(KEY, TRIAL)
    whole = path.read_bytes()
    assert before in whole
    path.write_bytes(whole.replace(before, after))
    with pytest.raises(Damaged, match=r"cannot be read|bytes of arrays"):
        kept.get(KEY, TRIAL)
    assert not kept.intact(KEY, TRIAL)


def test_a_trial_that_is_there_is_not_replaced(kept: OnDisk) -> None:
    path = kept.path(KEY, TRIAL)
    before = path.stat()
    kept.put(KEY, TRIAL, replace(outcome(), seconds=1234.5))
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert sorted(p.name for p in path.parent.iterdir()) == [path.name]


def test_a_damaged_trial_in_the_way_is_put_aside(kept: OnDisk) -> None:
    path = kept.path(KEY, TRIAL)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    kept.put(KEY, TRIAL, outcome())
    assert kept.intact(KEY, TRIAL)
    assert path.with_suffix(".damaged").read_bytes() == whole[:-1]


def test_a_header_is_as_long_for_any_time(tmp_path: Path) -> None:
    sizes = set()
    for seconds in (0.0, 1e-9, 0.1 + 0.2, 12.5, 1e6 / 7):
        evidence = OnDisk(tmp_path / str(seconds))
        evidence.put(KEY, TRIAL, replace(outcome(), seconds=seconds))
        assert evidence.get(KEY, TRIAL).seconds == pytest.approx(seconds, abs=1e-9)
        sizes.add(evidence.path(KEY, TRIAL).stat().st_size)
    assert len(sizes) == 1


def test_a_record_never_reads_one_file_by_the_header_of_another(kept: OnDisk) -> None:
    """Somebody puts another file of the same trial in its place, with a longer header and other bytes."""
    record, path = kept.get(KEY, TRIAL), kept.path(KEY, TRIAL)
    other = OnDisk(path.parents[1] / "other")
    longer = replace(outcome(), warnings=("a warning that makes the header longer",))
    other.put(KEY, TRIAL, longer)
    os.replace(other.path(KEY, TRIAL), path)
    assert record.labels().tolist() == outcome().labels.tolist()
    assert record.outputs().tobytes() == outcome().outputs.tobytes()
    assert record.warnings == longer.warnings
    unread = OnDisk(kept.folder).get(KEY, TRIAL)
    damaged = bytearray(path.read_bytes())
    damaged[-1] ^= 1
    path.unlink()
    path.write_bytes(damaged)
    with pytest.raises(Damaged, match=r"the checksum of .* does not match"):
        unread.outputs()
    assert record.outputs().tobytes() == outcome().outputs.tobytes()  # as it was read


def test_a_small_file_is_read_once_and_a_large_one_in_parts(kept: OnDisk, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []
    plain = trial_files.opened
    monkeypatch.setattr(trial_files, "opened", lambda path: opened.append(path) or plain(path))
    for most, times in ((1 << 20, 2), (0, 5)):  # the header, then all at once, or array by array
        opened.clear()
        record = OnDisk(kept.folder, _contents=ReadContents(most)).get(KEY, TRIAL)
        found = record.outputs(), record.labels(), record.at(0)[1]
        assert [array.tolist() for array in found[:2]] == [outcome().outputs.tolist(), outcome().labels.tolist()]
        assert found[2].tolist() == outcome().labels[0].tolist()
        assert len(opened) == times


def test_what_was_read_stays_behind_when_evidence_is_sent(kept: OnDisk) -> None:
    kept.get(KEY, TRIAL).outputs()
    assert len(pickle.dumps(kept)) < 1000
    assert copy.deepcopy(kept).get(KEY, TRIAL).outputs().tobytes() == outcome().outputs.tobytes()


def test_what_was_put_in_place_of_a_damaged_file_comes_back(kept: OnDisk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the look at a damaged file and its renaming another run has put a good one there."""
    path = kept.path(KEY, TRIAL)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    renamed = Path.replace

    def slowly(self: Path, target: Path) -> Path:
        self.write_bytes(whole)
        return renamed(self, target)

    monkeypatch.setattr(Path, "replace", slowly)
    found = kept.finished(KEY, TRIAL)
    assert found is not None
    assert found.outputs().tobytes() == outcome().outputs.tobytes()
    assert sorted(p.name for p in path.parent.iterdir()) == [path.name]


def test_twenty_pairs_of_runs_on_one_home_each(tmp_path: Path) -> None:
    expected = verdict_on(tmp_path / "alone")
    found = pairs_on([tmp_path / f"home {pair}" for pair in range(20)])
    assert found == [expected] * 40


@pytest.mark.parametrize("harm", ["pipe", "folder", "full folder", "deep"])
def test_what_is_no_file_is_put_aside_like_a_damaged_one(kept: OnDisk, harm: str) -> None:
    path = kept.path(KEY, TRIAL)
    path.with_suffix(".damaged").write_bytes(b"an earlier one")
    path.unlink()
    if harm == "pipe":
        os.mkfifo(path)
    elif harm == "deep":
        path.write_bytes(b"venire trial 5\n00000000\n" + b"[" * 200_000 + b"\n")
    else:
        path.mkdir()
        if harm == "full folder":
            (path / "inside").touch()
    assert not kept.intact(KEY, TRIAL)
    assert not path.exists()
    kept.put(KEY, TRIAL, outcome())
    assert kept.intact(KEY, TRIAL)


def test_a_pipe_beside_the_trials_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "certificate.json")
    assert OnDisk(tmp_path).kept("certificate.json") is None
