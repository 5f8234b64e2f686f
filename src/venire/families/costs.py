"""What one fit of each family costs: seconds on one core, by formula from rows trained on, columns and classes.

A formula gives the same answer everywhere, so that what a budget lets in does not depend on the day. The constants were
read off single fits between 300 and 60,000 rows; a factor of two either way is as good as they are.
"""

from __future__ import annotations

import math


def baseline(rows: int, columns: int, classes: int) -> float:
    """Counting."""
    return 1e-3 + 1e-8 * rows


def naive_bayes(rows: int, columns: int, classes: int) -> float:
    """One pass a class."""
    return 2e-3 + 2e-8 * rows * columns * (1 + classes / 4)


def linear(rows: int, columns: int, classes: int) -> float:
    """A Gram matrix and its factorisation."""
    return 3e-3 + 3e-9 * rows * columns**2 + 1e-8 * rows * columns + 1e-9 * columns**3


def logistic(rows: int, columns: int, classes: int) -> float:
    """Some tens of passes; more for a weak penalty and for many classes."""
    return 3e-3 + 6e-8 * rows * columns * max(1.0, classes / 2) * (1 + math.sqrt(columns) / 8)


def perceptron(rows: int, columns: int, classes: int) -> float:
    """A few epochs for each class."""
    return 2e-3 + 3e-8 * rows * columns * (1 if classes <= 2 else classes)


def knn(rows: int, columns: int, classes: int) -> float:
    """A tree search in few dimensions, all pairs in many; the rows trained on are searched too."""
    pairs = 1.3 * rows**2
    return 3e-3 + pairs * (1e-9 + 3e-10 * columns)


def tree(rows: int, columns: int, classes: int) -> float:
    """Sort every column at every level."""
    return 3e-3 + 3e-8 * rows * columns * math.log2(rows + 2) * (1 + classes / 50)


def forest(rows: int, columns: int, classes: int) -> float:
    """A hundred trees on a share of the columns; q runs up to all of them, so take the middle."""
    return 0.08 + 30 * tree(rows, columns, classes)


def svm(rows: int, columns: int, classes: int) -> float:
    """Kernel rows, again and again: between quadratic and cubic."""
    return 4e-3 + 3e-8 * rows**2 * (1 + columns / 20) * (1 + rows / 4000)


def neural_net(rows: int, columns: int, classes: int) -> float:
    """Two hundred epochs at most."""
    return 0.05 + 1.2e-5 * rows * (8 + columns) * 1.2


def adaboost(rows: int, columns: int, classes: int) -> float:
    """Two hundred stumps, and their votes after each round."""
    return 0.4 + 2e-5 * rows * columns / 1.5 + 4e-7 * rows * classes * 200


def boosting(rows: int, columns: int, classes: int) -> float:
    """Two hundred rounds of one tree a class."""
    trees = 200 * (1 if classes <= 2 else classes)
    return 0.1 + trees * (6e-4 + 4e-9 * rows * columns + 2e-8 * rows)
