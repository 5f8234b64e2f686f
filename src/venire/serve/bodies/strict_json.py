"""JSON from strangers: what readers disagree on (NaN, names that repeat, numbers without end) is refused."""

from __future__ import annotations

import json
from typing import Any

from venire.serve.refused import Refusal


class _Ambiguous(ValueError):
    """Well formed, and still not one meaning."""


def parsed(body: bytes) -> Any:
    """The value that the body holds.

    >>> parsed(b'{"a": [1, null]}')
    {'a': [1, None]}
    """
    try:
        return _DECODER.decode(body.decode())
    except UnicodeDecodeError:
        raise Refusal(400, "bad_json", "the body is not UTF-8") from None
    except _Ambiguous as error:
        raise Refusal(400, "bad_json", str(error)) from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise Refusal(400, "bad_json", f"the body is no JSON: {error.msg}, {place}") from None
    except RecursionError:
        raise Refusal(400, "bad_json", "the body is nested too deeply") from None
    except ValueError:  # Python's own, of a whole number with thousands of digits
        raise Refusal(400, "bad_json", "the body has a number of thousands of digits") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Ambiguous("an object of the body has a name twice")
    return found


def _no_constant(name: str) -> Any:
    raise _Ambiguous(f"{name} is no number of JSON: write null for what is missing")


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_constant)
