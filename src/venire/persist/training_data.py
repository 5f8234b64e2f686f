"""What a model keeps of the rows it was trained on: who is handed the file is handed this too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypedDict

import numpy as np

from venire.wording import count


class Kept(TypedDict):
    """One thing that a model file keeps of the training data."""

    what: str
    rows: bool  # whole rows, as they were or scaled


def kept_of(model: Any) -> list[Kept]:
    """What is kept, each thing once, whole rows first."""
    found = {kept["what"]: kept for part in parts_of(model) for kept in _of_part(part)}
    return sorted(found.values(), key=lambda kept: not kept["rows"])


def parts_of(value: Any) -> Iterator[Any]:
    """The estimators inside, at any depth."""
    if isinstance(value, list | tuple):
        for each in value:
            yield from parts_of(each)
    elif hasattr(value, "get_params") and not isinstance(value, type):
        yield value
        for each in vars(value).values():
            yield from parts_of(each)


def _of_part(part: Any) -> Iterator[Kept]:
    """By the attributes that hold them, whoever has these."""
    held = vars(part)
    if "_search" in held:
        rows = part._search.points.shape[0]
        yield Kept(what=f"{count(rows, 'training row')} with the target (nearest neighbours)", rows=True)
    if "support_vectors_" in held:
        rows = len(part.support_vectors_)
        yield Kept(what=f"{count(rows, 'training row')} (support vectors of a kernel machine)", rows=True)
    if "landmarks_" in held:
        rows = len(part.landmarks_)
        yield Kept(what=f"{count(rows, 'training row')} (landmarks of a kernel machine)", rows=True)
    if "rounds_" in held:
        yield Kept(what="the first weights of the training rows, and which of them each round got wrong", rows=False)
    if "residuals_" in held:
        yield Kept(what="the residuals of the training rows", rows=False)
    if "votes_" in held:
        yield Kept(what="the votes on the training rows", rows=False)
    if any(name.startswith("oob_") and isinstance(value, np.ndarray) for name, value in held.items()):
        yield Kept(what="out-of-bag predictions of the training rows", rows=False)
    layout = held.get("_layout")
    if any(column.categories for column in held.get("columns_", ())) or (layout is not None and layout.categories):
        yield Kept(what="the categories of columns, as words", rows=False)
    if held.get("conformal_") is not None:
        rows = held["conformal_"].rows
        yield Kept(what=f"how far predictions of {count(rows, 'held-out row')} were off, in order of size", rows=False)
    if held.get("about_"):
        profiled = any("counts" in column for column in held["about_"].get("columns", ()))
        counted = ", and how many rows lie in about ten ranges of it, or have each category" if profiled else ""
        yield Kept(what=f"the least and the greatest value of each numeric column{counted}", rows=False)
