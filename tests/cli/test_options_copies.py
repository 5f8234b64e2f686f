"""Copied rows and practical differences on the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from tests.cli.conftest import Venire


def doubled(file: Path, rows: int = 80) -> Path:
    rng = np.random.default_rng(0)
    age, dose = rng.normal(50, 12, rows), rng.exponential(2.0, rows)
    ill = age / 12 + dose + 2 * rng.normal(size=rows) > 6.2
    frame = pd.DataFrame({"age": age, "dose": dose, "ill": np.where(ill, "yes", "no")})
    pd.concat([frame, frame]).to_csv(file, index=False)
    return file


def test_copies_and_the_practical_difference_are_options(venire: Venire, tmp_path: Path) -> None:
    file = doubled(tmp_path / "twice.csv")
    common = (file, "--target", "ill", "--folds", 4, "--jobs", 1, "--json", "-q")
    asked = ("--models", "baseline,tree", "--duplicates", "apart", "--practical-difference", 0.03)
    document = venire("compare", *common, *asked).document
    assert document["practical_difference"] == 0.03
    advice = next(finding["advice"] for finding in document["findings"] if finding["code"] == "V013")
    assert "leave out --duplicates apart" in advice
    for command in ("validate", "select"):
        together, apart = (
            venire(command, *common, "--model", "tree", "--duplicates", how).document["chosen"]["error"]
            for how in ("together", "apart")
        )
        assert apart < 0.6 * together, command


def test_what_they_do_not_know_is_refused(venire: Venire, tmp_path: Path) -> None:
    file = doubled(tmp_path / "twice.csv")
    refused = venire("compare", file, "--target", "ill", "--practical-difference", "much")
    assert refused.code == 2
    assert "is no difference from 0 on" in refused.err
    refused = venire("validate", file, "--target", "ill", "--model", "tree", "--duplicates", "never")
    assert refused.code == 2
    assert "duplicates must be 'together' or 'apart', not 'never'" in refused.err
