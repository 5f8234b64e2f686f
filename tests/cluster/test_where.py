"""Which cluster is meant."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from venire.cluster import where
from venire.cluster.where import Where
from venire.errors import UsageError

pytest.importorskip("distributed")


def test_an_address_and_a_scheduler_file_are_taken(tmp_path: Path) -> None:
    file = tmp_path / "scheduler.json"
    file.write_text("{}")
    for given, options in [
        ("tcp://10.0.0.1:8786", {"address": "tcp://10.0.0.1:8786"}),
        ("10.0.0.1:8786", {"address": "tcp://10.0.0.1:8786"}),
        (str(file), {"scheduler_file": str(file)}),
        (file, {"scheduler_file": str(file)}),
    ]:
        found = Where.of(given)
        assert found is not None
        assert found.options() == options
    assert Where.of(None) is None


@pytest.mark.parametrize("given", ["here", "/no/such/file.json", 5, "ftp://10.0.0.1:21"])
def test_anything_else_is_an_error_with_examples(given: object) -> None:
    with pytest.raises(UsageError, match="there is no cluster") as caught:
        Where.of(given)
    assert "tcp://10.0.0.1:8786" in str(caught.value.hint)


def test_a_shared_folder_has_to_be_there_and_to_be_of_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        Where.of("tcp://10.0.0.1:8786", tmp_path / "none")
    with pytest.raises(UsageError, match="for trials on a cluster"):
        Where.of(None, tmp_path)


def test_without_dask_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(where, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="not installed") as caught:
        Where.of("tcp://10.0.0.1:8786")
    assert "venire[cluster]" in str(caught.value.hint)


def test_an_asynchronous_cluster_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    import distributed

    class Waiting(distributed.Client):
        def __init__(self) -> None: ...

        def __del__(self) -> None: ...

        asynchronous = True

    with pytest.raises(UsageError, match="the Waiting is asynchronous"):
        Where.of(Waiting())
    assert str(Where(SimpleNamespace(scheduler_address="tcp://a:1"))) == "tcp://a:1"
