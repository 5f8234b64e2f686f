"""Trees on whole-number sums are those of double precision, where there are few rows."""

from __future__ import annotations

from pathlib import Path

from benchmarks.speed.large_rows import write_store
from benchmarks.speed.scale_child import sums


def test_few_rows_grow_the_trees_of_double_precision(tmp_path: Path) -> None:
    write_store(60_000, tmp_path)
    found = sums(60_000, tmp_path)
    for tree in (1, 6):
        assert found[f"tree_{tree}_leaves"] == 31
        assert abs(found[f"tree_{tree}_less"]) < 1e-6
        assert found[f"tree_{tree}_values"] < 1e-3
