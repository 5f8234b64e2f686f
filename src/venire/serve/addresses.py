"""Which names and addresses a request may come under: `Host` and `Origin`, parsed and never matched as text.

A page of a stranger can make a browser send requests to this machine. What gives it away is the name it was loaded
under: a name that leads here only because its owner pointed it here (DNS rebinding) stands in `Host`, and a page from
elsewhere names itself in `Origin`. An address written in digits cannot be pointed anywhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address

from venire.serve.refused import Refusal

_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*", re.ASCII)
_PORT = re.compile(r"[0-9]{1,5}", re.ASCII)
_DEFAULT_PORTS = {"http": 80, "https": 443}
_KEPT = 64  # spellings that were found to be fine; a browser or a client uses one

Address = IPv4Address | IPv6Address


@dataclass(frozen=True, slots=True)
class Place:
    """A host as a client names it: a name or an address, and a port where one was given."""

    host: str | Address
    port: int | None

    @classmethod
    def parsed(cls, text: str) -> Place | None:
        """What `Host` says; None where it is not written as a name or an address with a port.

        >>> Place.parsed("LocalHost:80"), Place.parsed("127.1"), Place.parsed("a@b")
        (Place(host='localhost', port=80), Place(host='127.1', port=None), None)
        """
        if text.startswith("["):
            inside, closed, rest = text[1:].partition("]")
            host, colon, digits = inside, rest[:1], rest[1:]
            if not closed or colon not in ("", ":") or ":" not in inside:
                return None
        else:
            host, colon, digits = text.partition(":")
        if colon and not (_PORT.fullmatch(digits) and int(digits) < 1 << 16):
            return None
        port = int(digits) if colon else None
        try:
            return cls(ip_address(host), port)
        except ValueError:
            name = host.lower()
            return cls(name, port) if _NAME.fullmatch(name) and not text.startswith("[") else None


def is_loopback(host: str | Address) -> bool:
    """Whether this leads to the machine itself, whoever asks.

    >>> is_loopback("localhost"), is_loopback(ip_address("127.0.0.1")), is_loopback("127.0.0.1.evil.example")
    (True, True, False)
    """
    if isinstance(host, str):
        return host == "localhost"
    if isinstance(host, IPv6Address) and (host.ipv4_mapped is not None or host.scope_id is not None):
        return False  # nobody writes loopback so, but those who look for a way around
    return host.is_loopback


@dataclass(frozen=True)
class Allowed:
    """The hosts that a server answers under.

    Attributes
    ----------
    port
        Where it listens.
    public
        Whether it listens beyond loopback. Addresses in digits are then fine: that the client has the token is
        checked besides, and ports may have been mapped on the way.
    names
        Further names, as their owner gave them.

    Examples
    --------
    >>> Allowed(8000).host("127.0.0.1:8000"), Allowed(8000).host("evil.example:8000")
    (True, False)
    """

    port: int
    public: bool = False
    names: frozenset[Place] = frozenset()
    _fine: set[str] = field(default_factory=set, compare=False, repr=False)

    def check(self, host: str, origin: str | None, site: str | None) -> None:
        """Raise where a request names another host than this one, or comes from the page of another."""
        if host not in self._fine:
            if not self.host(host):
                raise Refusal(
                    421,
                    "wrong_host",
                    "this server does not answer under that host",
                    hint="ask it by its address, or start it with --allow-host NAME",
                )
            if len(self._fine) < _KEPT:
                self._fine.add(host)
        if origin is not None and not self._same_origin(origin, host):
            raise Refusal(403, "cross_origin", "the request comes from a page of another origin")
        if site is not None and site not in ("same-origin", "none"):
            raise Refusal(403, "cross_origin", "the request comes from a page of another site")

    def host(self, text: str) -> bool:
        """Whether the server answers under what a `Host` header says."""
        place = Place.parsed(text)
        if place is None:
            return False
        if place in self.names or Place(place.host, None) in self.names:
            return True
        if is_loopback(place.host):
            return self.public or (place.port or _DEFAULT_PORTS["http"]) == self.port
        if not self.public or isinstance(place.host, str):
            return False
        strange = isinstance(place.host, IPv6Address) and (place.host.ipv4_mapped or place.host.scope_id)
        return not (place.host.is_unspecified or place.host.is_multicast or strange)

    def _same_origin(self, origin: str, host: str) -> bool:
        scheme, found, rest = origin.partition("://")
        ours, theirs = Place.parsed(host), Place.parsed(rest)
        if not found or scheme not in _DEFAULT_PORTS or ours is None or theirs is None:
            return False
        default = _DEFAULT_PORTS[scheme]
        return ours.host == theirs.host and (ours.port or default) == (theirs.port or default)
