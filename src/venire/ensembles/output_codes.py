"""Error-correcting output codes: classes get code words, and a two-class model learns each bit of them."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from venire.ensembles.base import MetaClassifier
from venire.ensembles.members import Named, default_tree
from venire.ensembles.two_class import ask_all, fit_columns
from venire.errors import DataError, UsageError
from venire.sklearn_private import Interval, StrOptions
from venire.states.checked import CLASSES, FEATURES, Fitted
from venire.states.constraints import array, learner, sequence

Floats = NDArray[np.float64]
Bits = NDArray[np.int8]

CERTAIN = 1e-3  # no bit is believed more firmly than this leaves room for: one sure and wrong bit must be correctable
TRIES = 100  # random code books looked at; the one with the farthest words is taken
MOST_EXHAUSTIVE = 11  # classes: 2^(K−1) − 1 bits, 1,023 for eleven


class OutputCodes(MetaClassifier):
    """An ensemble that varies the labels: every member tells one random group of classes from the others.

    Each bit of a code is learned by a copy of `estimator`. A row gets the class whose word fits best what the members
    say: with words c and bits' probabilities q that is Π q^c (1 − q)^(1 − c), for members that give labels only it is
    the word with the fewest differing bits. Wrong bits are corrected as long as fewer than half of the least distance
    are wrong. Under class weights every leaf of the default tree holds at least a hundredth of all weight; give a tree
    of your own its `min_weight_fraction_leaf`.

    scikit-learn's `OutputCodeClassifier` draws one random book, takes no weights and gives no probabilities.

    Parameters
    ----------
    estimator
        Any two-class learner, by default a tree.
    code
        `"random"` (the best of a hundred random code books by the distance between its nearest words) or
        `"exhaustive"` (every division of K ≤ 11 classes in two).
    code_size
        Bits of a random code, over the number of classes.
    class_weight
        A dict of weights by class, or `"balanced"`; multiplies the example weights.
    costs
        A matrix `[actual][predicted]`; `predict` then gives the class of least expected cost.
    n_jobs
        How many members are fitted at once; it changes nothing but the time.
    random_state
        A seed or a random generator; None for another result each time.

    Attributes
    ----------
    code_book_
        The words, `[class, bit]`.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> codes = OutputCodes(code_size=3.0, random_state=0).fit(X[:900], y[:900])
    >>> codes.code_book_.shape, codes.score(X[900:], y[900:]) > 0.85
    ((10, 30), True)
    """

    _fitted_constraints: ClassVar[Fitted] = {
        **FEATURES,
        **CLASSES,
        "code_book_": array("i1", "classes", "members", low=0, below=2),
        "estimators_": sequence(learner, "members"),
    }
    _members_say: ClassVar[tuple[int, ...] | None] = (0, 1)
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": "no_validation",
        "code": [StrOptions({"random", "exhaustive"})],
        "code_size": [Interval(Real, 0, None, closed="neither")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "costs": ["array-like", None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    code_book_: Bits
    estimators_: list[Any]

    def __init__(
        self,
        estimator: Any = None,
        *,
        code: str = "random",
        code_size: float = 1.5,
        class_weight: Any = None,
        costs: ArrayLike | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.code = code
        self.code_size = code_size
        self.class_weight = class_weight
        self.costs = costs
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _members(self) -> Named:
        return [("estimator", default_tree(self.class_weight) if self.estimator is None else self.estimator)]

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Draw the code book and learn its bits."""
        self._check_parameters()
        X, y, weights = self._read(X, y, sample_weight)
        classes = len(self.classes_)
        if classes < 2:
            raise DataError("output codes need at least two classes, and the target has one class", code="one_class")
        if self.code == "exhaustive":
            self.code_book_ = exhaustive_code(classes)
        else:
            bits = max(int(np.ceil(np.log2(classes))), round(self.code_size * classes))
            seed = check_random_state(self.random_state).randint(2**31 - 1)
            self.code_book_ = random_code(classes, bits, np.random.default_rng(seed))
        ((name, member),) = self._members()
        params = self._routed(weights, fit_params)[name]
        words = self.code_book_[self._codes(y)]
        targets = ((f"bit {b}", words[:, b].astype(np.intp)) for b in range(words.shape[1]))
        self.estimators_ = fit_columns(member, X, targets, params, self.n_jobs)
        return self

    def bits(self, X: Any) -> Floats:
        """What the members say of each bit, [row, bit]."""
        X = self._rows(X)
        return ask_all(self.estimators_, X, self._members()[0][1], self.n_jobs)

    def predict_proba(self, X: Any) -> Floats:
        """How well each class's word fits the bits, taken as independent; sums to one."""
        believed = np.clip(self.bits(X), CERTAIN, 1 - CERTAIN)
        fit = np.zeros((len(believed), len(self.classes_)))
        for b, bit in enumerate(self.code_book_.T):  # in order: the same sum whatever the machine
            fit += np.where(bit, np.log(believed[:, b, None]), np.log1p(-believed[:, b, None]))
        likely = np.exp(fit - fit.max(axis=1, keepdims=True))
        return np.asarray(likely / likely.sum(axis=1, keepdims=True))


def exhaustive_code(classes: int) -> Bits:
    """All 2^(K−1) − 1 divisions of the classes in two.

    >>> exhaustive_code(3)
    array([[1, 1, 1],
           [0, 0, 1],
           [0, 1, 0]], dtype=int8)
    """
    if classes > MOST_EXHAUSTIVE:
        raise UsageError(
            f"an exhaustive code for {classes} classes has {2 ** (classes - 1) - 1} bits",
            hint=f"use code='random' for more than {MOST_EXHAUSTIVE} classes",
        )
    numbers = np.arange(2 ** (classes - 1) - 1)
    rest = (numbers >> np.arange(classes - 2, -1, -1)[:, None]) & 1
    return np.vstack([np.ones(len(numbers), dtype=np.int8), rest]).astype(np.int8)


def random_code(classes: int, bits: int, rng: np.random.Generator) -> Bits:
    """A random code book in which every bit divides the classes and no two words are equal.

    Of many books the one whose nearest words are farthest apart corrects the most errors.
    """
    best, reached = None, 0
    for _ in range(TRIES):
        book = _divided(classes, bits, rng)
        distance = least_distance(book)
        if distance > reached:
            best, reached = book, distance
    if best is None:
        # So few bits that chance left two words equal each time: count the classes in binary instead.
        best = ((np.arange(classes)[:, None] >> np.arange(bits)) & 1).astype(np.int8)
    return best


def _divided(classes: int, bits: int, rng: np.random.Generator) -> Bits:
    """Every column a random division that leaves classes on both sides."""
    book = rng.integers(0, 2, (classes, bits), dtype=np.int8)
    for b in np.flatnonzero((book == book[0]).all(axis=0)):
        book[rng.integers(classes), b] ^= 1
    return book


def least_distance(book: Bits) -> int:
    """The number of bits in which the two most similar words differ.

    >>> least_distance(np.array([[0, 0, 1], [0, 1, 0], [1, 1, 1]], dtype=np.int8))
    2
    """
    differing = (book[:, None, :] != book[None, :, :]).sum(axis=2)
    return int(differing[~np.eye(len(book), dtype=bool)].min())
