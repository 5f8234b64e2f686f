"""What is to be validated: from whatever the caller has to a family, a table and a metric that fit together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_classifier
from sklearn.model_selection import ParameterGrid

from venire.advice import Advice, Option
from venire.data.cost_matrix import no_costs, read_costs
from venire.data.read import read_table
from venire.data.readers.beside import is_values
from venire.data.table import Table, Task
from venire.errors import DataError, UsageError
from venire.metrics.scores import Metric, default_metric, metric
from venire.validation.plans.copies import check_duplicates
from venire.validation.trials.family import Family, Setting
from venire.validation.trials.generic import GenericFamily

Grid = Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Sequence[Any]]]


@dataclass(frozen=True, eq=False)
class Subject:
    """One family on one table, judged by one metric."""

    family: Family
    table: Table
    metric: Metric
    settings: tuple[Setting, ...]

    @property
    def dependent(self) -> bool:
        """Whether rows hang together, so that an interval must not count them one by one."""
        return self.table.groups is not None or self.table.time is not None


def subject(
    model: Any,
    data: Any,
    target: str | ArrayLike | None = None,
    *,
    grid: Grid | None = None,
    path: Sequence[Setting] | None = None,
    encoding: str | None = None,
    metric: str | None = None,
    costs: Any = None,
    duplicates: str = "together",
    **reading: Any,
) -> Subject:
    """Read and check everything there is to validate.

    `model` is a scikit-learn estimator or a family. An estimator's settings come from `grid` (as in `GridSearchCV`) or
    `path`, from simple to complex; `encoding` says how it gets its columns, as in `GenericFamily`. `duplicates` says
    whether copied rows share a fold ("together") or not ("apart").
    """
    family = as_family(model, grid=grid, path=path, encoding=encoding)
    table = as_table(data, target, duplicates=duplicates, **reading)
    assert table.target is not None
    classes = len(np.unique(table.y)) if table.target.task is Task.CLASSIFICATION else None
    if classes is not None and classes < 2:
        raise DataError(
            f"the target {table.target.name!r} has one class only, so there is nothing to tell apart",
            code="one_class",
            file=table.source or None,
            hint="give rows of at least two classes",
        )
    reason = family.unable(table)
    if reason is not None:
        raise UsageError(
            f"{family.name} {reason}", code="no_models", hint=Advice("give another model, or ", Option("task"))
        )
    measure = measure_of(table, metric, costs)
    output = family.output(table.target.task)
    if not measure.accepts(output):
        raise UsageError(
            f"{family.name} gives {output}, and metric {measure.name!r} needs {measure.needs}",
            code="no_models",
            hint="use another metric, such as error",
        )
    return Subject(family, table, measure, family.path(table))


def as_family(
    model: Any, *, grid: Grid | None = None, path: Sequence[Setting] | None = None, encoding: str | None = None
) -> Family:
    """A family as it is; a scikit-learn estimator as a family named after its class, with one setting or a grid.

    >>> from sklearn.linear_model import Ridge
    >>> family = as_family(Ridge(), grid={"alpha": [10.0, 0.1]})
    >>> family.name, family.tasks
    ('ridge', frozenset({<Task.REGRESSION: 'regression'>}))
    """
    given = {"grid": grid, "path": path, "encoding": encoding}
    if isinstance(model, Family):
        wrong = [name for name, value in given.items() if value is not None]
        if wrong:
            raise UsageError(
                f"family {model.name!r} has its own path and encoding, and {wrong[0]} was given", code="bad_path"
            )
        return model
    if isinstance(model, str):
        raise UsageError(
            f"{model!r} is a name, and an estimator or a family is needed here",
            code="unknown_model",
            hint="give an estimator such as venire.DecisionTreeClassifier(); compare and `venire validate` take names",
        )
    if not (hasattr(model, "fit") and hasattr(model, "get_params")) or isinstance(model, type):
        raise UsageError(
            f"{model!r} is neither a model's name, nor a family, nor a scikit-learn estimator",
            code="unknown_model",
            hint="give a name of `venire models`, an estimator such as LogisticRegression(), or a GenericFamily",
        )
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(model).__name__).lower()
    kind = "classifier" if is_classifier(model) else "regressor"
    settings = _settings(model, grid, path)
    label = _path_label(settings)
    return GenericFamily(name, **{kind: model}, path=settings, path_label=label, encoding=encoding or "one_hot")


def _settings(model: Any, grid: Grid | None, path: Sequence[Setting] | None) -> tuple[Setting, ...] | None:
    if grid is not None and path is not None:
        raise UsageError("a grid and a path were given, and one says all", code="bad_path")
    if path is not None:
        settings = tuple(path)
    elif grid is not None:
        try:
            combinations = list(ParameterGrid(grid))
        except (TypeError, ValueError) as error:
            raise UsageError(
                f"the grid cannot be read: {error}", code="bad_path", hint='such as {"C": [1, 10]}'
            ) from error
        settings = tuple(Setting.of(values, _shown(values)) for values in combinations)
    else:
        return None
    known = model.get_params()
    strange = sorted({name for setting in settings for name in setting.params} - set(known))
    if strange or not settings:
        raise UsageError(
            f"{type(model).__name__} has no parameter {strange[0]!r}" if strange else "there is no setting to try",
            code="bad_path",
            hint=f"it has {', '.join(sorted(known)[:12])}",
        )
    return settings


def _shown(values: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters by their own names, without the steps of a pipeline, unless two steps have one of that name."""
    often = Counter(map(_bare, values))
    return {_bare(name) if often[_bare(name)] == 1 else name: value for name, value in values.items()}


