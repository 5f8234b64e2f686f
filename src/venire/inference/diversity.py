"""How much the members of an ensemble differ: agreement, κ, and the correlation ρ of their errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from venire.errors import UsageError
from venire.inference.theory import average_variance

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Diversity:
    """Pairwise figures of the members of an ensemble of classifiers."""

    agreement: Floats  # [member, member]: share of the rows on which both say the same
    kappa: Floats  # [member, member]: Cohen's κ, agreement beyond chance
    error: Floats  # [member]

    @property
    def disagreement(self) -> Floats:
        """The share of the rows on which two members differ: [member, member]."""
        return 1.0 - self.agreement

    @property
    def mean_agreement(self) -> float:
        """The mean over pairs."""
        return float(_pairs(self.agreement).mean())

    @property
    def mean_kappa(self) -> float:
        """The mean over pairs."""
        return float(_pairs(self.kappa).mean())

    @property
    def kappa_error(self) -> Floats:
        """One point a pair of members, (κ, mean error of the two): low and left is a good ensemble."""
        return np.column_stack([_pairs(self.kappa), _pairs((self.error[:, None] + self.error) / 2)])


@dataclass(frozen=True, slots=True)
class MemberCorrelation:
    """How the errors of members vary together over rows."""

    rho: float  # mean covariance of two members over the mean variance of one
    variance: float  # mean variance of one member's errors
    members: int

    @property
    def average_variance(self) -> float:
        """The variance of the averaged prediction's errors: ρσ² + (1 − ρ)σ²/ℓ, exactly."""
        return average_variance(self.variance, self.rho, self.members)


def diversity(ensemble: Any, X: Any, y: Any) -> Diversity:
    """Pairwise agreement, κ and errors of the members of an ensemble of classifiers on these rows.

    `ensemble` is a fitted ensemble, a list of fitted classifiers, or what members predict: labels [member, row].

    >>> votes = np.array([[0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 1, 0]])
    >>> found = diversity(votes, None, [0, 0, 1, 1])
    >>> found.agreement[0].tolist(), found.kappa[0].tolist(), found.error.tolist()
    ([1.0, 0.75, 0.75], [1.0, 0.5, 0.5], [0.0, 0.25, 0.25])
    """
    target = np.asarray(y)
    labels = member_labels(ensemble, X)
    if labels.shape != (len(labels), len(target)):
        raise UsageError(f"the members' labels have shape {labels.shape}, and there are {len(target)} rows")
    if len(labels) < 2:
        raise UsageError("diversity is between members, and there is one", hint="give an ensemble of two or more")
    both, chance = np.zeros((2, len(labels), len(labels)))
    for label in np.unique(labels):
        says = (labels == label).astype(np.float64)
        share = says.mean(axis=1)
        both += says @ says.T / len(target)
        chance += np.outer(share, share)
    # Two members that always say the same one class agree by chance alone, and agree fully: κ is 1.
    room = 1.0 - chance
    kappa = np.divide(both - chance, room, out=np.ones_like(both), where=room > 1e-12)
    return Diversity(both, kappa, (labels != target).mean(axis=1))


def member_correlation(ensemble: Any, X: Any, y: Any) -> MemberCorrelation:
    """The measured ρ of a fitted ensemble: how much the errors of two members have in common over these rows.

    Errors are prediction − y; for classes, probability − 1 for the true class and − 0 for the others, summed over
    classes. Give rows that the members were not fitted to. `ensemble` may also be the members' outputs,
    [member, row] or [member, row, class] with y as class codes.

    >>> found = member_correlation(np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0]]), None, np.zeros(3))
    >>> round(found.rho, 2), round(found.variance, 3), round(found.average_variance, 3)
    (0.5, 0.667, 0.5)
    """
    said, classes = member_outputs(ensemble, X)
    target = np.asarray(y)
    if classes is not None:
        target = (target[:, None] == classes).astype(np.float64)
        said, target = (said[:, :, 1:], target[:, 1:]) if len(classes) == 2 else (said, target)
    errors = said - target.reshape(said.shape[1:])
    errors = (errors - errors.mean(axis=1, keepdims=True)).reshape(len(said), -1)
    covariance = errors @ errors.T / said.shape[1]
    variance = float(covariance.diagonal().mean())
    if len(said) < 2:
        raise UsageError("a correlation is between members, and there is one", hint="give an ensemble of two or more")
    rho = float(_pairs(covariance).mean() / variance) if variance > 0 else 1.0
    return MemberCorrelation(min(rho, 1.0), variance, len(said))


