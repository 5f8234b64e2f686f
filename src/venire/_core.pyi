"""The compiled core of venire."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, overload

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

class BlockBinner:
    """
    Bins of a table that comes in blocks, column by column: taken, cut, then encoded.
    """

    @staticmethod
    def of(rows: int, columns: int, *, max_bins: int) -> BlockBinner: ...

    def take(self, column: int, values: numpy.typing.NDArray[Any], kept: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None:
        """Values that are next in a column; of bytes, 255 is missing."""

    def take_weighed(self, column: int, values: numpy.typing.NDArray[Any], units: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> None:
        """The same with what each row weighs, in whole units."""

    def cut(self, column: int, *, categorical: bool) -> None:
        """All of a column was taken."""

    def cuts(self, column: int) -> tuple[list[float], list[float], float, float]:
        """Edges, centers, mean and deviation of a numeric column that was cut."""

    def adopt(self, column: int, edges: Sequence[float], centers: Sequence[float], mean: float, deviation: float) -> None:
        """
        A numeric column as it was cut elsewhere, from more rows than are here.
        """

    def encode(self, column: int, first: int, values: numpy.typing.NDArray[Any]) -> None:
        """The codes of these rows of a cut column."""

    def put(self, column: int, first: int, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """The codes of rows that were encoded elsewhere, by the same cuts."""

    def finish(self) -> Bins:
        """The bins; the binner is empty then."""

def weight_units(weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, total: float | None = None, whole: bool = False) -> NDArray[numpy.int64]:
    """
    Weights in whole units, as bins count them; of some of many rows, by what all of them weigh in `total`, and whether all are whole numbers.
    """

class Edges:
    """
    Where the columns of a matrix are cut into bins, without a byte a value.
    """

    @staticmethod
    def of(x: numpy.typing.NDArray[Any], categorical: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, max_bins: int, threads: int) -> Edges: ...

class Bins:
    """A matrix as one byte a value."""

    @staticmethod
    def of(x: numpy.typing.NDArray[Any], categorical: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, max_bins: int, threads: int) -> Bins: ...

    @staticmethod
    def beside(parts: Sequence[Bins]) -> Bins:
        """The columns of parts with the same rows, side by side."""

    @staticmethod
    def of_sparse(rows: int, start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], row: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, max_bins: int, threads: int) -> Bins:
        """
        A matrix of numbers by columns (CSC, rows ascending); only cells unlike zero are kept.
        """

    def dense(self, *, threads: int) -> Bins:
        """Sparse bins with a code for every cell."""

    @property
    def is_sparse(self) -> bool: ...

    @property
    def rows(self) -> int: ...

    @property
    def codes(self) -> NDArray[numpy.uint8]:
        """Codes, one line a column; 255 is missing."""

    def edges(self, column: int) -> list[float]: ...

    def bin_count(self, column: int) -> int: ...

def count_keys(column: numpy.typing.NDArray[Any], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, known: int, prefixes: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], wanted: int) -> tuple[NDArray[numpy.uint64], NDArray[numpy.int64]]:
    """
    Of the values of a column whose keys begin with one of some prefixes of `known` bits: their first `wanted` bits, ascending, and how often each is there.
    """

def bin_ends(weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, max_bins: int) -> NDArray[numpy.uint64]:
    """
    Which of the values of a column, by number, end a bin, from the weights of all of them in ascending order.
    """

def code_scan(x: numpy.typing.NDArray[Any], columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, threads: int) -> tuple[NDArray[numpy.int64], int]:
    """
    The highest code of each column (-1: none), and the first column that holds no codes (-1: none).
    """

class Forest:
    """Trees over one set of bins."""

    @staticmethod
    def grow(bins: Bins | Edges, x: numpy.typing.NDArray[Any] | None, *, classes: int, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, criterion: str, max_depth: int, min_samples_split: int, min_samples_leaf: int, min_weight_fraction_leaf: float, max_features: int, skip_constant: bool, max_leaf_nodes: int, min_impurity_decrease: float, ccp_alpha: float, multiway: bool, random_cuts: bool, among_best: int, combined: int, sampling: str, draws: int, seed: int, first: int, count: int, keep_stats: bool, targets: int = 1, joint: int = 0, threads: int) -> Forest: ...

    def out_of_bag(self, bins: Bins, x: numpy.typing.NDArray[Any] | None, *, classes: int, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, sampling: str, draws: int, seed: int, votes: bool, threads: int) -> NDArray[numpy.float64]:
        """Means over the trees that did not see a row; NaN where all did."""

    def average(self, x: numpy.typing.NDArray[Any], counts: Sequence[int], *, votes: bool, threads: int) -> NDArray[numpy.float64]:
        """Means over the first so many trees: [count, row, output]."""

    def average_coded(self, bins: Bins, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Sequence[int], *, votes: bool, threads: int) -> NDArray[numpy.float64]:
        """The same for rows that are coded already, by their numbers."""

    def votes(self, x: numpy.typing.NDArray[Any], weights: Sequence[float], counts: Sequence[int], *, threads: int) -> NDArray[numpy.float64]:
        """
        Weight of the first so many trees that say each class: [count, row, class].
        """

    def votes_coded(self, bins: Bins, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Sequence[float], counts: Sequence[int], *, threads: int) -> NDArray[numpy.float64]:
        """The same for rows that are coded already, by their numbers."""

    def leaves(self, x: numpy.typing.NDArray[Any], *, threads: int) -> NDArray[numpy.int32]:
        """The node in which each row ends: [row, tree]."""

    def leaves_coded(self, bins: Bins, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, threads: int) -> NDArray[numpy.int32]:
        """The same for rows that are coded already, by their numbers."""

    def encode(self, rows: int, start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], row: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, threads: int) -> Bins:
        """
        The codes of a sparse matrix by columns (CSC, rows ascending), in the bins of these trees.
        """

    def levels(self, x: numpy.typing.NDArray[Any], alphas: Sequence[float], *, threads: int) -> NDArray[numpy.float64]:
        """A single tree at pruning levels: [level, row, output]."""

    def levels_coded(self, bins: Bins, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, by: str, levels: Sequence[float], threads: int) -> NDArray[numpy.float64]:
        """
        A single tree at levels of pruning, depth (minus the depth) or rows (one less than the fewest split): [level, row, output].
        """

    def shap(self, x: numpy.typing.NDArray[Any], background: numpy.typing.NDArray[Any], *, trees: int, outputs: int, votes: bool, scale: float, threads: int) -> NDArray[numpy.float64]:
        """Shapley values against a background: [row, column, output]."""

    @staticmethod
    def from_arrays(arrays: dict[str, Any]) -> Forest:
        """Checks the arrays and builds the trees."""

    def to_arrays(self) -> dict[str, Any]: ...

    def extend(self, more: Forest) -> None: ...

    @staticmethod
    def joined(forests: Sequence[Forest]) -> Forest:
        """The trees of forests over the same bins, one after the other."""

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

def drawn_rows(rows: int, *, sampling: str, draws: int, seed: int, tree: int) -> NDArray[numpy.int32]:
    """
    The rows of one tree's sample, ascending, as often as each was drawn; all rows have weight.
    """

def bayes_sums(x: numpy.typing.NDArray[Any], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, classes: int, numeric: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], counted: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], origin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categories: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]]:
    """
    Weight, mean and squares [class, numeric]; table [category, class]; sums [class, counted].
    """

def bayes_moments(x: numpy.typing.NDArray[Any], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, numeric: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], origin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], state: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')]) -> None:
    """
    Adds rows to the moments of a block: weights, centres (NaN: none yet), sums and squares by class and column.
    """

def bayes_scores(x: numpy.typing.NDArray[Any], *, numeric: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], counted: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], origin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categories: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], prior: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], steepness: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], height: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], rates: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int) -> NDArray[numpy.float64]:
    """Joint logarithms of classes and rows: [row, class]."""

def bayes_path(x: numpy.typing.NDArray[Any], rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], shares: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu')], labels: Annotated[NDArray[numpy.int16], dict(shape=(None, None), order='C', device='cpu')], *, first: int, last: int, numeric: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], origin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categories: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu', writable=False)], prior: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], steepness: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], height: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)]) -> None:
    """
    Write the probabilities [model, row, class] and the likeliest class [model, row] of rows[first:last].
    """

def add_products(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Adds the cross-products of columns to the upper triangle of `out`, row by row.
    """

