"""A request as the routes see it, and what they answer."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from venire.serve.refused import Refusal

JSON = "application/json"
_UTF8 = ("utf-8", "utf8")


class Request(NamedTuple):
    """What a client asked: nothing in it is a path or an address that anybody opens."""

    method: str
    query: str
    headers: Mapping[str, str]
    body: bytes

    def parameters(self, known: Collection[str]) -> dict[str, str]:
        """Those of the query, each at most once, and none that is unknown."""
        if not self.query:
            return {}
        try:
            pairs = parse_qsl(
                self.query, keep_blank_values=True, strict_parsing=True, max_num_fields=16, errors="strict"
            )
        except ValueError:
            raise Refusal(400, "bad_query", "the query is not written as name=value") from None
        found = dict(pairs)
        if len(found) < len(pairs) or not set(found) <= set(known):
            there = ", ".join(sorted(known)) or "none"
            raise Refusal(
                400, "bad_query", "the query has a name twice, or one that is unknown", hint=f"known: {there}"
            )
        return found

    def media_type(self) -> str:
        """Of the body, in small letters; text is in UTF-8, and nothing is packed."""
        kind, *parameters = (part.strip() for part in self.headers.get("content-type", JSON).split(";"))
        for parameter in parameters:
            name, _, value = parameter.partition("=")
            if name.strip().lower() == "charset" and value.strip().strip('"').lower() not in _UTF8:
                raise Refusal(415, "wrong_encoding", "texts are in UTF-8")
        if self.headers.get("content-encoding", "identity").lower() != "identity":
            raise Refusal(415, "wrong_encoding", "the body is compressed", hint="send it as it is")
        return kind.lower()


class Reply(NamedTuple):
    """What is answered, and what the log may say of it."""

    body: bytes
    media_type: str = JSON
    status: int = 200
    rows: int = 0
    headers: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, document: Any, *, status: int = 200, rows: int = 0) -> Reply:
        """A document as JSON."""
        return cls(_ENCODER.encode(document).encode("ascii"), JSON, status, rows)


_ENCODER = json.JSONEncoder(allow_nan=False, separators=(",", ":"))
