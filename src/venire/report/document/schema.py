"""JSON Schemas of the documents, made from their types: what `venire schema` prints and the site publishes.

A document may gain fields without a new version, so a published schema lets through what it does not know. `closed`
refuses it: the tests hold every kind of run to that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from venire.data.document import Limits, TableDocument
from venire.errors import ErrorDocument, UsageError, did_you_mean
from venire.report.document.shapes.lists import DeletedDocument, ModelsDocument, RunsDocument
from venire.report.document.shapes.model_file import ModelFileDocument
from venire.report.document.shapes.use import EvaluationDocument, ExplanationDocument, PredictionDocument
from venire.report.document.shapes.validation import ValidationDocument
from venire.report.document.shapes.verdict import VerdictDocument
from venire.selection.document import SelectionDocument
from venire.validation.trials.reasons import Reason

Schema = dict[str, Any]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_ANY: Schema = {"type": "object"}
_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}

DOCUMENTS: Mapping[str, type] = {
    "verdict": VerdictDocument,
    "validation": ValidationDocument,
    "selection": SelectionDocument,
    "table": TableDocument,
    "model": ModelFileDocument,
    "prediction": PredictionDocument,
    "evaluation": EvaluationDocument,
    "explanation": ExplanationDocument,
    "models": ModelsDocument,
    "runs": RunsDocument,
    "deleted": DeletedDocument,
    "error": ErrorDocument,
}


PRINTED_BY: Mapping[str, str] = {
    "verdict": "venire compare --json, venire demo --json",
    "validation": "venire validate --json",
    "selection": "venire select --json",
    "table": "venire show --json",
    "model": "venire model --json, venire fit --json",
    "prediction": "venire predict --json",
    "evaluation": "venire evaluate --json",
    "explanation": "venire explain --json",
    "models": "venire models --json",
    "runs": "venire runs --json",
    "deleted": "venire runs --delete --json, venire runs --prune --json",
    "error": "any command with --json that fails",
}


def published(kind: str) -> Schema:
    """The schema of that kind of document, or an error that lists the kinds there are."""
    if kind not in DOCUMENTS:
        known = ", ".join(DOCUMENTS)
        raise UsageError(
            f"there is no document {kind!r}{did_you_mean(kind, DOCUMENTS)}",
            code="unknown_document",
            hint=f"there are {known}",
        )
    return schema(kind)


def schema(kind: str, *, closed: bool = False) -> Schema:
    """The JSON Schema of a kind of document.

    >>> schema("models")["properties"]["models"]
    {'type': 'array', 'items': {'$ref': '#/$defs/ModelFacts'}}
    """
    document = DOCUMENTS[kind]
    maker = _Maker(closed)
    whole = maker.of_document(document)
    version = whole["properties"]["schema_version"]["const"]
    named = {"$schema": _DIALECT, "$id": f"urn:venire:schema:{kind}:{version}", "title": f"venire {kind}"}
    return {**named, **whole, "$defs": dict(sorted(maker.definitions.items()))}


class _Maker:
    """Turns types into schemas; every type with a name becomes a definition."""

    def __init__(self, closed: bool) -> None:
        self.closed = closed
        self.definitions: dict[str, Schema] = {}

    def of_document(self, document: type) -> Schema:
        """A `TypedDict` as an object."""
        hints = get_type_hints(document, include_extras=True)
        found: Schema = {"type": "object", "properties": {name: self.of(hint) for name, hint in hints.items()}}
        found["required"] = [name for name, hint in hints.items() if get_origin(hint) is not NotRequired]
        if reasons := _reasons(hints.get("figures")):
            found["allOf"] = [self._figures_of(reason) for reason in reasons]
        return self._object(document, found)

    def _figures_of(self, reason: type[Reason]) -> Schema:
        """If an entry has this kind of reason, its figures are these."""
        figures = {"properties": {"figures": self._named(reason, self._of_reason)}}
        return {"if": {"properties": {"kind": {"const": reason.kind}}}, "then": figures}

    def _of_reason(self, reason: type[Reason]) -> Schema:
        hints = get_type_hints(reason, include_extras=True)
        named = [field.name for field in fields(reason)]
        found: Schema = {"type": "object", "properties": {name: self.of(hints[name]) for name in named}}
        return self._object(reason, {**found, "required": named})

    def of(self, hint: Any) -> Schema:
        """Any type that a document is made of."""
        origin, parts = get_origin(hint), get_args(hint)
        if is_typeddict(hint):
            return self._named(hint, self.of_document)
        if hint in _PLAIN:
            return {"type": _PLAIN[hint]}
        if origin is NotRequired:
            return self.of(parts[0])
        if origin is Annotated:
            return self._annotated(parts[0], parts[1:])
        if origin in (Union, UnionType):
            return _either([self.of(part) for part in parts])
        if origin is Literal:
            return {"const": parts[0]} if len(parts) == 1 else {"enum": list(parts)}
        if origin in (list, tuple):
            return {"type": "array", "items": self.of(parts[0])}
        if origin is dict:
            return {"type": "object", "additionalProperties": self.of(parts[1])} if parts[1] is not Any else _ANY
        raise TypeError(f"no schema is known for {hint!r}")

    def _annotated(self, hint: Any, notes: tuple[Any, ...]) -> Schema:
        """What is said beside a type: further constraints, and a description."""
        found: Schema = {}
        for note in notes:
            if isinstance(note, str):
                found["description"] = note
            elif isinstance(note, Limits):
                found |= {rule: list(value) if isinstance(value, tuple) else value for rule, value in note.rules}
        return {**self.of(hint), **found}

    def _named(self, kind: type, make: Any) -> Schema:
        if kind.__name__ not in self.definitions:
            self.definitions[kind.__name__] = {}  # before its own parts are made: they may hold it
            self.definitions[kind.__name__] = make(kind)
        return {"$ref": f"#/$defs/{kind.__name__}"}

    def _object(self, kind: type, found: Schema) -> Schema:
        described = {"description": " ".join((kind.__doc__ or "").split())}
        return {**described, **found, **({"additionalProperties": False} if self.closed else {})}


def _reasons(hint: Any) -> tuple[type[Reason], ...]:
    """The reasons whose figures a field holds, by what stands beside its type; none for most fields."""
    notes = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    return next((note for note in notes if isinstance(note, tuple)), ())


def _either(options: list[Schema]) -> Schema:
    """One of several types; plain ones share a line."""
    plain = [option["type"] for option in options if set(option) == {"type"}]
    others = [option for option in options if set(option) != {"type"}]
    if not others:
        return {"type": plain}
    return {"anyOf": [*others, *({"type": kind} for kind in plain)]}
