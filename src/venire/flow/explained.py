"""Explanations as plain data for pictures: categories by their names, classes by their labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Column, Table
from venire.explain.dependence import PartialDependence
from venire.explain.shapley import ORDERS, ShapValues

Floats = NDArray[np.float64]
MOST_CLASSES = 6  # whose curves are drawn together
_MIDDLE = (0.1, 0.9)  # of the rows' own curves


def dependence_data(found: PartialDependence, table: Table, at: int, interest: int) -> dict[str, Any]:
    """The mean and the middle of the rows' own curves, of the class of interest or of several classes."""
    column, target = table.columns[at], table.target
    assert target is not None
    several = found.mean.ndim > 1
    codes = _commonest(table) if several else [interest]
    lines = []
    for code in codes:
        curves = (
            found.curves[:, :, code] if several else _of_second(found.curves, found.unit, bool(target.classes), code)
        )
        low, high = np.quantile(curves, _MIDDLE, axis=0)
        label = target.labels[code] if target.classes else None
        lines.append({"of": label, "mean": curves.mean(axis=0).tolist(), "low": low.tolist(), "high": high.tolist()})
    return {
        "column": column.name,
        "categorical": bool(column.categories),
        "grid": _grid(found.grid[0], column),
        "lines": lines,
        "unit": found.unit,
        "rows": found.rows,
        "classes": len(target.classes),
    }


def shapley_data(found: ShapValues, table: Table, rows: NDArray[np.intp], code: int) -> dict[str, Any]:
    """The values of every column, from the one that moves predictions most; `rows` are the rows explained."""
    target = table.target
    assert target is not None
    if found.values.ndim == 3:
        values, base = found.values[:, :, code], float(found.base[code])
    else:
        values = _of_second(found.values, "value", bool(target.classes), code)
        base = float(_of_second(found.base, found.unit, bool(target.classes), code))
    order = np.argsort(-np.abs(values).mean(axis=0), kind="stable")
    return {
        "names": [found.names[j] for j in order],
        "values": values[:, order].T.tolist(),
        "places": [_places(table.X[rows, j], table.columns[j]) for j in order],
        "base": base,
        "of": target.labels[code] if target.classes else None,
        "unit": found.unit,
        "rows": len(rows),
        "background_rows": found.background_rows,
        "orders": None if found.standard_errors is None else ORDERS,
    }


def _of_second(figures: Floats, unit: str, classes: bool, code: int) -> Floats:
    """A figure that speaks for the second of two classes, turned to speak for the first where that is asked for."""
    if not classes or code == 1:
        return figures
    return 1.0 - figures if unit in ("probability", "share") else -figures


def _commonest(table: Table) -> list[int]:
    assert table.target is not None
    counts = np.bincount(table.y, minlength=len(table.target.classes))
    return sorted(int(code) for code in np.argsort(-counts, kind="stable")[:MOST_CLASSES])


def _grid(values: NDArray[Any], column: Column) -> list[Any]:
    if not column.categories:
        return [float(value) for value in values]
    return [column.categories[int(value)] for value in values]


def _places(values: Floats, column: Column) -> list[float | None]:
    """Where each value stands among those shown, from 0 (lowest) to 1; None of gaps and of categories."""
    if len(column.categories) > 2 or np.isnan(values).all():
        return [None] * len(values)
    low, high = np.nanquantile(values, (0.02, 0.98))  # a value far off must not make all others look alike
    places = np.clip((values - low) / (high - low if high > low else 1.0), 0.0, 1.0)
    return [None if np.isnan(place) else round(float(place), 3) for place in places]
