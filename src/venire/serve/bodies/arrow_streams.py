"""Rows as an Arrow stream: what a message says of itself is looked at before anything is made of it.

A stream may be compressed, and a column of nothing may claim any length: a few bytes that become gigabytes. pyarrow
has no limit for either, so the heads of the messages (flatbuffers) are read here first, and both are refused.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from venire.serve.refused import Refusal

MEDIA_TYPE = "application/vnd.apache.arrow.stream"
_SCHEMA, _DICTIONARY, _BATCH = 1, 2, 3
_MOST_COLUMNS = 100_000


def table_of(body: bytes, most: int) -> Any:
    """The stream as an Arrow table, checked to the last value."""
    pyarrow = _the_pyarrow()
    try:
        rows = 0
        for kind, length, compressed in _messages(pyarrow, body):
            if compressed:
                raise Refusal(400, "compressed_arrow", "the stream is compressed", hint="write it without compression")
            rows += length if kind == _BATCH else 0
            if length < 0 or length > most or rows > most:
                raise Refusal(413, "too_many_rows", f"there are more than {most:,} rows", hint="send several requests")
        with pyarrow.ipc.open_stream(pyarrow.BufferReader(body)) as stream:
            _check_types(pyarrow, stream.schema)
            table = stream.read_all()
        table.validate(full=True)
    except (pyarrow.ArrowException, struct.error, OSError, ValueError) as error:
        raise Refusal(400, "bad_arrow", "the body is no Arrow stream") from error
    if not table.num_rows:
        raise Refusal(400, "no_rows", "there is no row")
    return table


def bytes_of(columns: dict[str, Any]) -> bytes:
    """Columns as an Arrow stream."""
    pyarrow = _the_pyarrow()
    table = pyarrow.table({name: pyarrow.array(values) for name, values in columns.items()})
    into = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(into, table.schema) as stream:
        stream.write_table(table)
    return bytes(into.getvalue())


def _the_pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.ipc
    except ModuleNotFoundError:
        raise Refusal(
            415, "no_arrow", "this server was installed without pyarrow", hint="send JSON or CSV, or install pyarrow"
        ) from None
    return pyarrow


def _check_types(pyarrow: Any, schema: Any) -> None:
    if len(schema) > _MOST_COLUMNS or len(set(schema.names)) < len(schema):
        raise Refusal(400, "bad_arrow", "the columns have not a name of their own each")
    of = pyarrow.types
    plain = (
        of.is_integer,
        of.is_floating,
        of.is_boolean,
        of.is_string,
        of.is_large_string,
        of.is_date,
        of.is_timestamp,
    )
    for field in schema:
        kind = field.type.value_type if of.is_dictionary(field.type) else field.type
        if not any(known(kind) for known in plain):
            raise Refusal(
                400, "wrong_type", f"column {field.name!r} is of a type that no table has",
                hint="send numbers, truth values, texts, dates or categories",
            )  # fmt: skip


def _messages(pyarrow: Any, body: bytes) -> Iterator[tuple[int, int, bool]]:
    """Of every message its kind, its rows, and whether it is compressed."""
    reader = pyarrow.ipc.MessageReader.open_stream(pyarrow.BufferReader(body))
    while True:
        try:
            message = reader.read_next_message()
        except StopIteration:
            return
        head = bytes(message.metadata)
        table = struct.unpack_from("<I", head)[0]
        (kind,) = struct.unpack_from("<B", head, _field(head, table, 1) or 0)
        content = _follow(head, _field(head, table, 2))
        if kind == _DICTIONARY:
            content = _follow(head, None if content is None else _field(head, content, 1))
        if kind == _SCHEMA:
            yield kind, 0, False
        elif kind in (_DICTIONARY, _BATCH) and content is not None:
            length = _field(head, content, 0)
            rows = 0 if length is None else struct.unpack_from("<q", head, length)[0]
            yield kind, rows, _field(head, content, 3) is not None
        else:
            raise ValueError("a message of another kind")


def _field(head: bytes, table: int, number: int) -> int | None:
    """Where a field of a flatbuffers table is; None where it is left out."""
    vtable = table - struct.unpack_from("<i", head, table)[0]
    (size,) = struct.unpack_from("<H", head, vtable)
    at = 4 + 2 * number
    if at + 2 > size:
        return None
    (offset,) = struct.unpack_from("<H", head, vtable + at)
    return table + offset if offset else None


def _follow(head: bytes, at: int | None) -> int | None:
    return None if at is None else at + struct.unpack_from("<I", head, at)[0]