def _bare(name: str) -> str:
    return name.split("__")[-1]


def _path_label(settings: tuple[Setting, ...] | None) -> str:
    names = {_bare(name) for setting in settings or () for name in setting.params}
    return ", ".join(sorted(names)) or "setting"


def as_table(
    data: Any, target: str | ArrayLike | None = None, *, duplicates: str = "together", **reading: Any
) -> Table:
    """A table as it is, or whatever `read_table` makes of the data; it has to have a target.

    `duplicates` says what becomes of copied rows: they are kept "together" in one fold, or may lie "apart".
    """
    wanted = check_duplicates(duplicates)
    if isinstance(data, Table):
        named = None if data.target is None else data.target.name
        again = {**reading, "target": None if not is_values(target) and target == named else target}
        given = [name for name, value in again.items() if value is not None]
        if given:
            raise UsageError(f"a table is already read, so {given[0]} says nothing", hint="give it to read_table")
        table = data
    else:
        table = read_table(data, target, **reading)
    return with_target(table if wanted == "together" else replace(table, duplicates=wanted))


def with_target(table: Table) -> Table:
    """The table, which has to have a target; an error that lists its columns otherwise."""
    if table.target is None:
        names = [column.name for column in table.columns] + [out.name for out in table.left_out]
        some = ", ".join(map(repr, names[:8])) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
        raise UsageError(
            "which column is to be predicted?",
            code="no_target",
            file=table.source or None,
            hint=Advice("name it with ", Option("target"), f"; there are {some}"),
        )
    return table


def measure_of(table: Table, name: str | None = None, costs: Any = None) -> Metric:
    """The metric of that name for the table's target; without a name the default, or the cost where costs are given.

    `costs` are anything `read_costs` takes, and have to fit the classes.
    """
    assert table.target is not None
    task = table.target.task
    if costs is not None:
        if task is Task.REGRESSION:
            raise UsageError(
                "costs are for classes, and the target is a number",
                code="costs",
                hint=Advice("leave out ", Option("costs")),
            )
        costs = read_costs(costs, table.target.labels, table.target.positive)
    wanted = name or (default_metric(task) if costs is None else "cost")
    if wanted == "cost" and costs is None and task is Task.CLASSIFICATION:
        raise no_costs()
    found = metric(wanted, task, positive=table.target.positive, costs=costs)
    if found.costs is not None and len(found.costs) != len(table.target.classes):
        raise UsageError(
            f"the costs are for {len(found.costs)} classes, but the target has {len(table.target.classes)}",
            code="costs",
            hint=f"give one row and one column a class, in this order: {', '.join(table.target.labels[:10])}",
        )
    if found.costs is not None and any(row[at] > min(row) for at, row in enumerate(found.costs)):
        raise UsageError(
            "the costs make a wrong answer cheaper than the right one",
            code="costs",
            hint=f"give one row an actual class and one column a predicted class, in the order "
            f"{', '.join(table.target.labels)}",
        )
    return found
