"""The frames of a verdict: of the library the table came in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import venire as vn
from tests.flows import quickly, written
from tests.validation.tables import classification
from venire.data.readers import frames
from venire.errors import UsageError

FEW = ["baseline", "tree", "knn", "vote"]


def source(library: Any) -> Any:
    table = classification(60, classes=2)
    frame = written(table).assign(y=np.array(table.target.labels)[table.y])
    return frame if library is pd else pl.from_pandas(frame)


@pytest.mark.parametrize("library", [pd, pl])
def test_a_frame_is_of_the_kind_that_was_given(library: Any, tmp_path: Path) -> None:
    verdict = quickly(source(library), "y", models=FEW, home=tmp_path)
    board = verdict.leaderboard(metrics=["error", "auc", "log_loss"])
    assert isinstance(board, library.DataFrame)
    assert list(board.columns) == [
        *("model", "kind", "setting", "error", "error_low", "error_high", "auc", "auc_low", "auc_high"),
        *("log_loss", "log_loss_low", "log_loss_high", "fit_seconds", "predict_seconds_per_row"),
    ]
    assert list(board["model"]) == [row["family"] for row in verdict.to_dict()["leaderboard"]]
    assert isinstance(verdict.worst_rows(3), library.DataFrame)
    assert len(verdict.worst_rows(3)) == 3


def test_seconds_are_those_of_the_members(tmp_path: Path) -> None:
    verdict = quickly(models=FEW, home=tmp_path)
    board = verdict.leaderboard(["error"]).set_index("model")
    assert (board[["fit_seconds", "predict_seconds_per_row"]] > 0).all().all()
    members = board.loc[[name for name in FEW if verdict.judgement.candidate("vote").weights.get(name)]]
    assert board.loc["vote", "fit_seconds"] == pytest.approx(members["fit_seconds"].sum())
    chosen = verdict.chosen["family"]
    assert board.loc["procedure", "fit_seconds"] == board.loc[chosen, "fit_seconds"]
    assert "fit_seconds" not in verdict.leaderboard(["error"], seconds=False)


def test_a_file_gives_a_frame_of_what_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    verdict = quickly(models=["baseline"], home=tmp_path)
    assert isinstance(verdict.leaderboard(), pd.DataFrame)
    monkeypatch.setattr(frames, "find_spec", lambda name: name == "polars" or None)
    assert isinstance(verdict.leaderboard(), pl.DataFrame)
    monkeypatch.setattr(frames, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="there is no library to make a frame with"):
        verdict.leaderboard()


def test_x_beside_y_counts_by_x(tmp_path: Path) -> None:
    table = classification(60, classes=2)
    rows, y = pl.from_pandas(written(table)), pl.Series("y", table.y)
    for given in ({"source": rows, "target": y}, {"source": (rows, y)}):
        verdict = vn.compare(**given, models=["baseline"], folds=3, jobs=1, budget=None, home=tmp_path)
        assert isinstance(verdict.leaderboard(["error"]), pl.DataFrame)


def test_the_worst_rows_of_one_model_have_the_type_of_the_target(tmp_path: Path) -> None:
    frame = source(pd)
    frame["y"] = frame["y"].astype("category")
    verdict = quickly(frame, "y", models=FEW, home=tmp_path)
    found = verdict.worst_rows(4, "knn")
    assert found["actual"].dtype == "category"
    assert list(found["actual"]) == list(frame["y"].iloc[found["row"]])
    with pytest.raises(UsageError, match="there is no evidence for 'nobody'"):
        verdict.worst_rows(4, "nobody")
