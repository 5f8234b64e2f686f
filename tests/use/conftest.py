"""Small models of a verdict, for classes and for numbers, and rows like those they were trained on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import venire as vn
from tests.small_tables import coloured_rows


def rows_of(rows: int, seed: int) -> pd.DataFrame:
    """Two numbers and a colour; `kind` has three classes and `amount` is a number, both from the first two."""
    return coloured_rows(rows, seed)


def _model(target: str, folder: Path, **asked: Any) -> Path:
    frame = rows_of(300, 1).drop(columns={"kind": "amount", "amount": "kind"}[target])
    return vn.compare(frame, target, folds=5, home=folder, progress=False, **asked).save(folder / f"{target}.venire")


@pytest.fixture(scope="session")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model file of three classes, one of which a spreadsheet would take for a formula."""
    return _model("kind", tmp_path_factory.mktemp("classes"), models=["naive_bayes"])


@pytest.fixture(scope="session")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model file of numbers."""
    return _model("amount", tmp_path_factory.mktemp("numbers"), models=["linear", "baseline"])
