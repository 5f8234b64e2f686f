"""What one fit of each family costs: seconds on one core, by formula from rows trained on, columns and classes.

A formula gives the same answer everywhere, so that what a budget lets in does not depend on the day. The constants were
read off single fits between 300 and 60,000 rows, and those of wide tables (60 rows and 10,000 columns, see
`benchmarks/speed/wide.py`) where a column costs something however few the rows; a factor of two either way is as good
as they are. Nothing here grows with the square of the columns.
"""

from __future__ import annotations

import math

MOST_NEIGHBOURS = 20_000  # rows that neighbours are sought among, drawn at random where there are more
MOST_WITH_KERNEL = 20_000  # rows of a table whose machines have a kernel; of more rows, landmarks stand for it
_ENCODING = 2e-5  # seconds a column of the encoded training part, mostly of columns that stand for a category


def baseline(rows: int, columns: int, classes: int) -> float:
    """Counting."""
    return 1e-3 + 1e-8 * rows


def naive_bayes(rows: int, columns: int, classes: int) -> float:
    """One pass a class."""
    return 2e-3 + 5e-5 * columns + 2e-8 * rows * columns * (1 + classes / 4)


def linear(rows: int, columns: int, classes: int) -> float:
    """A Gram matrix and its eigenvectors, of whichever side is smaller."""
    small, large = sorted((rows, columns))
    return 4e-3 + _ENCODING * columns + 2e-9 * large * small**2 + 2e-8 * rows * columns + 1e-8 * small**3


def logistic(rows: int, columns: int, classes: int) -> float:
    """Some tens of passes in the core; more for a weak penalty, for many classes and for many directions to go."""
    directions = min(rows, columns)
    return 1e-3 + 2e-8 * rows * columns * max(1.0, classes / 2) * (1 + math.sqrt(directions) / 8)


def perceptron(rows: int, columns: int, classes: int) -> float:
    """A few epochs for each class."""
    return 2e-3 + 1e-5 * columns + 3e-8 * rows * columns * (1 if classes <= 2 else classes)


def knn(rows: int, columns: int, classes: int) -> float:
    """All pairs of held-out and training rows; an outer trial's training rows are searched too."""
    pairs = 0.46 * rows * min(rows, MOST_NEIGHBOURS)
    return 2e-3 + _ENCODING * columns + pairs * (1e-9 + 2.6e-10 * columns)


def knn_searched(pairs: float, trials: int, columns: int) -> float:
    """All trials, that look at so many pairs of rows."""
    return trials * (2e-3 + _ENCODING * columns) + pairs * (1e-9 + 2.6e-10 * columns)


def knn_lists(rows: int, columns: int) -> float:
    """Who is near whom, once for all trials."""
    return 5e-6 * rows + rows**2 * (5e-10 + 1e-10 * columns)


def knn_ordered(rows: int, columns: int) -> float:
    """A trial's own order of those that are near, and the losses of an outer trial's training rows."""
    return 1e-3 + rows * (6e-7 + 1e-8 * columns)


def tree(rows: int, columns: int, classes: int) -> float:
    """One pass over the bins of every column at every level, and twenty levels of predictions."""
    return 2e-3 + 1e-5 * columns + (3e-9 * columns + 8e-8) * rows * math.log2(rows + 2) * _by_classes(classes)


def bagging(rows: int, columns: int, classes: int) -> float:
    """Two hundred trees that look at every column."""
    return 0.02 + 2 * _hundred_trees(rows, columns, classes)


def forest(rows: int, columns: int, classes: int) -> float:
    """A hundred trees; q runs from 1 to all columns, a good third of them on average."""
    return 0.01 + _hundred_trees(rows, 0.37 * columns, classes)


def extra_trees(rows: int, columns: int, classes: int) -> float:
    """A hundred trees that draw one cut a column: no search for the best, and deeper for it."""
    return 0.01 + _hundred_trees(rows, 0.37 * columns, classes)


def forest_rc(rows: int, columns: int, classes: int) -> float:
    """A forest whose candidates are computed from the raw values in every node."""
    return 0.02 + 4 * _hundred_trees(rows, 0.37 * columns, classes)


