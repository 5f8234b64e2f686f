"""Every kind of object that a model file may hold. A name, once given, keeps its meaning for ever."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from venire.combine.calibrate import Calibration, Sigmoid, Steps
from venire.combine.conformal import Conformal
from venire.combine.finish import Finish
from venire.combine.greedy import GreedyPath
from venire.combine.threshold import CostCurve
from venire.data.encode import AsTheyAre, FrequencyCodes, OneHotScaled
from venire.data.ranges import Ranges
from venire.data.table import Column, Reading, Task
from venire.data.table import Kind as ColumnKind
from venire.ensembles.adaboost.classifier import AdaBoostClassifier
from venire.ensembles.adaboost.rounds import Outcome, Rounds
from venire.ensembles.additive import AdditiveRegressor
from venire.ensembles.bagging.draw import Draw
from venire.ensembles.bagging.estimators import BaggingClassifier, BaggingRegressor
from venire.ensembles.bucket import BucketOfModels, BucketRow
from venire.ensembles.forest.estimators import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from venire.ensembles.gradient.estimators import GradientBoostingClassifier, GradientBoostingRegressor
from venire.ensembles.gradient.round_trees import Stage
from venire.ensembles.gradient.stopping import Stopping
from venire.ensembles.output_codes import OutputCodes
from venire.ensembles.stacking.estimators import StackingClassifier, StackingRegressor
from venire.ensembles.table_model import TableModel
from venire.ensembles.voting import VotingClassifier, VotingRegressor
from venire.models.baseline import BaselineClassifier, BaselineRegressor
from venire.models.bayes.classifier import NaiveBayesClassifier
from venire.models.bayes.model import BayesModel
from venire.models.bayes.sums import Columns, Moments, Sums
from venire.models.input import Layout
from venire.models.neighbors.estimators import KNeighborsClassifier, KNeighborsRegressor
from venire.models.neighbors.metric_search import MetricSearch
from venire.models.neighbors.search import Search
from venire.models.neighbors.sparse_search import SparseSearch
from venire.models.net.columns import NetColumns
from venire.models.net.estimators import NetClassifier, NetRegressor
from venire.models.rules.rule_list import RuleListClassifier
from venire.models.rules.search import Question
from venire.models.svm.machines import SupportVectorClassifier, SupportVectorRegressor
from venire.models.tree.estimators import DecisionTreeClassifier, DecisionTreeRegressor
from venire.models.tree.growth import Growth, TreeStream
from venire.models.tree.storage import Trees, arrays_of, trees_of
from venire.persist.estimators import own, stored, value, word
from venire.persist.kept_model import KeptModel
from venire.persist.sklearn_kinds import sklearn_kinds
from venire.persist.values import Kind
from venire.reductions import CostThreshold, OneVsOneClassifier, OneVsRestClassifier, Resampled, ScoreShares
from venire.reductions.votes import Votes
from venire.selection.estimators import BackwardSelection, ForwardSelection
from venire.selection.search import SelectionStep

_OURS: Mapping[str, type] = {
    "table_model": KeptModel,
    "one_hot_scaled": OneHotScaled,
    "frequency_codes": FrequencyCodes,
    "as_they_are": AsTheyAre,
    "ranges": Ranges,
    "baseline_classifier": BaselineClassifier,
    "baseline_regressor": BaselineRegressor,
    "naive_bayes": NaiveBayesClassifier,
    "knn_classifier": KNeighborsClassifier,
    "knn_regressor": KNeighborsRegressor,
    "net_classifier": NetClassifier,
    "net_regressor": NetRegressor,
    "tree_classifier": DecisionTreeClassifier,
    "tree_regressor": DecisionTreeRegressor,
    "rule_list": RuleListClassifier,
    "support_vector_classifier": SupportVectorClassifier,
    "support_vector_regressor": SupportVectorRegressor,
    "bagging_classifier": BaggingClassifier,
    "bagging_regressor": BaggingRegressor,
    "forest_classifier": RandomForestClassifier,
    "forest_regressor": RandomForestRegressor,
    "extra_trees_classifier": ExtraTreesClassifier,
    "extra_trees_regressor": ExtraTreesRegressor,
    "adaboost": AdaBoostClassifier,
    "boosting_classifier": GradientBoostingClassifier,
    "boosting_regressor": GradientBoostingRegressor,
    "additive": AdditiveRegressor,
    "voting_classifier": VotingClassifier,
    "voting_regressor": VotingRegressor,
    "stacking_classifier": StackingClassifier,
    "stacking_regressor": StackingRegressor,
    "bucket": BucketOfModels,
    "output_codes": OutputCodes,
    "one_vs_rest": OneVsRestClassifier,
    "one_vs_one": OneVsOneClassifier,
    "resampled": Resampled,
    "cost_threshold": CostThreshold,
    "score_shares": ScoreShares,
    "forward_selection": ForwardSelection,
    "backward_selection": BackwardSelection,
}
_VALUES: Mapping[str, type] = {
    "column": Column,
    "reading": Reading,
    "finish": Finish,
    "calibration": Calibration,
    "sigmoid": Sigmoid,
    "steps": Steps,
    "conformal": Conformal,
    "layout": Layout,
    "growth": Growth,
    "tree_stream": TreeStream,
    "early_stopping": Stopping,
    "boosting_stage": Stage,
    "draw": Draw,
    "greedy_path": GreedyPath,
    "votes": Votes,
    "cost_curve": CostCurve,
    "bucket_row": BucketRow,
    "question": Question,
    "bayes_columns": Columns,
    "bayes_moments": Moments,
    "bayes_sums": Sums,
    "bayes_model": BayesModel,
    "selection_step": SelectionStep,
    "net_columns": NetColumns,
}


@cache
def kinds() -> Mapping[str, Kind]:
    """All kinds by their names in files."""
    found = [
        *(own(name, cls) for name, cls in _OURS.items()),
        *(value(name, cls) for name, cls in _VALUES.items()),
        *(word(name, cls) for name, cls in (("task", Task), ("column_kind", ColumnKind), ("outcome", Outcome))),
        stored("neighbour_search", Search),
        stored("sparse_neighbour_search", SparseSearch),
        stored("metric_neighbour_search", MetricSearch),
        stored("boosting_rounds", Rounds),
        Kind("trees", Trees, arrays_of, trees_of),
        *sklearn_kinds(),
    ]
    return {kind.name: kind for kind in found}


@cache
def kinds_by_class() -> Mapping[type, Kind]:
    """All kinds by their classes; a table model from elsewhere is written as one that is kept."""
    found = {kind.cls: kind for kind in kinds().values()}
    return {**found, TableModel: found[KeptModel]}
