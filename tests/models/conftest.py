"""Tables that the tests of several learners look at."""

from __future__ import annotations

import pandas as pd
import pytest

from venire.data.datasets import dataset


@pytest.fixture(scope="module")
def golf() -> tuple[pd.DataFrame, pd.Series]:
    """Play golf, all columns as text, and whether they played."""
    frame = pd.read_csv(dataset("play_golf").path, dtype=str)
    return frame.drop(columns="play"), frame["play"]
