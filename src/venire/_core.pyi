"""The compiled core of venire."""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy
import numpy.typing
from numpy.typing import NDArray


def simd_level() -> str:
    """The widest vector instructions in use: 'baseline', 'avx2' or 'avx512'."""

class Ranks:
    """
    All rows sorted once, column by column; bins of any training part follow without sorting.
    """

    @staticmethod
    def of(x: numpy.typing.NDArray[Any], categorical: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], *, threads: int) -> Ranks: ...

    def bins(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, max_bins: int, threads: int) -> Bins:
        """Bins from the rows of positive weight alone; codes for all rows."""

class Bins:
    """A matrix as one byte a value."""

    @staticmethod
    def of(x: numpy.typing.NDArray[Any], categorical: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, max_bins: int, threads: int) -> Bins: ...

    @property
    def rows(self) -> int: ...

    @property
    def codes(self) -> NDArray[numpy.uint8]:
        """Codes, one line a column; 255 is missing."""

    def edges(self, column: int) -> list[float]: ...

    def bin_count(self, column: int) -> int: ...

class Forest:
    """Trees over one set of bins."""

    @staticmethod
    def grow(bins: Bins, x: numpy.typing.NDArray[Any] | None, *, classes: int, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, criterion: str, max_depth: int, min_samples_split: int, min_samples_leaf: int, min_weight_fraction_leaf: float, max_features: int, max_leaf_nodes: int, min_impurity_decrease: float, ccp_alpha: float, multiway: bool, random_cuts: bool, among_best: int, combined: int, sampling: str, draws: int, seed: int, first: int, count: int, keep_stats: bool, threads: int) -> Forest: ...

    @staticmethod
    def from_arrays(arrays: dict[str, Any]) -> Forest:
        """Checks the arrays and builds the trees."""

    def to_arrays(self) -> dict[str, Any]: ...

    def extend(self, more: Forest) -> None: ...

    def average(self, x: numpy.typing.NDArray[Any], counts: Sequence[int], *, votes: bool, threads: int) -> NDArray[numpy.float64]:
        """Means over the first so many trees: [count, row, output]."""

    def leaves(self, x: numpy.typing.NDArray[Any], *, threads: int) -> NDArray[numpy.int32]:
        """The node in which each row ends: [row, tree]."""

    def out_of_bag(self, bins: Bins, x: numpy.typing.NDArray[Any] | None, *, classes: int, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, sampling: str, draws: int, seed: int, votes: bool, threads: int) -> NDArray[numpy.float64]:
        """Means over the trees that did not see a row; NaN where all did."""

    def levels(self, x: numpy.typing.NDArray[Any], alphas: Sequence[float], *, threads: int) -> NDArray[numpy.float64]:
        """A single tree at pruning levels: [level, row, output]."""

    def pruning_path(self) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
        """Levels and the impurity of the leaves at each."""

    def pruned(self, alpha: float) -> Forest: ...

    def importances(self) -> NDArray[numpy.float64]:
        """Decrease of impurity by tree and column."""

    def describe(self, tree: int) -> list[dict[str, Any]]: ...

    def sizes(self, tree: int) -> tuple[int, int, int]:
        """Nodes, leaves, depth."""

    @property
    def trees(self) -> int: ...

    def __getstate__(self) -> dict[str, Any]: ...

    def __setstate__(self, arg: dict[str, Any], /) -> None: ...

def in_bag(bins: Bins, *, classes: int, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, sampling: str, draws: int, seed: int, count: int) -> NDArray[numpy.uint8]:
    """Which rows each tree's sample holds: [tree, row]."""

def code_scan(x: numpy.typing.NDArray[Any], columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, threads: int) -> tuple[NDArray[numpy.int64], int]:
    """
    The highest code of each column (-1: none), and the first column that holds no codes (-1: none).
    """

def bayes_sums(x: numpy.typing.NDArray[Any], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, classes: int, numeric: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], counted: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], origin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categories: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]]:
    """
    Weight, mean and squares [class, numeric]; table [category, class]; sums [class, counted].
    """

def bayes_scores(x: numpy.typing.NDArray[Any], *, numeric: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], counted: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], origin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categories: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], prior: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], steepness: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], height: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], rates: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int) -> NDArray[numpy.float64]:
    """Joint logarithms of classes and rows: [row, class]."""

def nearest(points: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], queries: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], *, k: int, skip_self: bool, threads: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.float64]]:
    """
    The k nearest points of each query, nearest first: row numbers and squared distances.
    """
