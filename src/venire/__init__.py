"""A jury of models, and an honest verdict: supervised learning on tables, validated in two layers.

The names below are loaded when first used, so that `import venire` is immediate.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from venire.data import Table, conform, describe, read_table
    from venire.errors import DataError, UsageError, VenireError, VenireWarning
    from venire.flow import Verdict, compare
    from venire.validation.generic import GenericFamily

__all__ = [  # noqa: RUF022  # in reading order
    "compare",
    "Verdict",
    "read_table",
    "Table",
    "describe",
    "conform",
    "GenericFamily",
    "VenireError",
    "DataError",
    "UsageError",
    "VenireWarning",
]

_HOME = {
    "compare": "venire.flow",
    "Verdict": "venire.flow",
    "read_table": "venire.data",
    "Table": "venire.data",
    "describe": "venire.data",
    "conform": "venire.data",
    "GenericFamily": "venire.validation.generic",
    "VenireError": "venire.errors",
    "DataError": "venire.errors",
    "UsageError": "venire.errors",
    "VenireWarning": "venire.errors",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'venire' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
