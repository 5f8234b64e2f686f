from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from venire.metrics.predictions import Output
from venire.validation.evidence import Damaged, Evidence, FamilyKey, write_atomically
from venire.validation.family import Outcome
from venire.validation.plan import Trial

KEY = FamilyKey("tree", "0123456789ab")
TRIAL = Trial(0, (0, 1), (2, 3))


def outcome(values: bool = False) -> Outcome:
    rng = np.random.default_rng(0)
    if values:
        shape = (2, 3, 1)
        return Outcome(Output.VALUES, rng.normal(size=shape), np.zeros((2, 3), np.int16), {"rmse": np.array([1.5, 2])})
    outputs = rng.random((2, 3, 2)).astype(np.float32)
    labels = outputs.argmax(axis=2).astype(np.int16)
    training = {"error": np.array([0.25, 0.5]), "auc": np.array([np.nan, 0.1])}
    return Outcome(Output.PROBABILITIES, outputs, labels, training, ("UserWarning: “odd”",), 0.25)


@pytest.fixture
def kept(tmp_path: Path) -> Evidence:
    evidence = Evidence(tmp_path)
    evidence.put(KEY, TRIAL, outcome())
    return evidence


@pytest.mark.parametrize("values", [False, True])
def test_what_is_kept_comes_back(tmp_path: Path, values: bool) -> None:
    evidence, given = Evidence(tmp_path), outcome(values)
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


def test_the_same_outcome_is_the_same_bytes(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        Evidence(tmp_path / folder).put(KEY, TRIAL, outcome())
    assert len({path.read_bytes() for path in tmp_path.rglob("*.trial")}) == 1


def test_every_flipped_byte_is_noticed(kept: Evidence) -> None:
    path = kept.path(KEY, TRIAL)
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x11]) + whole[at + 1 :])
        assert not kept.intact(KEY, TRIAL), f"byte {at}"
        assert path.with_suffix(".damaged").exists()
        assert not path.exists()
    path.write_bytes(whole)
    assert kept.intact(KEY, TRIAL)


def test_every_truncation_is_noticed(kept: Evidence) -> None:
    path = kept.path(KEY, TRIAL)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert not kept.intact(KEY, TRIAL), f"{length} bytes"
    path.write_bytes(whole + b"\0")
    assert not kept.intact(KEY, TRIAL)


def test_a_file_of_another_trial_is_not_taken_for_this_one(kept: Evidence) -> None:
    other = Trial(0, (0, 2), (1, 3))
    kept.path(KEY, TRIAL).rename(kept.path(KEY, other))
    assert not kept.intact(KEY, other)


def test_what_is_damaged_says_so(kept: Evidence) -> None:
    path = kept.path(KEY, TRIAL)
    with pytest.raises(Damaged, match="there is no trial file"):
        kept.get(KEY, Trial(1, (0,), (1,)))
    path.write_bytes(b"GIF89a")
    with pytest.raises(Damaged, match=r"\.trial is no trial file"):
        kept.get(KEY, TRIAL)


def test_a_half_written_file_is_ignored(tmp_path: Path) -> None:
    evidence = Evidence(tmp_path)
    path = evidence.path(KEY, TRIAL)
    path.parent.mkdir(parents=True)
    path.with_name(f".{path.name}.part").write_bytes(b"venire trial 3\n")
    assert not evidence.has(KEY, TRIAL)


def test_a_failed_write_leaves_the_old_file_and_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(path, b"new")
    assert [p.read_bytes() for p in tmp_path.iterdir()] == [b"old"]


def test_reading_a_trial_runs_nothing(kept: Evidence) -> None:
    """Object arrays would need unpickling: a header that asks for one is refused."""
    path = kept.path(KEY, TRIAL)
    path.write_bytes(path.read_bytes().replace(b'"<f4"', b'"|O8"'))
    with pytest.raises(Damaged, match="asks for Python objects"):
        kept.get(KEY, TRIAL)
