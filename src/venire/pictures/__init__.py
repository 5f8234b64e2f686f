"""Pictures of fitted models, of ensembles at work, and of what is believed; those of a verdict are `verdict.plot`."""

from venire.pictures.ballots import one_vs_one_votes
from venire.pictures.boundaries import decision_boundary, member_boundaries
from venire.pictures.ensemble_spread import bias_and_variance, kappa_error
from venire.pictures.forest_curves import forest_curves
from venire.pictures.measured_curves import ascent_history, complexity_picture, learning_picture, selection_path
from venire.pictures.posteriors import accuracy_posterior, difference_posterior, pairwise
from venire.pictures.residual_stages import residual_stages
from venire.pictures.reweighting import boosting_alpha, boosting_rounds
from venire.pictures.tree_diagram import tree_diagram

__all__ = [  # noqa: RUF022  # in reading order
    "decision_boundary",
    "tree_diagram",
    "member_boundaries",
    "forest_curves",
    "boosting_rounds",
    "boosting_alpha",
    "residual_stages",
    "one_vs_one_votes",
    "ascent_history",
    "kappa_error",
    "bias_and_variance",
    "complexity_picture",
    "learning_picture",
    "selection_path",
    "accuracy_posterior",
    "difference_posterior",
    "pairwise",
]
