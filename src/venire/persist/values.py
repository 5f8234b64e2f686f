"""Values as trees of plain JSON, and back: numbers, texts, lists, arrays by their number, and objects of a known kind.

What JSON has not, an object with one name stands for:

    {"tuple": [...]}  {"dict": [[key, value], ...]}  {"float": "nan"}  {"array": 3}
    {"texts": [...]}  an array of strings            {"objects": [...]}  an array of labels of any type

and an object of a kind has two: {"kind": "tree_classifier", "state": {...}}. Which kinds there are is fixed in our
code; no name in a file leads to an import.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from venire.errors import ModelFormatError, UsageError
from venire.persist.container import MOST_DIMENSIONS, TYPES

MOST_DEPTH: Final = 60
MOST_SHARED: Final = 16 << 20  # bytes of arrays that are named more than once: what a small file can blow up to
_SPECIAL: Final = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_HINT: Final = "pickle it if you trust every place it will be loaded in, or save a model without it"


class Kind(NamedTuple):
    """One kind of object: its name in files, its class, and the way between an object and its state."""

    name: str
    cls: type
    take: Callable[[Any], Mapping[str, Any]]
    make: Callable[[dict[str, Any]], Any]


class Writer:
    """Turns values into plain JSON and collects their arrays; equal arrays are kept once."""

    def __init__(self, kinds: Mapping[type, Kind]) -> None:
        self.arrays: list[NDArray[Any]] = []
        self.kinds: set[str] = set()
        self._known = kinds
        self._places: dict[tuple[str, tuple[int, ...], bool, bytes], int] = {}
        self._shared = 0
        self._where: list[str] = []

    def plain(self, value: Any) -> Any:
        """The value as JSON; an error that says where in the model it stands, if it cannot be written."""
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) in self._known:
            return self._object(value, self._known[type(value)])
        if isinstance(value, np.bool_ | np.integer | np.str_):
            return value.item()
        if isinstance(value, float | np.floating):
            return float(value) if math.isfinite(value) else {"float": repr(float(value))}
        if type(value) is list:
            return self._items(value)
        if type(value) is tuple:
            return {"tuple": self._items(value)}
        if type(value) is dict:
            return {"dict": [[self.plain(key), self._at(key, each)] for key, each in value.items()]}
        if type(value) is np.ndarray:
            return self._array(value)
        raise self._cannot(value)

    def _object(self, value: Any, kind: Kind) -> Any:
        self.kinds.add(kind.name)
        state = kind.take(value)
        return {"kind": kind.name, "state": {name: self._at(name, each) for name, each in state.items()}}

    def _items(self, values: Sequence[Any]) -> list[Any]:
        return [self._at(place, each) for place, each in enumerate(values)]

    def _at(self, name: Any, value: Any) -> Any:
        if len(self._where) >= MOST_DEPTH:
            raise UsageError("the model is nested too deeply for a file", code="cannot_save", hint=_HINT)
        self._where.append(str(name))
        plain = self.plain(value)
        self._where.pop()
        return plain

    def _array(self, value: NDArray[Any]) -> Any:
        if value.dtype.kind == "U" and value.ndim == 1:
            return {"texts": value.tolist()}
        if value.dtype.kind == "O" and value.ndim == 1:
            return {"objects": self._items(value.tolist())}
        if value.dtype.newbyteorder("<").str not in TYPES or value.ndim > MOST_DIMENSIONS:
            raise self._cannot(value)
        key = (value.dtype.str, value.shape, value.flags.c_contiguous, hashlib.sha256(value.tobytes()).digest())
        place = self._places.get(key)
        if place is None or self._shared + value.nbytes > MOST_SHARED:
            place = self._places[key] = len(self.arrays)
            self.arrays.append(value)
        else:
            self._shared += value.nbytes
        return {"array": place}

    def _cannot(self, value: Any) -> UsageError:
        where = ".".join(name for name in self._where if name not in ("params", "fitted"))
        what = value.__name__ if isinstance(value, type) else type(value).__name__
        return UsageError(
            f"{what} cannot be written to a model file{f' (it is {where} of the model)' if where else ''}",
            code="cannot_save",
            hint=_random_hint(self._where) or _HINT,
        )


class Reader:
    """Turns plain JSON back into values. Whatever is not as a `Writer` leaves it is a `ModelFormatError`."""

    def __init__(self, kinds: Mapping[str, Kind], arrays: Sequence[NDArray[Any]]) -> None:
        self._kinds = kinds
        self._arrays = arrays
        self._named: set[int] = set()
        self._shared = 0
        self._where: list[str] = []

    def value(self, plain: Any) -> Any:
        """The value that the JSON stands for."""
        if plain is None or isinstance(plain, bool | int | float):
            return plain
        if isinstance(plain, str):
            return self._text(plain)
        if isinstance(plain, list):
            return self._items(plain)
        if set(plain) == {"kind", "state"}:
            return self._object(plain["kind"], plain["state"])
        if len(plain) != 1:
            raise self._wrong("holds an object of no kind")
        ((form, content),) = plain.items()
        if form == "array":
            return self._array(content)
        if form == "float" and isinstance(content, str) and content in _SPECIAL:
            return _SPECIAL[content]
        if form not in ("tuple", "dict", "texts", "objects") or not isinstance(content, list):
            raise self._wrong("holds an object of no kind")
        return getattr(self, f"_{form}")(content)

    def _text(self, plain: str) -> str:
        try:
            plain.encode()
        except UnicodeEncodeError:
            raise self._wrong("holds a text that is no text") from None
        return plain

    def _items(self, plain: list[Any]) -> list[Any]:
        found = []
        for place, each in enumerate(plain):
            with self._inside(str(place)):
                found.append(self.value(each))
        return found

    def _tuple(self, plain: list[Any]) -> tuple[Any, ...]:
        return tuple(self._items(plain))

    def _dict(self, plain: list[Any]) -> dict[Any, Any]:
        found = {}
        for pair in plain:
            if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], str | int | float | bool):
                raise self._wrong("holds a dictionary that is none")
            with self._inside(str(pair[0])):
                found[self.value(pair[0])] = self.value(pair[1])
        return found

    def _texts(self, plain: list[Any]) -> NDArray[Any]:
        if not all(isinstance(each, str) for each in plain):
            raise self._wrong("holds texts that are none")
        longest = max(map(len, plain), default=0)
        if longest * len(plain) * 4 > MOST_SHARED:  # one long text makes room for all as long
            raise self._wrong("holds texts that are too long")
        return np.array([self._text(each) for each in plain], dtype=f"<U{max(1, longest)}")

    def _objects(self, plain: list[Any]) -> NDArray[Any]:
        found = np.empty(len(plain), dtype=object)
        for place, each in enumerate(plain):
            if not isinstance(each, str | int | float | bool):
                raise self._wrong("holds an array of something that is no label")
            found[place] = self._text(each) if isinstance(each, str) else each
        return found

    def _array(self, place: Any) -> NDArray[Any]:
        if not isinstance(place, int) or isinstance(place, bool) or not 0 <= place < len(self._arrays):
            raise self._wrong(f"names the array {str(place)[:20]}, which is not there")
        view = self._arrays[place]
        if place in self._named:
            self._shared += view.nbytes
            if self._shared > MOST_SHARED:
                raise self._wrong("names large arrays more than once")
        self._named.add(place)
        return view.astype(view.dtype.newbyteorder("="), order="K", copy=True)

    def _object(self, name: Any, state: Any) -> Any:
        kind = self._kinds.get(name) if isinstance(name, str) else None
        if kind is None:
            raise ModelFormatError(
                f"{self._place()} is of the kind {str(name)[:40]!r}, which this venire does not know",
                code="unknown_kind",
                hint="load it with the venire that wrote it, or a newer one",
            )
        if not isinstance(state, dict):
            raise self._wrong("has no state")
        found = {}
        for each, plain in state.items():
            with self._inside(each):
                found[each] = self.value(plain)
        try:
            return kind.make(found)
        except ModelFormatError as error:
            raise ModelFormatError(f"{self._place()}: {error.message}", code=error.code, hint=error.hint) from None
        except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RuntimeError) as error:
            raise self._wrong(f"makes no {name}: {str(error)[:200]}") from None

    @contextmanager
    def _inside(self, name: str) -> Iterator[None]:
        if len(self._where) >= MOST_DEPTH:
            raise self._wrong("is nested too deeply")
        self._where.append(name)
        yield
        self._where.pop()

    def _place(self) -> str:
        return ".".join(["model", *(name[:40] for name in self._where if name not in ("params", "fitted"))])

    def _wrong(self, what: str) -> ModelFormatError:
        return ModelFormatError(f"{self._place()} {what}")


def _random_hint(where: Sequence[str]) -> str | None:
    if where and where[-1] == "random_state":
        return "a random generator is no plain value: set random_state to a whole number or None first"
    return None
