"""The confusion matrix of the page, and its figures class by class; of two classes the one of interest comes first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from venire.report.sentences.verdict import Document, class_order


@dataclass(frozen=True, slots=True)
class Matrix:
    """The confusion matrix with its totals, as the page prints it."""

    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]

    @property
    def actual(self) -> tuple[int, ...]:
        """Rows of each actual class."""
        return tuple(sum(row) for row in self.counts)

    @property
    def predicted(self) -> tuple[int, ...]:
        """Rows predicted to be of each class."""
        return tuple(sum(column) for column in zip(*self.counts, strict=True))

    @property
    def total(self) -> int:
        """All rows."""
        return sum(self.actual)

    def share(self, actual: int, predicted: int) -> float:
        """The share of an actual class that was predicted so."""
        return round(self.counts[actual][predicted] / (self.actual[actual] or 1), 4)


def confusion_matrix(document: Document, pictures: Mapping[str, Any]) -> Matrix | None:
    """The matrix, where classes are predicted."""
    confusion = pictures.get("confusion")
    if not confusion:
        return None
    labels, counts = [str(label) for label in confusion["labels"]], confusion["counts"]
    order = class_order(document, labels)
    return Matrix(
        tuple(labels[at] for at in order), tuple(tuple(int(counts[row][column]) for column in order) for row in order)
    )


def class_figures(document: Document) -> list[Any]:
    """The figures of the matrix class by class, in its order."""
    found = document.get("confusion")
    classes = list(found["classes"]) if found else []
    return [classes[at] for at in class_order(document, [str(each["label"]) for each in classes])]