def member_labels(ensemble: Any, X: Any) -> NDArray[Any]:
    """What every member of an ensemble of classifiers says: [member, row]."""
    if isinstance(ensemble, np.ndarray) and ensemble.ndim == 2:
        return ensemble
    outputs, classes = member_outputs(ensemble, X)
    if classes is None:
        raise UsageError(
            "agreement is between labels, and these members predict numbers", hint="use member_correlation"
        )
    return np.asarray(classes[outputs.argmax(axis=2)])


def member_outputs(ensemble: Any, X: Any) -> tuple[Floats, NDArray[Any] | None]:
    """What every member says, probabilities or a number: [member, row, output]; and the classes, if it is about them.

    Knows ensembles that hand out their rounds (`round_outputs`), forests that give running means
    (`predict_proba_path`, `predict_path`), those with `estimators_`, lists of fitted estimators, and plain arrays.
    """
    if isinstance(ensemble, np.ndarray):
        outputs = ensemble.astype(np.float64)
        flat = outputs.ndim == 2
        return (outputs[:, :, None], None) if flat else (outputs, np.arange(outputs.shape[2]))
    members = list(ensemble) if isinstance(ensemble, list | tuple) else None
    about_classes = is_classifier(members[0] if members else ensemble)
    classes = _classes(members or [ensemble]) if about_classes else None
    if members is None and hasattr(ensemble, "round_outputs"):
        return np.asarray(ensemble.round_outputs(X), dtype=np.float64), classes
    if members is None and hasattr(ensemble, "n_trees_"):
        return _from_running_means(ensemble, X, about_classes), classes
    columns: list[Any] = [None] * len(members or ())
    if members is None:
        members, columns = _estimators(ensemble)
    # Members of scikit-learn's ensembles are fitted on class codes.
    coded = classes is not None and not np.isin(_classes(members), classes).all()
    known = np.arange(len(classes)) if coded and classes is not None else classes
    said = [_outputs(member, _take(X, chosen), known) for member, chosen in zip(members, columns, strict=True)]
    return np.stack(said), classes


def _classes(members: list[Any]) -> NDArray[Any]:
    return np.unique(np.concatenate([np.asarray(member.classes_) for member in members]))


def _estimators(ensemble: Any) -> tuple[list[Any], list[Any]]:
    held = getattr(ensemble, "estimators_", None)
    if held is None:
        raise UsageError(
            f"{type(ensemble).__name__} does not show its members",
            hint="give a fitted ensemble with estimators_, a list of fitted estimators, or their predictions",
        )
    members = list(np.asarray(held, dtype=object).ravel())
    features = getattr(ensemble, "estimators_features_", None)
    return members, [None] * len(members) if features is None else list(features)


def _take(X: Any, columns: Any) -> Any:
    return X if columns is None else np.asarray(X)[:, columns]


def _outputs(member: Any, X: Any, classes: NDArray[Any] | None) -> Floats:
    if classes is None:
        return np.asarray(member.predict(X), dtype=np.float64).reshape(-1, 1)
    known = np.asarray(member.classes_)
    places = np.searchsorted(classes, known)
    out = np.zeros((len(X), len(classes)))
    if hasattr(member, "predict_proba"):
        out[:, places] = member.predict_proba(X)
    else:
        said = np.searchsorted(known, member.predict(X))
        out[np.arange(len(X)), places[said]] = 1.0
    return out


def _from_running_means(forest: Any, X: Any, about_classes: bool) -> Floats:
    """One tree is the difference of two sums; a share's digits that only rounding put there are cut off."""
    means = forest.predict_proba_path(X) if about_classes else forest.predict_path(X)[:, :, None]
    sums = means * np.arange(1, len(means) + 1)[:, None, None]
    single = np.diff(sums, axis=0, prepend=0.0)
    return np.asarray(np.round(single, 12) if about_classes else single)


def _pairs(matrix: Floats) -> Floats:
    return np.asarray(matrix[np.triu_indices(len(matrix), k=1)])
