"""A verdict in a tracking store of MLflow, and the model back out of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import venire as vn

mlflow = pytest.importorskip("mlflow", reason="MLflow is an extra: pip install mlflow-skinny")
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")  # of MLflow itself


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A store of its own, and no call home."""
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri((tmp_path / "mlruns").as_uri())
    yield mlflow.tracking.MlflowClient()
    mlflow.set_tracking_uri(before)


def table(rows: int = 90) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    found = pd.DataFrame({"size": rng.normal(size=rows), "colour": rng.choice(["red", "blue"], rows)})
    found["sold"] = rng.random(rows) < 0.5
    found["year"] = rng.integers(1990, 2020, rows)
    found["y"] = np.where(found["size"] + rng.normal(scale=0.5, size=rows) > 0, "yes", "no")
    return found


@pytest.fixture(scope="module")
def verdict() -> vn.Verdict:
    names = ["baseline", "naive_bayes", "tree"]
    return vn.compare(table(), "y", models=names, folds=3, budget=None, jobs=1, metric="auc")


def test_a_verdict_is_a_run(store: Any, verdict: vn.Verdict) -> None:
    run = store.get_run(vn.mlflow.log_verdict(verdict, report=False, run_name="first"))
    document = verdict.to_dict()
    assert run.info.status == "FINISHED"
    assert run.data.params["chosen"] == document["chosen"]["family"]
    assert run.data.params["models"] == "naive_bayes, tree, baseline"
    assert (run.data.params["seed"], run.data.params["folds"]) == ("0", "3")
    assert run.data.metrics["error"] == document["chosen"]["error"]
    assert run.data.metrics["error_low"] == document["chosen"]["interval"][0]
    assert run.data.metrics["score"] == pytest.approx(1 - document["chosen"]["error"])
    rows = {row["family"]: row for row in document["leaderboard"] if row["kind"] != "procedure"}
    logged = {name: run.data.metrics[f"{name}/error"] for name in rows}
    assert logged == {name: row["error"] for name, row in rows.items()}
    names = {each.path for each in store.list_artifacts(run.info.run_id)}
    assert {"card.md", "card.html", "verdict.json"} <= names
    kept = json.loads(Path(store.download_artifacts(run.info.run_id, "verdict.json")).read_text())
    assert kept == document


def test_the_report_is_logged_and_a_run_that_is_open_is_used(store: Any, verdict: vn.Verdict) -> None:
    with mlflow.start_run() as run:
        assert vn.mlflow.log_verdict(verdict, model=False) == run.info.run_id
    page = Path(store.download_artifacts(run.info.run_id, "report.html")).read_text()
    assert page.startswith("<!doctype html>")


def test_the_model_comes_back_as_itself_and_as_a_pyfunc(store: Any, verdict: vn.Verdict) -> None:
    model = verdict.fit()
    with mlflow.start_run():
        info = vn.mlflow.log_model(model)
    rows = table(20).drop(columns="y")
    loaded = vn.mlflow.load_model(info.model_uri)
    np.testing.assert_array_equal(loaded.predict_proba(rows), model.predict_proba(rows))
    served = mlflow.pyfunc.load_model(info.model_uri)
    np.testing.assert_array_equal(served.predict(rows), model.predict(rows))
    asked = served.predict(rows, params={"predict_method": "predict_proba"})
    np.testing.assert_array_equal(asked, model.predict_proba(rows))
    assert [column.name for column in served.metadata.get_input_schema()] == ["size", "colour", "sold", "year"]
