"""More than two classes by two-class learners, and rare classes by resampling and costs."""

from venire.reductions.cost_threshold import CostThreshold
from venire.reductions.one_vs_one import OneVsOneClassifier
from venire.reductions.one_vs_rest import OneVsRestClassifier
from venire.reductions.resampling import Resampled
from venire.reductions.score_shares import ScoreShares

__all__ = ["CostThreshold", "OneVsOneClassifier", "OneVsRestClassifier", "Resampled", "ScoreShares"]
