"""Costs as they are given: `1:10`, a matrix, a dictionary or a file, turned into a matrix [actual][predicted].

The order of rows and columns is that of the classes. With two classes, `fp:fn` says what a false alarm costs (another
row taken for the class of interest) and what a miss costs (a row of the class of interest taken for another).
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from venire.advice import Advice, Option
from venire.errors import UsageError

Rows = list[list[float]]

_HINT = 'give fp:fn such as 1:10, a matrix such as "0,1;10,0" (a row an actual class), or a JSON or CSV file of one'


def no_costs() -> UsageError:
    """The cost is asked for, and nobody said what a mistake costs."""
    ways = (Option("costs", "1:5"), ", or ", Option("costs", "0,1;5,0"))
    hint = Advice("say what a false alarm and a miss cost with ", *ways, " with a row an actual class")
    return UsageError("metric 'cost' needs costs, and none were given", code="costs", hint=hint)


def read_costs(given: Any, labels: Sequence[str], positive: int | None = None) -> Any:
    """The costs as a matrix, one row an actual class and one column a predicted one.

    A matrix is given back as it is. A dictionary has `fp` and `fn`, or what it costs to take an actual class for a
    predicted one: `{"bad": {"good": 5}}`, or `{("bad", "good"): 5}`; what is not in it costs nothing.

    >>> read_costs("1:10", ["bad", "good"], positive=0)
    [[0.0, 10.0], [1.0, 0.0]]
    >>> read_costs({"bad": {"good": 10}, "good": {"bad": 1}}, ["bad", "good"])
    [[0.0, 10.0], [1.0, 0.0]]
    >>> read_costs("0,1;10,0", ["no", "yes"])
    [[0.0, 1.0], [10.0, 0.0]]
    """
    if isinstance(given, Path):
        return _from_file(given, labels, positive)
    if isinstance(given, Mapping):
        return _from_mapping(given, labels, positive)
    if not isinstance(given, str):
        return given
    text = given.strip()
    if ";" in text:
        return [[_number(cell, given) for cell in row.split(",")] for row in text.strip(";").split(";")]
    if text.count(":") == 1 and not Path(text).exists():
        alarm, miss = (_number(part, given) for part in text.split(":"))
        return _two(alarm, miss, labels, positive)
    return _from_file(Path(text), labels, positive)


def _two(alarm: float, miss: float, labels: Sequence[str], positive: int | None) -> Rows:
    if len(labels) != 2:
        raise _problem(f"fp:fn is for two classes, and the target has {len(labels)}: {', '.join(labels[:8])}")
    of_interest = 1 if positive is None else positive
    matrix = [[0.0, 0.0], [0.0, 0.0]]
    matrix[1 - of_interest][of_interest] = alarm
    matrix[of_interest][1 - of_interest] = miss
    return matrix


def _from_mapping(given: Mapping[Any, Any], labels: Sequence[str], positive: int | None) -> Rows:
    if {str(key) for key in given} == {"fp", "fn"} and not {"fp", "fn"} <= set(labels):
        alarm, miss = (_number(given[key], given) for key in ("fp", "fn"))
        return _two(alarm, miss, labels, positive)
    matrix = [[0.0] * len(labels) for _ in labels]
    for key, value in given.items():
        if isinstance(value, Mapping):
            for predicted, cost in value.items():
                matrix[_place(key, labels)][_place(predicted, labels)] = _number(cost, given)
        elif isinstance(key, tuple) and len(key) == 2:
            matrix[_place(key[0], labels)][_place(key[1], labels)] = _number(value, given)
        else:
            raise _problem(f"the costs have an entry {key!r}: {value!r}, which names no actual and predicted class")
    return matrix


def _from_file(path: Path, labels: Sequence[str], positive: int | None) -> Any:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise _problem(
            f"the costs {str(path)!r} are neither fp:fn, nor a matrix, nor a file that can be read"
        ) from error
    if path.suffix.lower() == ".json":
        try:
            given = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise _problem(f"the file {path.name!r} is no JSON of costs ({error})") from error
        return _from_mapping(given, labels, positive) if isinstance(given, Mapping) else given
    return _from_csv([row for row in csv.reader(text.splitlines()) if any(row)], path, labels)


def _from_csv(rows: list[list[str]], path: Path, labels: Sequence[str]) -> Rows:
    """Bare numbers, or with the predicted classes in the first line and the actual ones in the first column."""
    if not rows:
        raise _problem(f"the file of costs {path.name!r} is empty")
    if len(rows) == len(labels):
        return [[_number(cell, path.name) for cell in row] for row in rows]
    named = {row[0].strip(): dict(zip((c.strip() for c in rows[0][1:]), row[1:], strict=False)) for row in rows[1:]}
    return _from_mapping(named, labels, None)


def _place(label: Any, labels: Sequence[str]) -> int:
    if str(label) not in labels:
        raise _problem(f"the costs speak of a class {str(label)!r}, and the target has: {', '.join(labels[:10])}")
    return list(labels).index(str(label))


def _number(value: Any, given: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise _problem(f"the costs {str(given)!r} hold {str(value).strip()!r}, which is no number") from error


def _problem(message: str) -> UsageError:
    return UsageError(message, code="costs", hint=_HINT)