def add_logistic(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, coefficients: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], gradient: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], curvature: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Adds the gradient and the curvature of the negative log-likelihood at these coefficients, row by row; of the curvature the upper triangle of each block of two outputs, the first not after the second.
    """

def nearest(points: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], queries: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], *, k: int, skip_self: bool, threads: int) -> tuple[NDArray[numpy.int64], NDArray[numpy.float64]]:
    """
    The k nearest points of each query, nearest first: row numbers and squared distances.
    """

def near_lists(points: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, length: int) -> tuple[NDArray[numpy.int32], NDArray[numpy.float32]]:
    """
    For some rows the points near them, in order: row numbers and squared distances in single precision.
    """

def scaled_rows(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], *, origin: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], offset: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], spread: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]:
    """((x - origin) - offset) / spread."""

def listed_nearest(points: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], *, near: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], squared: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], norm: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], counted: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], shrink: float, k: int) -> tuple[NDArray[numpy.int64], int]:
    """
    The k nearest of some rows among those eligible, read off lists, and for how many rows all were looked at.
    """

def neighbour_votes(found: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], *, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, counts: Sequence[int]) -> tuple[NDArray[numpy.float32], NDArray[numpy.int16]]:
    """
    Shares of the votes of the first k neighbours [k, row, class], and the winners [k, row].
    """

def two_class_predictions(scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], *, level: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int, second: int, classes: int) -> tuple[NDArray[numpy.float32], NDArray[numpy.int16]]:
    """
    Scores [setting, row, class] in single precision and winners [setting, row], from one score for two of the classes.
    """

def won_pairs(scores: numpy.typing.NDArray[Any], chosen: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]:
    """
    Pairs of a chosen and another row that the chosen one wins, a tie counting half, for scores [setting, row].
    """

@overload
def wrong_labels(labels: Annotated[NDArray[numpy.int16], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]: ...

@overload
def wrong_labels(labels: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]:
    """
    The number of rows whose label is not `y`: [setting], for labels [setting, row].
    """

@overload
def label_counts(labels: Annotated[NDArray[numpy.int16], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, classes: int) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]: ...

@overload
def label_counts(labels: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, classes: int) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
    """
    The (weighted) rows given each label, and those rightly: [setting, class] each, for labels [setting, row].
    """

@overload
def log_losses(shares: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, floor: float) -> NDArray[numpy.float64]: ...

@overload
def log_losses(shares: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, floor: float) -> NDArray[numpy.float64]:
    """
    The sum over rows of the log loss, for probabilities [setting, row, class] clipped to [floor, 1] and rescaled.
    """

@overload
def squared_losses(shares: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> NDArray[numpy.float64]: ...

@overload
def squared_losses(shares: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> NDArray[numpy.float64]:
    """
    The sum over rows of the squared distance from the truth, for probabilities [setting, row, class].
    """

def short_shares(outputs: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float32] | None:
    """
    The smaller share of each pair [setting, row, 2], negative where it is the first; None where that is not the whole of it.
    """

def short_scores(outputs: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float32] | None:
    """
    The second score of each pair [setting, row, 2]; None where the first is not minus it.
    """

def long_shares(kept: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float32]:
    """What `short_shares` was given."""

def long_scores(kept: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float32]:
    """What `short_scores` was given."""

def complement_shares(outputs: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C', device='cpu')]) -> None:
    """
    Where two shares add up to 1 but for rounding, make the larger one minus the smaller, in place.
    """

def label_bits(labels: Annotated[NDArray[numpy.int16], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> NDArray[numpy.uint8] | None:
    """
    Labels [setting, row] as bits, each setting from a new byte on, the first row highest; None where they are not all 0 or 1.
    """

def bit_labels(bits: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], rows: int) -> NDArray[numpy.int16]:
    """What `label_bits` was given."""

def folded_crc32(data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], start: int) -> int | None:
    """
    zlib's CRC-32 of bytes that follow others of checksum `start`; None where the processor is not made for it.
    """

def numbers_of(data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: int, delimiter: str, missing: Sequence[str], threads: int) -> NDArray[numpy.float64] | None:
    """
    A block of delimited text as numbers [column, row], NaN for the texts that mean missing; None where a field is anything but a plain number, or a row has another length.
    """

def rows_of(columns: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Sequence[str]]], rows: int, delimiter: str) -> NDArray[numpy.uint8]:
    """
    Columns as rows of delimited text: numbers in their shortest form and NaN as an empty field, and words by code (-1: empty), which are written as they are.
    """

def moment_parts(micros: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Sequence[int], threads: int) -> tuple[NDArray[numpy.float64], list[bool]]:
    """
    Microseconds since 1970 (NaT: missing) as some of their parts, [part, row], and which of these vary. Parts from 0 on: year, month, day, weekday, day of the year, hour, minute, days since 1970.
    """

class LogisticPath:
    """
    Logistic regression under falling penalties, one output for two classes, else one a class.
    """

    @staticmethod
    def of(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, *, classes: int) -> LogisticPath: ...

    def solve(self, penalty: float) -> NDArray[numpy.float64] | None:
        """
        The optimum under the next, smaller penalty: [output, 1 + column], the intercept first; None if it is out of reach.
        """

    def solve_all(self, penalties: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], cancel: Callable[[], None] | None = None) -> NDArray[numpy.float64] | None:
        """
        The same for penalties that fall, one after the other: [penalty, output, 1 + column]. Whatever `cancel()` raises, called before every step, ends it.
        """

    def gradient(self, coefficients: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]:
        """Of the negative log-likelihood, in double precision."""

def logistic_answers(x: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], coefficients: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)]) -> tuple[NDArray[numpy.float32], NDArray[numpy.int16]]:
    """
    Under penalties with coefficients [penalty, output, 1 + column]: probabilities [penalty, row, class], the likeliest class [penalty, row].
    """

class NetSettings:
    """What one member of a pack of nets is like."""

    @staticmethod
    def of(*, hidden: Sequence[int], learning_rate: float, weight_decay: float, dropout: float, smoothing: float, held: int, seed: int) -> NetSettings: ...

class NetPack:
    """
    Nets with settings of their own, trained side by side on the same batches.
    """

    @staticmethod
    def of(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, parts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, classes: int, members: Sequence[NetSettings], batch: int, patience: int, betas: tuple[float, float], seed: int) -> NetPack: ...

    @property
    def batches(self) -> int:
        """Of one epoch."""

    @property
    def stopped(self) -> bool:
        """Whether every member has stopped."""

    def run_epoch(self, factors: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, threads: int) -> NDArray[numpy.float64]:
        """
        Train all members that have not stopped; the loss of each on the part that it holds back.
        """

    def parameters(self, member: int) -> NDArray[numpy.float32]:
        """
        The weights of a member's best epoch: of each layer [value taken, unit], then the shifts.
        """

    def best_epoch(self, member: int) -> int: ...

def net_predict(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], sizes: Sequence[int], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, classes: bool, threads: int) -> NDArray[numpy.float32]:
    """What a net says: probabilities [row, class], or values [row, 1]."""

class NetColumns:
    """Columns of a table as nets want them."""

    @staticmethod
    def of(*, numeric: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], centre: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], spread: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], gaps: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], edges: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], categorical: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], level_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], levels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NetColumns: ...

    @property
    def width(self) -> int:
        """How many columns a net sees."""

    def write(self, x: numpy.typing.NDArray[Any]) -> NDArray[numpy.float32]:
        """These rows for a net: [row, width]."""

def sum_nets(columns: NetColumns, x: numpy.typing.NDArray[Any], sizes: Sequence[int], weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], *, classes: bool, threads: int) -> NDArray[numpy.float64]:
    """
    The sum of what nets with these weights [net, weight] say of rows of a table: [row, output].
    """

def net_gradient(x: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], sizes: Sequence[int], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, row_weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, smoothing: float) -> tuple[float, NDArray[numpy.float32]]:
    """The mean loss of all rows, and its gradient by the weights."""

class BoostPlan:
    """The settings of a boosting."""

    def __init__(self) -> None: ...

    @property
    def loss(self) -> str: ...

    @loss.setter
    def loss(self, arg: str, /) -> None: ...

    @property
    def alpha(self) -> float: ...

    @alpha.setter
    def alpha(self, arg: float, /) -> None: ...

    @property
    def outputs(self) -> int: ...

    @outputs.setter
    def outputs(self, arg: int, /) -> None: ...

    @property
    def learning_rate(self) -> float: ...

    @learning_rate.setter
    def learning_rate(self, arg: float, /) -> None: ...

    @property
    def subsample(self) -> float: ...

    @subsample.setter
    def subsample(self, arg: float, /) -> None: ...

    @property
    def colsample(self) -> float: ...

    @colsample.setter
    def colsample(self, arg: float, /) -> None: ...

    @property
    def top_share(self) -> float: ...

    @top_share.setter
    def top_share(self, arg: float, /) -> None: ...

    @property
    def other_share(self) -> float: ...

    @other_share.setter
    def other_share(self, arg: float, /) -> None: ...

    @property
    def levels(self) -> int: ...

    @levels.setter
    def levels(self, arg: int, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def keep_losses(self) -> bool: ...

    @keep_losses.setter
    def keep_losses(self, arg: bool, /) -> None: ...

    @property
    def max_leaf_nodes(self) -> int: ...

    @max_leaf_nodes.setter
    def max_leaf_nodes(self, arg: int, /) -> None: ...

    @property
    def max_depth(self) -> int: ...

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

    @property
    def min_samples_split(self) -> int: ...

    @min_samples_split.setter
    def min_samples_split(self, arg: int, /) -> None: ...

    @property
    def max_features(self) -> int: ...

    @max_features.setter
    def max_features(self, arg: int, /) -> None: ...

    @property
    def min_samples_leaf(self) -> float: ...

    @min_samples_leaf.setter
    def min_samples_leaf(self, arg: float, /) -> None: ...

    @property
    def count_rows(self) -> bool: ...

    @count_rows.setter
    def count_rows(self, arg: bool, /) -> None: ...

    @property
    def rows_by_hessian(self) -> bool: ...

    @rows_by_hessian.setter
    def rows_by_hessian(self, arg: bool, /) -> None: ...

    @property
    def group_share(self) -> float: ...

    @group_share.setter
    def group_share(self, arg: float, /) -> None: ...

    @property
    def min_hessian(self) -> float: ...

    @min_hessian.setter
    def min_hessian(self, arg: float, /) -> None: ...

    @property
    def l2_regularization(self) -> float: ...

    @l2_regularization.setter
    def l2_regularization(self, arg: float, /) -> None: ...

    @property
    def l1_regularization(self) -> float: ...

    @l1_regularization.setter
    def l1_regularization(self, arg: float, /) -> None: ...

    @property
    def min_split_gain(self) -> float: ...

    @min_split_gain.setter
    def min_split_gain(self, arg: float, /) -> None: ...

class Booster:
    """
    Boosting under way: the trees so far and the scores of the training rows.
    """

    @staticmethod
    def of(bins: Bins, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], monotone: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], plan: BoostPlan, *, threads: int, take: bool = False) -> Booster:
        """
        Rows of weight 0 are only kept up to date; an empty start is the loss's own. With `take` the bins are the booster's from now on, which saves memory: what was given holds no table any more.
        """

    @staticmethod
    def of_part(bins: Bins, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], monotone: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], plan: BoostPlan, *, first: Sequence[int], part: int, add: Callable[[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]], threads: int) -> Booster:
        """
        One of several that grow the same trees, each on its own part of the rows. `first` has the first row of each part, and all rows; `add(numbers)` gives the sums over all parts.
        """

    def advance(self, rounds: int, *, threads: int, go_on: Callable[[], bool] | None = None) -> None:
        """
        Adds rounds by the plan's loss, no more once `go_on()`, asked after each, is false.
        """

    def advance_by(self, gradients: Callable[[], tuple[Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]]], rounds: int, *, threads: int, go_on: Callable[[], bool] | None = None) -> None:
        """
        Adds rounds on what `gradients()` gives before each: gradients and hessians, [output, row].
        """

    def resume(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], round: int) -> None:
        """
        Goes on from scores [output, row], as after so many rounds; before the first round of its own.
        """

    def losses(self) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]]:
        """
        With `keep_losses`, the mean losses after every round: of its rows, of the others, and of those before it.
        """

    @property
    def start(self) -> list[float]: ...

    def scores(self) -> NDArray[numpy.float64]:
        """The present scores: [output, row]."""

    def forest(self) -> Forest:
        """The trees so far, as many a round as there are outputs."""

def loss_gradients(loss: str, alpha: float, y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], *, threads: int) -> tuple[NDArray[numpy.float32], NDArray[numpy.float32]]:
    """Gradients and hessians at scores [output, row]."""

def boosted_sums(forest: Forest, x: numpy.typing.NDArray[Any], start: Sequence[float], rounds: Sequence[int], *, threads: int) -> NDArray[numpy.float64]:
    """Scores after the first so many rounds: [place, row, output]."""

def boosted_sums_coded(forest: Forest, bins: Bins, start: Sequence[float], rounds: Sequence[int], *, threads: int) -> NDArray[numpy.float64]:
    """The same for the rows of a table that is coded already."""

class AdaMembers:
    """
    Members of AdaBoost: a tree for the weights of the examples, on one set of bins.
    """

    @staticmethod
    def two_classes(bins: Bins, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, max_depth: int, max_leaf_nodes: int, min_samples_leaf: float, threads: int) -> AdaMembers: ...

    @staticmethod
    def stumps(bins: Bins, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, classes: int, threads: int) -> AdaMembers:
        """Stumps by Gini impurity on numeric columns."""

    def grow(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Forest, NDArray[numpy.bool_]]:
        """The tree for these weights, and which rows it gets wrong."""

def vote_shares(votes: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], places: Sequence[int]) -> tuple[NDArray[numpy.float32], NDArray[numpy.int16]]:
    """
    Class probabilities, in proportion to exp(2 votes), and the largest of them, for some places of votes [place, row, class].
    """

class AdaBoosting:
    """AdaBoost under way: the members kept so far."""

    @staticmethod
    def of(members: AdaMembers, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, total: float, samme: bool, when_weak: str) -> AdaBoosting:
        """Weights of these rows that sum to one; `total` is what they summed to."""

    def advance(self, rounds: int) -> bool:
        """At most so many rounds more; false once there is no next one."""

    def forest(self) -> Forest:
        """The members kept; the first alone, if none was better than guessing."""

    @property
    def alphas(self) -> list[float]: ...

    @property
    def errors(self) -> list[float]: ...

    @property
    def alone(self) -> bool: ...
