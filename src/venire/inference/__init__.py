"""What numbers may claim."""

from venire.inference.areas import Areas, areas, delong, delong_interval
from venire.inference.bootstrap import bootstrap_interval
from venire.inference.by_rows.row_contests import RowContest, row_contest
from venire.inference.by_rows.row_figures import Figure, row_figure, stretches
from venire.inference.by_rows.row_intervals import row_interval
from venire.inference.by_rows.rows_tested import RowsTested
from venire.inference.by_rows.training_overlaps import training_overlap
from venire.inference.clusters import clustered_beta
from venire.inference.comparisons import Comparison, Posterior, compare_learners, compare_paired, p_beats_baseline, rope
from venire.inference.disagreements import ShareDifference, mcnemar
from venire.inference.estimates import Estimate
from venire.inference.growth import Growth, growth
from venire.inference.guessing import BetterThanGuessing, better_than_guessing, random_guessing_errors
from venire.inference.halves import conservative_z
from venire.inference.intervals import (
    Interval,
    Student,
    accuracy_interval,
    corrected_t,
    cross_validated,
    discounted_beta,
    mean_posterior,
)
from venire.inference.joint import JointPosterior, joint_posterior, probability_best
from venire.inference.many_tables import TablesComparison, holm, sign_test, wilcoxon
from venire.inference.methods import interval
from venire.inference.nested import nested_interval
from venire.inference.theory import average_variance, bayes_rule, majority_vote_accuracy, total_probability

__all__ = [
    "Areas",
    "BetterThanGuessing",
    "Comparison",
    "Estimate",
    "Figure",
    "Growth",
    "Interval",
    "JointPosterior",
    "Posterior",
    "RowContest",
    "RowsTested",
    "ShareDifference",
    "Student",
    "TablesComparison",
    "accuracy_interval",
    "areas",
    "average_variance",
    "bayes_rule",
    "better_than_guessing",
    "bootstrap_interval",
    "clustered_beta",
    "compare_learners",
    "compare_paired",
    "conservative_z",
    "corrected_t",
    "cross_validated",
    "delong",
    "delong_interval",
    "discounted_beta",
    "growth",
    "holm",
    "interval",
    "joint_posterior",
    "majority_vote_accuracy",
    "mcnemar",
    "mean_posterior",
    "nested_interval",
    "p_beats_baseline",
    "probability_best",
    "random_guessing_errors",
    "rope",
    "row_contest",
    "row_figure",
    "row_interval",
    "sign_test",
    "stretches",
    "total_probability",
    "training_overlap",
    "wilcoxon",
]
