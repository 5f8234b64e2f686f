"""The bytes of a model file: a JSON header and arrays behind it, nothing that could run.

    magic, version     12 bytes   the magic has bytes that a transfer as text would change
    length of header    4 bytes   little-endian, as every number
    length of file      8 bytes
    header                        UTF-8 JSON, filled up with spaces to a multiple of 8
    arrays                        each from a multiple of 8 on, little-endian, without gaps but for the filling
    checksum           32 bytes   SHA-256 of all before

Reading looks at sizes first: nothing is allocated by what a file claims that the file itself is not as long as.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from venire.errors import ModelFormatError

MAGIC: Final = b"\x89VENIRE\r\n\x1a\n"
VERSION: Final = 1
MOST_HEADER: Final = 64 << 20
MOST_ARRAYS: Final = 1 << 20
MOST_DIMENSIONS: Final = 4
TYPES: Final = ("<f8", "<f4", "<i8", "<i4", "<i2", "|i1", "<u8", "<u4", "<u2", "|u1", "|b1")
_FRAME: Final = struct.Struct("<11sBIQ")
_CHECKSUM: Final = 32
_ALIGNED: Final = 8


@dataclass(frozen=True, eq=False)
class Content:
    """What a file holds: the header without the list of arrays, those arrays, and how many bytes it takes."""

    header: dict[str, Any]
    arrays: tuple[NDArray[Any], ...]
    size: int
    checksum: str


def packed(header: Mapping[str, Any], arrays: Sequence[NDArray[Any]]) -> bytes:
    """The bytes of a file with this header and these arrays."""
    listed, parts, at = [], [], 0
    for array in arrays:
        order = "F" if array.ndim > 1 and array.flags.f_contiguous and not array.flags.c_contiguous else "C"
        data = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes(order)  # type: ignore[arg-type]  # C or F
        listed.append([array.dtype.newbyteorder("<").str, list(array.shape), order, at])
        parts.append(data + bytes(-len(data) % _ALIGNED))
        at += len(parts[-1])
    text = json.dumps({**header, "arrays": listed}, allow_nan=False, separators=(",", ":")).encode()
    text += b" " * (-(_FRAME.size + len(text)) % _ALIGNED)
    if len(text) > MOST_HEADER:
        raise ModelFormatError(
            f"the structure of the model takes {len(text) >> 20} MB, and {MOST_HEADER >> 20} MB fit in a file",
            code="model_too_large",
            hint="save a model of fewer members",
        )
    whole = _FRAME.size + len(text) + at + _CHECKSUM
    body = b"".join([_FRAME.pack(MAGIC, VERSION, len(text), whole), text, *parts])
    return body + hashlib.sha256(body).digest()


def unpacked(data: bytes) -> Content:
    """What the bytes hold, if they are a whole, undamaged file of a version that is known."""
    text, arrays = _parts(memoryview(data))
    header = _parsed(text)
    listed = header.pop("arrays", None)
    if not isinstance(listed, list) or len(listed) > MOST_ARRAYS:
        raise ModelFormatError("the header lists no arrays")
    found = tuple(_array(place, entry, arrays) for place, entry in enumerate(listed))
    return Content(header, found, len(data), data[-_CHECKSUM:].hex())


def _parts(data: memoryview) -> tuple[bytes, memoryview]:
    """The header as text, and the bytes of all arrays."""
    if len(data) < _FRAME.size + _CHECKSUM:
        raise ModelFormatError(f"it ends after {len(data)} bytes, and is no model file", hint=_SAVED)
    magic, version, length, whole = _FRAME.unpack_from(data)
    if magic != MAGIC:
        raise ModelFormatError("it is no model file: its first bytes are others", hint=_SAVED)
    if version != VERSION:
        raise ModelFormatError(
            f"it is of version {version}, and this is a venire that reads version {VERSION}",
            code="model_version",
            hint="load it with the venire that wrote it, or a newer one",
        )
    if whole != len(data):
        raise ModelFormatError(f"it is {len(data)} bytes long and should be {whole}", hint=_AGAIN)
    if length > MOST_HEADER or _FRAME.size + length > len(data) - _CHECKSUM:
        raise ModelFormatError(f"it names a header of {length} bytes, which does not fit", hint=_AGAIN)
    if hashlib.sha256(data[:-_CHECKSUM]).digest() != data[-_CHECKSUM:]:
        raise ModelFormatError("it is damaged: its checksum is another", hint=_AGAIN)
    end = _FRAME.size + length
    return bytes(data[_FRAME.size : end]), data[end:-_CHECKSUM]


def _parsed(text: bytes) -> dict[str, Any]:
    try:
        header = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_once_each)
    except (ValueError, RecursionError) as error:
        raise ModelFormatError(f"its header cannot be read: {str(error)[:100]}", hint=_AGAIN) from None
    if not isinstance(header, dict):
        raise ModelFormatError("its header is no object")
    return header


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no number of a header")


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def _array(place: int, entry: Any, data: memoryview) -> NDArray[Any]:
    """An array as a view of the file; who keeps it makes a copy."""
    named = f"array {place}"
    if not isinstance(entry, list) or len(entry) != 4:
        raise ModelFormatError(f"{named} is not described")
    kind, shape, order, at = entry
    if not isinstance(kind, str) or kind not in TYPES or order not in ("C", "F"):
        raise ModelFormatError(f"{named} is of a type that is not known")
    if not isinstance(shape, list) or len(shape) > MOST_DIMENSIONS or not all(map(_is_size, (*shape, at))):
        raise ModelFormatError(f"{named} has no shape")
    count = math.prod(shape)  # of whole numbers as long as need be: nothing overflows
    if at % _ALIGNED or at + count * np.dtype(kind).itemsize > len(data) or max(shape, default=0) > len(data):
        raise ModelFormatError(f"{named} of shape {_brief(shape)} does not lie within the file")
    view = np.frombuffer(data, dtype=kind, count=count, offset=at) if count else np.empty(0, dtype=kind)
    if kind == "|b1" and count and view.view(np.uint8).max() > 1:
        raise ModelFormatError(f"{named} holds truth values that are neither true nor false")
    return view.reshape(shape, order=order)


def _is_size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _brief(shape: Sequence[int]) -> str:
    return " × ".join(str(size)[:20] for size in shape) or "one number"


_SAVED: Final = "give a file that venire.save or `venire … --save` wrote"
_AGAIN: Final = "take another copy of the file, or save the model again"
