"""The form of a fitted model as data for pictures: its tree, or its coefficients. Models of other forms have none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.encode import OneHotScaled
from venire.data.table import Table, label_text
from venire.ensembles.table_model import TableModel
from venire.flow.explained import MOST_CLASSES
from venire.models.tree.estimators import DecisionTreeClassifier, DecisionTreeRegressor
from venire.report.charts.figure import Figure
from venire.report.page.kept_figures import as_kept

_LOG_ODDS = "LogisticRegression"  # whose coefficients have a unit of their own


def form_data(model: TableModel, table: Table, interest: int, name: str) -> dict[str, Any]:
    """What a report keeps of the form of a model: `coefficients` or `tree_diagram`, or neither."""
    if len(model.members) > 1:
        return {}
    if found := coefficient_data(model, table, interest, name):
        return {"coefficients": found}
    if not isinstance(last_step(model), DecisionTreeClassifier | DecisionTreeRegressor):
        return {}
    figure = tree_figure(model, table)
    return {
        "tree_diagram": as_kept(
            replace(figure, title="The decision tree", caption=f"Fitted on all rows. {figure.caption}")
        )
    }


def tree_figure(model: TableModel, table: Table) -> Figure:
    """The diagram of a model that is one tree, with the names of the table."""
    from venire.pictures import tree_diagram

    words = {column.name: [str(one) for one in column.categories] for column in table.columns if column.categories}
    labels = list(table.target.labels) if table.target is not None and table.target.labels else None
    names = [column.name for column in table.columns]
    return tree_diagram(last_step(model), names=names, classes=labels, categories=words)


def coefficient_data(model: TableModel, table: Table, interest: int, name: str) -> dict[str, Any] | None:
    """The coefficients of a linear model on scaled columns, by class; None of any other model."""
    fitted, last = model.members[0][1], last_step(model)
    encoder = fitted[0] if hasattr(fitted, "steps") else None
    if not isinstance(encoder, OneHotScaled) or not hasattr(last, "coef_"):
        return None
    weights = np.atleast_2d(np.asarray(last.coef_, dtype=np.float64))
    names = encoded_names(encoder, table)
    if weights.shape[1] != len(names):
        return None
    offsets = np.broadcast_to(np.asarray(last.intercept_, dtype=np.float64).ravel(), (len(weights),))
    labels = [label_text(label) for label in (table.target.labels if table.target and table.target.labels else ())]
    unit = "log-odds" if type(last).__name__ == _LOG_ODDS else "score"
    if not labels:
        what, lines = f"predicted {model.target_name_}", [_line(None, weights[0], offsets[0])]
    elif len(labels) == 2:  # the model speaks for the second class
        sign = 1.0 if interest == 1 else -1.0
        what, lines = f"{unit} of '{labels[interest]}'", [_line(labels[interest], sign * weights[0], sign * offsets[0])]
    elif len(weights) == len(labels):
        common = np.argsort(-np.bincount(table.y, minlength=len(labels)), kind="stable")[:MOST_CLASSES]
        what, lines = f"{unit} of a class", [_line(labels[at], weights[at], offsets[at]) for at in sorted(common)]
    else:
        return None
    return {"model": name, "names": names, "what": what, "lines": lines}


def encoded_names(encoder: OneHotScaled, table: Table) -> list[str]:
    """What the columns behind an encoder are called."""
    columns = table.columns
    told = [columns[j].name for j in encoder.numeric_]
    told += [f"{columns[encoder.numeric_[at]].name} is missing" for at in encoder.gaps_]
    for j, kept, shared in encoder.levels_:
        column = columns[j]
        told += [f"{column.name} is missing" if code == 0 else f"{column.name} = {column.categories[code - 1]}"
                 for code in kept]  # fmt: skip
        told += [f"{column.name} = any other"] * shared
    return told


def last_step(model: TableModel) -> Any:
    """The learner of a model of one member, without what prepares its columns."""
    fitted = model.members[0][1]
    return fitted[-1] if hasattr(fitted, "steps") else fitted


def _line(of: str | None, weights: NDArray[np.float64], offset: float) -> dict[str, Any]:
    return {"of": of, "values": weights.tolist(), "intercept": float(offset)}
