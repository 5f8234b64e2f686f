"""The quick ones of scikit-learn's tests that pass with our classes go on passing; `make compat` runs all of them."""

from pathlib import Path

import pytest
import sklearn

from scripts.compat import run
from scripts.compat_list import Listed, lost, page, read_differences, read_list, write_list

SECONDS = 20.0  # of the processor, a test


def test_the_quick_ones_pass() -> None:
    listed = read_list()
    where = Path(sklearn.__file__).parent
    names = [name for name in listed.quick() if (where / name.partition("::")[0]).exists()]
    found = {one.name: one for one in run([str(where / name) for name in names], SECONDS)}
    broken = {name: one.message for name, one in found.items() if one.state == "failed"}
    absent = [name for name in names if name not in found]
    if sklearn.__version__ != listed.version:
        pytest.skip(f"the list is of scikit-learn {listed.version}: {len(broken)} fail and {len(absent)} are not there")
    assert not broken
    assert not absent
    assert len(names) > 500


def test_a_list_is_what_was_stored(tmp_path: Path) -> None:
    listed = Listed("1.2", {"b.py::test[x y]": 5.0, "a.py::test": 0.01})
    write_list(listed, tmp_path / "list.txt")
    assert read_list(tmp_path / "list.txt") == listed
    assert listed.quick() == ["a.py::test"]


def test_a_list_only_grows() -> None:
    listed = Listed("1.2", {"a": 0.5}).grown({"a": 9.0, "b": 1.0})
    assert listed.seconds == {"a": 0.5, "b": 1.0}
    assert lost(listed, ["b"], "1.2") == ["a"]
    assert lost(listed, ["b"], "1.3") == []


def test_the_page_gives_each_failure_its_reason() -> None:
    name, reason = next(iter(read_differences().items()))
    text = page("| table |", [(f"tree/tests/{name}[a]", "sparse input"), ("x/test_x.py::test_y", "other")], "1.2")
    assert f"**{reason}** (1)\n\n- `tree/tests/{name}[a]`" in text
    assert "**Not looked into: other.** (1)\n\n- `x/test_x.py::test_y`" in text
