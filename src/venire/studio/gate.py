"""Who may ask the studio: the right host, no other origin, and whoever started it.

The studio asks for its token on every machine, loopback too: others may have accounts there. The token stands once in
the address that is opened; a cookie takes its place, which browsers send with requests of our own pages alone.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qsl

from venire.serve.addresses import Allowed
from venire.serve.refused import Refusal
from venire.serve.tokens import Token

SAFE: Final = ("GET", "HEAD")
_LONGEST = 4096  # letters of a cookie header that is looked at


class Gate:
    """Checks hosts, origins, the token and the cookie."""

    def __init__(self, allowed: Allowed, token: Token) -> None:
        self._allowed = allowed
        self._token = token
        self._session = secrets.token_urlsafe(32).encode()
        self._cookie = f"venire_studio_{allowed.port}"  # cookies know no ports: two studios need two names

    def check_address(self, headers: Mapping[str, str]) -> None:
        """Refuse a request under another name, or from the page of somebody else."""
        host = headers.get("host")
        if host is None:
            raise Refusal(400, "no_host", "the request names no host")
        self._allowed.check(host, headers.get("origin"), headers.get("sec-fetch-site"))

    def admits(self, query: str) -> bool:
        """Whether a query carries the token, as the address that is opened first does."""
        try:
            pairs = parse_qsl(query, max_num_fields=8)
        except ValueError:
            return False
        given = [value for name, value in pairs if name == "token"]
        return len(given) == 1 and hmac.compare_digest(given[0].encode(), self._token.secret)

    @property
    def set_cookie(self) -> str:
        """The header that lets a browser in."""
        return f"{self._cookie}={self._session.decode()}; Path=/; HttpOnly; SameSite=Strict"

    def check_asker(self, method: str, headers: Mapping[str, str]) -> None:
        """Refuse whoever has neither the cookie nor the token; a page that changes something says where it is from."""
        if "authorization" in headers:
            self._token.check(headers["authorization"])
            return
        if not self._has_cookie(headers.get("cookie", "")):
            raise Refusal(
                401,
                "no_token",
                "the studio does not know this browser",
                hint="open the address that venire studio printed, with its token",
            )
        if method not in SAFE and "origin" not in headers:
            raise Refusal(403, "no_origin", "a request that changes something names the page that it comes from")

    def _has_cookie(self, text: str) -> bool:
        if len(text) > _LONGEST:
            return False
        pairs = [part.strip().partition("=") for part in text.split(";")]
        given = [value for name, _, value in pairs if name == self._cookie]
        return len(given) == 1 and hmac.compare_digest(given[0].encode("utf-8", "replace"), self._session)
