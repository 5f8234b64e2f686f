from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import narwhals.stable.v2 as nw
import numpy as np
import pytest

from tests.validation.tables import classification, regression
from tests.verdict.cases import BASELINE, BAYES, RIDGE, TREE, judged
from venire.errors import UsageError
from venire.metrics.predictions import Output
from venire.verdict.held_out_predictions import Witnesses, held_out
from venire.verdict.judgement import Judgement
from venire.verdict.pictures import pictures

EVERY = ("vote", "stack", "blend")


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Judgement:
    families = [BASELINE, BAYES, TREE, RIDGE]
    return judged(tmp_path_factory.mktemp("c"), classification(70, classes=2), families, EVERY, folds=4)


@pytest.fixture(scope="module")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> Judgement:
    return judged(tmp_path_factory.mktemp("n"), regression(70), [BASELINE, RIDGE, TREE], EVERY, folds=4)


@pytest.mark.parametrize("name", ["procedure", "bayes", "ridge", *EVERY])
def test_the_leaderboard_is_the_mean_over_folds_of_what_is_handed_out(classes: Judgement, name: str) -> None:
    held = held_out(classes, name)
    assert held.rows.tolist() == list(range(70))
    np.testing.assert_array_equal(held.actual, classes.docket.table.y)
    errors = [np.mean((held.predicted != held.actual)[held.folds == fold]) for fold in range(4)]
    row = next(row for row in classes.rows if row.family == name)
    assert np.mean(errors) == pytest.approx(row.error)


@pytest.mark.parametrize("name", ["procedure", "ridge", *EVERY])
def test_of_numbers_too(numbers: Judgement, name: str) -> None:
    held = held_out(numbers, name)
    assert held.output is Output.VALUES
    assert numbers.docket.metric.name == "rmse"
    row = next(row for row in numbers.rows if row.family == name)
    assert row.error == pytest.approx(np.sqrt(np.mean(np.square(held.predicted - held.actual)))), "of all rows at once"
    assert row.interval.low < row.error < row.interval.high


def test_in_time_order_the_first_folds_are_not_predicted(tmp_path: Path) -> None:
    table = regression(50, time=np.arange(50.0)[::-1])
    judgement = judged(tmp_path, table, [BASELINE, RIDGE], folds=5)
    assert held_out(judgement, "ridge").rows.tolist() == list(range(30))


def test_an_unknown_name_lists_those_there_are(classes: Judgement) -> None:
    with pytest.raises(UsageError, match="no evidence for 'forest'") as caught:
        held_out(classes, "forest")
    assert "procedure, baseline, bayes" in str(caught.value.hint)


def test_pictures_are_plain_data_of_the_same_evidence(classes: Judgement, numbers: Judgement) -> None:
    drawn = pictures(classes)
    json.dumps(drawn, allow_nan=False)
    assert np.sum(drawn["confusion"]["counts"]) == 70
    assert drawn["confusion"]["labels"] == ["class 0", "class 1"]
    assert set(drawn["fold_errors"]) == {"procedure", *(c.name for c in classes.candidates)}
    assert drawn["selection"]["per_fold"] == [c.name for c in classes.procedure.picks.values()]
    assert drawn["paths"]["bayes"]["chosen"] == classes.candidate("bayes").final_setting
    assert len(drawn["paths"]["bayes"]["held_out"]) == 3
    assert "baseline" not in drawn["paths"]
    assert {"procedure", classes.procedure.chosen.name} <= set(drawn["roc"]), "what is handed over is always drawn"
    assert "ridge" not in drawn["calibration"], "scores are no probabilities"
    for curve in drawn["roc"].values():
        assert 0 <= curve["auc"] <= 1
    scattered = pictures(numbers)["scatter"]
    assert len(scattered["actual"]) == len(scattered["predicted"]) == 70


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_as_a_frame(classes: Judgement, backend: str) -> None:
    held = held_out(classes, "bayes")
    frame = nw.from_native(held.to_frame(backend), eager_only=True)
    labels = classes.docket.table.target.labels
    assert frame.columns == ["row", "fold", "actual", "predicted", *(f"probability_{label}" for label in labels)]
    assert [str(value) for value in frame["actual"].to_list()] == [labels[code] for code in held.actual]
    np.testing.assert_array_equal(frame[f"probability_{labels[1]}"].to_numpy(), held.outputs[:, 1])


def test_frames_of_scores_and_numbers(classes: Judgement, numbers: Judgement) -> None:
    assert held_out(numbers, "ridge").to_frame().columns.tolist() == ["row", "fold", "actual", "predicted"]
    assert {"actual", "predicted"} <= set(held_out(classes, "ridge").to_frame().columns)
    with pytest.raises(UsageError, match="there are no frames called 'excel'"):
        held_out(numbers, "ridge").to_frame("excel")
    assert repr(held_out(numbers, "ridge")) == "<HeldOut ridge: values of 70 rows>"


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_all_models_in_one_frame(classes, backend):
    witnesses = Witnesses(classes)
    frame = nw.from_native(witnesses.to_frame(backend), eager_only=True)
    assert frame["model"].to_list() == [name for name in witnesses for _ in range(70)]
    assert len(witnesses) == len(classes.candidates) + 1
    for name, held in witnesses.items():
        part = frame.filter(nw.col("model") == name)
        assert part["row"].to_list() == held.rows.tolist()
    first = classes.docket.table.target.classes[0]
    ridge, baseline = (frame.filter(nw.col("model") == name) for name in ("ridge", "baseline"))
    assert not np.isnan(ridge[f"score_{first}"].to_numpy()).any()
    assert np.isnan(ridge[f"probability_{first}"].to_numpy()).all()
    assert np.isnan(baseline[f"score_{first}"].to_numpy()).all()


@pytest.mark.parametrize(
    ("backend", "kind"), [("pandas", "category"), ("polars", "Categorical"), ("pyarrow", "dictionary")]
)
def test_categories_come_back_as_categories(backend: str, kind: str, tmp_path: Path) -> None:
    table = classification(40, classes=2)
    table = replace(table, target=replace(table.target, classes=("good", "bad"), categorical=True))
    judgement = judged(tmp_path, table, [BASELINE], folds=4)
    for frame in (held_out(judgement, "baseline").to_frame(backend), Witnesses(judgement).to_frame(backend)):
        types = frame.schema.types if backend == "pyarrow" else list(frame.dtypes)
        names = frame.schema.names if backend == "pyarrow" else list(frame.columns)
        found = dict(zip(names, map(str, types), strict=True))
        assert found["actual"].startswith(kind)
        assert found["predicted"].startswith(kind)


def test_numbers_among_categories_stay_numbers_where_a_frame_has_only_texts(tmp_path: Path) -> None:
    table = classification(40, classes=2)
    table = replace(table, target=replace(table.target, classes=(1.0, 2.0), categorical=True))
    judgement = judged(tmp_path, table, [BASELINE], folds=4)
    assert set(held_out(judgement, "baseline").to_frame("polars")["actual"]) == {1.0, 2.0}
    assert "probability_1" in held_out(judgement, "baseline").to_frame("polars").columns
