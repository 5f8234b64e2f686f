"""Sums over all rows, wherever they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.models.parted.here import in_pieces
from venire.models.parted.block_sums import BLOCK, BlockSums, ColumnSums, Products, Slopes, State, summed

ROWS = 5 * BLOCK + 100


def sums_of(kind: BlockSums, X: np.ndarray, y: np.ndarray, parts: int) -> State:
    team = in_pieces(X, y, parts, numeric=y.dtype.kind == "f")
    team.renew()
    sizes = [one.rows for one in team.ask("facts")]
    team.keep([i for i, size in enumerate(sizes) if size])
    if y.dtype.kind != "f":
        team.ask("classes_counted", [np.unique(y)] * len([size for size in sizes if size]))
    return summed(team, kind, [size for size in sizes if size])


@pytest.fixture(scope="module")
def table() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(ROWS, 4)) * [1, 1e3, 1e-3, 1] + [0, 1e6, 0, 1]
    return X, X[:, 0] + rng.normal(size=ROWS)


@pytest.mark.parametrize("parts", [2, 3, 7, 9])
def test_parts_change_no_bit(table: tuple[np.ndarray, np.ndarray], parts: int) -> None:
    X, y = table
    classes = np.digitize(y, [-1.0, 1.0])
    coefficients = np.random.default_rng(4).normal(size=(3, 5)) / 10
    centre = np.append(X.mean(axis=0), y.mean())
    cases: list[tuple[BlockSums, Any]] = [
        (ColumnSums(), y),
        (Products(centre), y),
        (Slopes(centre[:-1], coefficients), classes),
        (Slopes(centre[:-1], coefficients[:1]), (classes > 0).astype(int)),
    ]
    for kind, target in cases:
        for one, other in zip(sums_of(kind, X, target, 1), sums_of(kind, X, target, parts), strict=True):
            assert one.tobytes() == other.tobytes()


def test_sums_are_those_of_numpy(table: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = table
    assert sums_of(ColumnSums(), X, y, 3)[0] == pytest.approx([ROWS, *X.sum(axis=0), y.sum()], rel=1e-12)
    centre = np.append(X.mean(axis=0), y.mean())
    Z = np.column_stack([np.ones(ROWS), X - centre[:-1], y - centre[-1]])
    found = np.triu(sums_of(Products(centre), X, y, 3)[0])
    assert found == pytest.approx(np.triu(Z.T @ Z), rel=1e-9, abs=1e-6)


def test_slopes_are_those_of_the_likelihood(table: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = table
    labels = np.digitize(y, [-1.0, 1.0])
    centre = X.mean(axis=0)
    coefficients = np.random.default_rng(4).normal(size=(3, 5)) / [1, 1, 1e3, 1e-3, 1]
    gradient, curvature = sums_of(Slopes(centre, coefficients), X, labels, 3)
    Z = np.column_stack([np.ones(ROWS), X - centre])
    scores = Z @ coefficients.T
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    assert gradient == pytest.approx((p - np.eye(3)[labels]).T @ Z, rel=1e-8, abs=1e-7)
    blocks = curvature.reshape(3, 5, 3, 5)
    for k in range(3):
        for other in range(k, 3):
            w = p[:, k] * ((k == other) - p[:, other])
            assert np.triu(blocks[k, :, other]) == pytest.approx(np.triu((Z * w[:, None]).T @ Z), rel=1e-8, abs=1e-7)
    assert not blocks[1, :, 0].any()
