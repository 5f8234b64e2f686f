"""Requests that are refused: a status, a stable word for programs, and a sentence that says the way out."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from venire.errors import VenireError


class Refusal(Exception):
    """A request that is answered with an error. The sentence goes to the client; logs get the word alone.

    >>> Refusal(400, "bad_json", "the body is no JSON").status
    400
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        hint: str | None = None,
        headers: tuple[tuple[str, str], ...] = (),
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.hint = hint
        self.headers = headers

    @classmethod
    def of(cls, error: VenireError) -> Refusal:
        """What the reading of rows found wrong with them."""
        where = "" if error.column is None or repr(error.column) in error.message else f"column {error.column!r}: "
        return cls(400, error.code, f"{where}{error.message}", hint=None if error.hint is None else str(error.hint))

    @property
    def closes(self) -> bool:
        """Whether the connection ends with the answer: what follows on it need not be a request."""
        return self.status in (408, 413, 431) or self.code == "repeated_header"


def error_document(refusal: Refusal, shape: str) -> dict[str, Any]:
    """The body of the answer, in the shape that the route's protocol has for errors.

    >>> error_document(Refusal(404, "no_route", "there is nothing here"), "v2")
    {'error': 'there is nothing here'}
    """
    said = refusal.message if refusal.hint is None else f"{refusal.message} ({refusal.hint})"
    if shape == "v2":
        return {"error": said}
    facts = {"error": {"code": refusal.code, "message": refusal.message, "hint": refusal.hint}}
    if shape == "mlflow":
        return {"error_code": HTTPStatus(refusal.status).name, "message": said, **facts}
    return facts
