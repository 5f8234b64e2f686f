"""What numbers may claim."""

from venire.inference.comparisons import Comparison, compare_paired, p_beats_baseline
from venire.inference.dependence import PartialDependence, partial_dependence
from venire.inference.importance import Importances, permutation_importance
from venire.inference.intervals import Interval, Student, accuracy_interval, corrected_t, mean_posterior
from venire.inference.joint import JointPosterior, joint_posterior, probability_best
from venire.inference.theory import average_variance, bayes_rule, majority_vote_accuracy, total_probability

__all__ = [
    "Comparison",
    "Importances",
    "Interval",
    "JointPosterior",
    "PartialDependence",
    "Student",
    "accuracy_interval",
    "average_variance",
    "bayes_rule",
    "compare_paired",
    "corrected_t",
    "joint_posterior",
    "majority_vote_accuracy",
    "mean_posterior",
    "p_beats_baseline",
    "partial_dependence",
    "permutation_importance",
    "probability_best",
    "total_probability",
]
