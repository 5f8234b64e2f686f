"""Imports of which a command has no use are kept from being made by others: most of a short run is importing.

scikit-learn imports pandas wherever that is installed, which takes as long as a quarter of all that a comparison
imports. The command line reads files with DuckDB and never makes a frame. Whoever needs pandas later (a model of your
own that is loaded) still imports it: only that one attempt finds nothing, which scikit-learn is made for.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def scikit_learn_alone() -> None:
    """Import scikit-learn without pandas."""
    with _hidden("pandas"):
        import sklearn.base  # noqa: F401  # what all of it rests on, and where pandas is asked for


@contextmanager
def _hidden(name: str) -> Iterator[None]:
    """A package that cannot be imported for a while, if it was not before."""
    modules: dict[str, Any] = sys.modules  # None stands for what cannot be imported
    if name in modules:
        yield
        return
    modules[name] = None
    try:
        yield
    finally:
        del modules[name]
