"""What a page asks of the model of a run: a prediction and what each column adds to it, boundaries, steps, files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.spaced_rows import spaced_rows
from venire.data.table import Column, Kind, Table, label_text
from venire.ensembles.table_model import TableModel
from venire.errors import UsageError
from venire.explain.shapley import matrix_values
from venire.flow.drawing.on_matrix import OnMatrix
from venire.metrics.predictions import Output
from venire.studio.lecture_steps import climbed, highest, two_columns
from venire.studio.number_plane import surface, usual_row
from venire.use.explained_rows import SEED, values_of
from venire.use.predicting import predict_file
from venire.wording import count

Floats = NDArray[np.float64]
_BACKGROUND = 64  # rows that stand for what is usual
_CATEGORIES = 200  # that a form offers
_MOST = float(np.finfo(np.float64).max)


class LiveAnswers:
    """Answers for one table and the model fitted on it."""

    def __init__(self, table: Table, model: TableModel) -> None:
        columns = [(column.name, column.kind, column.categories) for column in table.columns]
        if columns != [(column.name, column.kind, column.categories) for column in model.columns_]:
            raise UsageError("the table has changed since this run", code="table_changed", hint="compare it again")
        self._table = table
        self._model = model
        self._others = table.X[spaced_rows(table.rows, _BACKGROUND)]
        self._answers: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
            "form": self._form, "row": self._row, "what_if": self._what_if, "boundary": self._boundary,
            "step": self._step, "predict_file": self._predict_file,
        }  # fmt: skip

    def answer(self, what: str, given: Mapping[str, Any]) -> Any:
        """The answer to a question that is known."""
        if what not in self._answers:
            raise UsageError("there is no such question", code="unknown_question", hint="load the page again")
        return self._answers[what](given)

    def _form(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a form: the columns of the model, and the values of a row to begin with."""
        target = self._table.target
        assert target is not None
        numeric = [c.name for c in self._table.columns if c.kind is Kind.NUMERIC]
        return {
            "columns": [self._field(at, column) for at, column in enumerate(self._model.columns_)],
            "classes": list(target.labels) if target.classes else None,
            "target": target.name,
            "rows": self._table.rows,
            "numeric": numeric,
            "steps": {kind: highest(kind, bool(target.classes)) for kind in ("boost", "grow", "vote")},
            "start": self._row({"row": 0}),
        }

    def _field(self, at: int, column: Column) -> dict[str, Any]:
        values = self._table.X[:, at]
        present = values[~np.isnan(values)]
        field: dict[str, Any] = {"name": column.name, "kind": str(column.kind)}
        if column.kind is Kind.NUMERIC:
            field["range"] = [float(present.min()), float(present.max())] if present.size else [0.0, 1.0]
            field["whole"] = bool(present.size and (present == np.round(present)).all())
        else:
            field["categories"] = [str(one) for one in column.categories[:_CATEGORIES]]
        return field

    def _row(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The values of a row of the table: numbers, codes of categories, nothing where they are missing."""
        at = given.get("row")
        if not isinstance(at, int) or not 0 <= at < self._table.rows:
            raise UsageError(f"there are rows 0 to {self._table.rows - 1}", code="no_row", hint="choose one of them")
        target = self._table.target
        assert target is not None
        actual = target.labels[self._table.y[at]] if target.classes else float(self._table.y[at])
        return {"row": at, "values": _plain(self._table.X[at]), "actual": actual}

    def _what_if(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The prediction of a row, its probabilities, and what each column adds to it."""
        row = self._matrix_row(given.get("values"))
        model = self._model
        with np.errstate(all="ignore"):
            said = model.predicted(row)
            code = self._explained(given.get("of"), said.labels)
            found = matrix_values(model, np.asfortranarray(row), np.asfortranarray(self._others), seed=SEED)
        values, base = values_of(found, code)
        shares = said.outputs[0] if said.outputs is not None and said.output is Output.PROBABILITIES else None
        if said.labels is None:
            predicted: Any = float(np.ravel(said.values)[0])
        else:
            predicted = label_text(model.classes_[said.labels[0]])
        return {
            "predicted": predicted,
            "probabilities": None if shares is None else [round(float(p), 6) for p in shares],
            "of": None if code is None else label_text(model.classes_[code]),
            "unit": found.unit,
            "base": float(base),
            "names": [column.name for column in model.columns_],
            "adds": [float(v) for v in values[0]],
            "exact": found.standard_errors is None,
        }

    def _explained(self, of: Any, labels: NDArray[Any] | None) -> int | None:
        target = self._table.target
        assert target is not None
        if not target.classes:
            return None
        if of is not None and of in target.labels:
            return list(target.labels).index(of)
        if target.positive is not None:
            return int(target.positive)
        return int(labels[0]) if labels is not None else 0

    def _matrix_row(self, values: Any) -> Floats:
        columns = self._model.columns_
        if not isinstance(values, list) or len(values) != len(columns):
            raise UsageError(f"a row has {len(columns)} values", code="bad_row", hint="load the page again")
        row = np.empty((1, len(columns)), order="F")
        for at, (value, column) in enumerate(zip(values, columns, strict=True)):
            row[0, at] = _value(value, column)
        return row

    def _boundary(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Where the model draws the line in the plane of two numeric columns, or what it says there of a number."""
        from venire.pictures import decision_boundary

        target = self._table.target
        assert target is not None
        for name in (given.get("across"), given.get("up")):
            if name not in [c.name for c in self._table.columns if c.kind is Kind.NUMERIC]:
                raise UsageError("a boundary needs two numeric columns", code="unknown_column")
        if given["across"] == given["up"]:
            raise UsageError("a plane has two different columns", code="same_column")
        rows = spaced_rows(self._table.rows, 1500)
        if not target.classes:
            return self._surface(str(given["across"]), str(given["up"]), rows)
        labels = np.array(target.labels, dtype=object)
        asked = OnMatrix(self._model, labels, "the model")
        pair = [str(given["across"]), str(given["up"])]
        figure = decision_boundary(asked, self._table.X[rows], labels[self._table.y[rows]], columns=pair, steps=60)
        return {"title": figure.title, "caption": figure.caption, "spec": figure.spec}

    def _surface(self, across: str, up: str, rows: NDArray[np.intp]) -> dict[str, Any]:
        """The predicted number everywhere in the plane, all other columns at their usual value."""
        table = self._table
        names = [column.name for column in table.columns]
        at = [names.index(across), names.index(up)]
        usual = usual_row(table)

        def says(x: Floats, y: Floats) -> Floats:
            asked = np.asfortranarray(np.tile(usual, (len(x), 1)))
            asked[:, at] = np.column_stack([x, y])
            return np.ravel(self._model.predicted(asked).values)

        assert table.target is not None
        known = np.isfinite(table.X[rows][:, at]).all(axis=1)
        drawn = rows[known]
        spec = surface(says, table.X[drawn][:, at], table.y[drawn], np.ones(len(drawn), bool),
                       [across, up, table.target.name])  # fmt: skip
        others = len(names) - 2
        held = f" The {count(others, 'other column')} at the usual value." if others else ""
        caption = f"{count(len(drawn), 'row')} in the colour of what they are; behind them, what is predicted.{held}"
        return {"title": "What the model says", "caption": caption, "spec": spec}

    def _step(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """One more round, level or member, on two columns."""
        from venire.pictures import decision_boundary

        step = given.get("step")
        if not isinstance(step, int) or isinstance(step, bool):
            raise UsageError("a step is a whole number", code="bad_step", hint="start again")
        two = two_columns(self._table, str(given.get("across")), str(given.get("up")))
        model, errors, said = climbed(two, str(given.get("kind")), step)
        found: dict[str, Any] = {"errors": errors, "said": said, "classes": two.classes}
        if two.classes:
            figure = decision_boundary(model, two.X, two.y, columns=[0, 1], in_bag=two.train, steps=50)
            found["spec"] = _renamed(dict(figure.spec), two.names)
        else:

            def says(x: Floats, y: Floats) -> Floats:
                return np.asarray(model.predict(np.column_stack([x, y])), dtype=np.float64)

            assert self._table.target is not None
            named = [*two.names, self._table.target.name]
            found["spec"] = surface(says, two.X, np.asarray(two.y, dtype=np.float64), two.train, named)
        return found

    def _predict_file(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Predict a file that was uploaded; both paths are the studio's own."""
        found = predict_file(self._model, str(given["source"]), Path(str(given["output"])))
        return {"rows": found["rows"], "seconds": found.get("seconds")}


def _renamed(spec: dict[str, Any], names: tuple[str, str]) -> dict[str, Any]:
    """The picture of a bare matrix with the names of its columns on the axes."""

    def walk(node: Any) -> Any:
        if isinstance(node, dict):
            return {
                key: names[0] if key == "title" and value in ("x0", "column 0", "0") else
                names[1] if key == "title" and value in ("x1", "column 1", "1") else walk(value)
                for key, value in node.items()
            }  # fmt: skip
        return [walk(one) for one in node] if isinstance(node, list) else node

    found: dict[str, Any] = walk(spec)
    return found


def _value(value: Any, column: Column) -> float:
    if value is None:
        return float("nan")
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _MOST:
        raise UsageError(f"{column.name}: this is no value", code="bad_value", hint="give a number, or nothing")
    if column.kind is not Kind.NUMERIC and not (isinstance(value, int) and 0 <= value < len(column.categories)):
        raise UsageError(f"{column.name}: there is no such category", code="bad_value", hint="choose one of the list")
    return float(value)


def _plain(row: Floats) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in row]