def svm(rows: int, columns: int, classes: int) -> float:
    """Between quadratic and cubic, mostly of the kernel machines; linear ones of many classes, by their pairs."""
    pairs = max(1, classes * (classes - 1) // 2)
    return 2e-3 + 6e-4 * pairs + 5e-6 * columns + 7e-9 * rows**2 * (1 + columns / 60) * (1 + rows / 4000)


def svm_by_landmarks(rows: int, columns: int, classes: int) -> float:
    """The mean of a linear machine and one on landmarks, of 20,000 rows at most; all rows are compared with these."""
    drawn = min(rows, MOST_WITH_KERNEL)
    return 0.1 + max(1, classes - 1) * drawn * (3e-5 + 1e-7 * columns) + 4e-6 * rows


def neural_net(rows: int, columns: int, classes: int) -> float:
    """One net for some thirty epochs; a number becomes a dozen columns, of a wide table fewer."""
    encoded = columns * (1 + min(12.0, 4096 / columns))
    return 3e-3 + 5e-5 * columns + rows * (1e-5 + 1.25e-7 * encoded + 1e-7 * classes)


def adaboost(rows: int, columns: int, classes: int) -> float:
    """Two hundred stumps on shared bins, and as many votes of every row."""
    return 4e-3 + (2e-4 + 2.2e-7 * rows) * columns + 2e-8 * rows * classes


def boosting(rows: int, columns: int, classes: int) -> float:
    """Two hundred rounds of trees of 31 leaves that look at every column."""
    return _rounds_of_trees(200, 31, 20, rows, columns, classes)


def boosting_slow(rows: int, columns: int, classes: int) -> float:
    """Sixteen hundred rounds that look at half of the columns."""
    return _rounds_of_trees(1600, 31, 8, rows, 0.5 * columns, classes)


def boosting_large(rows: int, columns: int, classes: int) -> float:
    """Twelve hundred rounds of trees of 64 leaves that look at half of the columns."""
    return _rounds_of_trees(1200, 64, 8, rows, 0.5 * columns, classes)


def boosting_small(rows: int, columns: int, classes: int) -> float:
    """Twelve hundred rounds of trees of ten leaves that look at two fifths of the columns."""
    return _rounds_of_trees(1200, 10, 5, rows, 0.4 * columns, classes)


def boosting_searched(rows: int, columns: int, classes: int) -> float:
    """A search among 9,000 rows at most, twelve settings halved twice, and eight hundred rounds of what it found."""
    among = min(rows, 9_000)
    search = _rounds_of_trees(1200, 35, 10, 2 * among // 3, 0.65 * columns, classes)
    return search + _rounds_of_trees(800, 40, 10, rows, 0.7 * columns, classes)


def other_boosting(library: str, rows: int, columns: int, classes: int) -> float:
    """Two hundred rounds of one tree a class by another library, on one thread, and what each tenth round says."""
    by_round, by_value = _LIBRARIES[library]
    trees = 200 * (1 if classes <= 2 else classes)
    return 0.05 + trees * (by_round + by_value * rows * columns)


# Seconds a tree: whatever the table, and for each value of it.
_LIBRARIES = {"lightgbm": (3e-4, 1.2e-8), "xgboost": (3e-4, 2e-8), "catboost": (2e-3, 6e-8)}


# Of what a tree of two classes costs: those of a round share what they read (2.7 to 5.8 times less was measured with 7
# and 26 classes, on columns of few values).
_OF_MANY = 0.5


def _rounds_of_trees(rounds: int, leaves: int, least: int, rows: int, looked_at: float, classes: int) -> float:
    """One tree a class and round: rows are added up, in every leaf every bin is looked at, and every row is scored."""
    trees = rounds * (1.0 if classes <= 2 else _OF_MANY * classes)
    grown = min(leaves, max(2, rows / least))
    looks = grown * min(255, rows)
    # Histograms of a wide table are not in the cache; of few rows they are, however many columns there are.
    far = 1.0 + min(3.0, looked_at / 1000, rows * looked_at / 5e6)
    return 5e-3 + trees * (5e-6 + 7e-8 * grown + (1.5e-9 * looks + 2e-9 * rows) * looked_at * far + 3.5e-8 * rows)


def _hundred_trees(rows: int, looked_at: float, classes: int) -> float:
    """Full trees on bootstrap samples, `looked_at` columns a node; those of numbers have about a leaf a row."""
    far = min(4.0, 1.0 + looked_at / 1500)  # the columns of a wide table are not in the cache
    a_row = 1.4e-6 + 1e-6 * looked_at * far
    if classes < 2:
        a_row += 9e-6 + 2e-7 * looked_at * far
    return 0.07 + 3e-4 * looked_at + a_row * rows * math.log2(rows + 2) * _by_classes(classes)


def _by_classes(classes: int) -> float:
    return 1.0 + max(0, classes - 2) / 5
