"""A model that is asked often, one row at a time, and by several clients at once: quick, and the same to the bit.

Whether a prepared member says what the member itself says is tried on rows like those of training, at several numbers
of rows at a time; a member for which it does not is asked in its own way.

Rows of several requests are predicted together, and a row has to get the same bits whatever stands beside it. Linear
algebra may add up in another order for other numbers of rows: members that are seen to do so are asked for the rows of
each request apart, while the others are asked once for all. No library promises any of this: it is tried.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.ensembles.table_model import TableModel
from venire.metrics.predictions import Predictions
from venire.serve.prepared_members import Member, plain_member, prepared_members

Floats = NDArray[np.float64]

_REQUESTS = (1, 2, 3, 5, 8, 64)  # rows of a request that are tried
_TOGETHER = (7, 17, 32, 192)  # rows of a batch
_PARTS = 24  # of each size


class PreparedModel:
    """Predictions of a model for rows of its own matrix. `rows`, on which it is tried, are like those of training.

    `divisible` says whether rows of several requests may be predicted together.
    """

    def __init__(self, model: TableModel, rows: Floats) -> None:
        self._model = model
        wholes = [whole for _, whole in model.members]
        with np.errstate(all="ignore"):
            self._members = [_tried(member, rows) for member in prepared_members(wholes)]
        self._quick = self._with(self._members)
        self.divisible = self._is_divisible(rows)

    def predicted(self, X: Floats) -> Predictions:
        """What the model says of the rows of one request."""
        with np.errstate(all="ignore"):
            return self._quick.predicted(X)

    def together(self, parts: Sequence[Floats]) -> Predictions:
        """What it says of the rows of several requests, one below the other, as if each had come alone."""
        model = self._with([member.of(parts) for member in self._members])
        with np.errstate(all="ignore"):
            return model.predicted(np.asfortranarray(np.vstack(parts)))

    def _with(self, members: Sequence[Member]) -> TableModel:
        model = copy.copy(self._model)
        model.members = [(name, member) for (name, _), member in zip(self._model.members, members, strict=True)]
        return model

    def _is_divisible(self, rows: Floats) -> bool:
        parts = [part for size in _REQUESTS for part in list(_parts(rows, size))[:3]]
        with np.errstate(all="ignore"):
            alone = b"".join(_bits_of(self._model.predicted(part)) for part in parts)
        return _bits_of(self.together(parts)) == alone


def _tried(member: Member, rows: Floats) -> Member:
    """The member, or where it says something else than the whole one, that one; and whether it is asked apart."""
    parts = [part for size in _REQUESTS for part in _parts(rows, size)]
    for name in ("predict_proba", "decision_function", "predict"):
        if hasattr(member.whole, name) and hasattr(member, name):
            own = _all_said(getattr(member.whole, name), parts)
            if _all_said(getattr(member, name), parts) != own:
                member = plain_member(member.whole)
            ask = getattr(member, name)
            single = _all_said(ask, list(_parts(rows, 1, most=len(rows))))
            together = [_all_said(ask, [np.asfortranarray(rows[:size])]) for size in _TOGETHER]
            member.apart |= not all(single.startswith(each) for each in together)
    return member


def _parts(rows: Floats, size: int, most: int = _PARTS) -> Iterator[Floats]:
    for at in range(0, min(len(rows), most * size), size):
        yield np.asfortranarray(rows[at : at + size])


def _all_said(ask: Callable[[Floats], NDArray[Any]], parts: Sequence[Floats]) -> bytes:
    return b"".join(_bits(ask(part)) for part in parts)


def _bits_of(said: Predictions) -> bytes:
    """Row by row, so that the bytes of parts are those of the whole."""
    columns = [] if said.labels is None else [np.asarray(said.labels, dtype=np.float64)[:, None]]
    columns += [] if said.outputs is None else [np.asarray(said.outputs, dtype=np.float64)]
    return _bits(np.hstack(columns))


def _bits(said: NDArray[Any]) -> bytes:
    return np.ascontiguousarray(said, dtype=np.float64).tobytes()
