"""The token that a server beyond loopback asks for."""

from __future__ import annotations

import hmac
import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path

from venire.disk.regular_files import content
from venire.errors import UsageError
from venire.serve.refused import Refusal

ENVIRONMENT = "VENIRE_TOKEN"
_SHORTEST = 16
_SIGNS = re.compile(r"[A-Za-z0-9._~+/=-]+", re.ASCII)  # those of a bearer token, RFC 6750


@dataclass(frozen=True, slots=True)
class Token:
    """A secret that clients send with every request. It is not shown, not even by `repr`."""

    secret: bytes
    made: bool = False  # by us: whoever starts the server has to see it once

    def __repr__(self) -> str:
        return "Token(…)"

    def check(self, authorization: str | None) -> None:
        """Raise unless the header carries the token; how long that takes says nothing of it."""
        scheme, _, given = (authorization or "").partition(" ")
        fine = hmac.compare_digest(given.strip().encode(), self.secret)
        if scheme.lower() != "bearer" or not fine:
            raise Refusal(
                401,
                "no_token",
                "this server asks for a token",
                hint="send the header Authorization: Bearer TOKEN",
                headers=(("www-authenticate", 'Bearer realm="venire"'),),
            )


def found_token(file: Path | None, *, needed: bool) -> Token | None:
    """The token of the file or of the environment; a new one where one is needed and none was given."""
    if file is not None:
        try:
            return _checked(content(file).decode().strip(), str(file))
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(
                "the token cannot be read", code="no_file", file=str(file), hint="is the name right?"
            ) from error
    given = os.environ.get(ENVIRONMENT)
    if given:
        return _checked(given, ENVIRONMENT)
    return Token(secrets.token_urlsafe(32).encode(), made=True) if needed else None


def _checked(text: str, place: str) -> Token:
    if len(text) < _SHORTEST or not _SIGNS.fullmatch(text):
        raise UsageError(
            f"the token in {place} has fewer than {_SHORTEST} signs, or others than letters, digits and ._~+/=-",
            code="weak_token",
            hint="make one with python -c 'import secrets; print(secrets.token_urlsafe(32))'",
        )
    return Token(text.encode())
