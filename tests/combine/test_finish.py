"""From outputs to decisions under costs: calibrated where it pays, at the cheaper of two ways to decide."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from venire.combine.finish import Finish, cheapest, learn_finish
from venire.metrics.predictions import Output, Predictions, decide

COSTS = ((0.0, 1.0), (8.0, 0.0))


def said(
    rows: int, seed: int, output: Output = Output.PROBABILITIES, bend: float = 1.0
) -> tuple[Predictions, np.ndarray]:
    rng = np.random.default_rng(seed)
    odds = 1.5 * rng.normal(size=rows) - 1.0
    y = (rng.random(rows) < expit(odds)).astype(int)
    p = expit(bend * odds)
    outputs = np.column_stack([1 - p, p]) if output is Output.PROBABILITIES else (bend * odds)[:, None]
    return Predictions(decide(outputs), outputs, output), y


def cost(labels: np.ndarray | None, y: np.ndarray) -> float:
    return float(np.asarray(COSTS)[y, labels].mean())


def test_nothing_is_done_without_a_reason() -> None:
    given, _ = said(50, 0)
    assert Finish()(given) is given
    labels_only = Predictions(np.array([1, 0]), None, Output.LABELS)
    assert Finish(costs=COSTS, threshold=0.2)(labels_only) is labels_only


def test_costs_move_the_decision_and_lower_the_cost_on_new_rows() -> None:
    given, y = said(600, 1)
    learned = learn_finish(given, y, np.arange(600) % 6, COSTS)
    fresh, truth = said(4000, 2)
    assert cost(learned.finish(fresh).labels, truth) < 0.8 * cost(fresh.labels, truth)
    assert cost(learned.crossed.labels, y) < 0.8 * cost(given.labels, y)


def test_scores_get_a_threshold() -> None:
    given, y = said(600, 3, Output.SCORES)
    learned = learn_finish(given, y, np.arange(600) % 6, COSTS)
    assert learned.finish.calibration is None
    assert learned.finish.threshold is not None
    assert learned.finish.threshold < 0
    fresh, truth = said(4000, 4, Output.SCORES)
    assert cost(learned.finish(fresh).labels, truth) < 0.8 * cost(fresh.labels, truth)


def test_bad_probabilities_are_calibrated_before_the_decision() -> None:
    given, y = said(1000, 5, bend=4.0)
    learned = learn_finish(given, y, np.arange(1000) % 5, COSTS)
    assert learned.finish.calibration is not None
    finished = learned.finish(given)
    assert np.abs(np.asarray(finished.outputs).sum(axis=1) - 1).max() < 1e-12
    careless = Finish(costs=COSTS)(given)
    fresh, truth = said(4000, 6, bend=4.0)
    assert cost(learned.finish(fresh).labels, truth) < cost(Finish(costs=COSTS)(fresh).labels, truth)
    assert careless.labels is not None


def test_many_classes_take_the_least_expected_cost() -> None:
    costs = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [9.0, 9.0, 0.0]])
    outputs = np.array([[[0.6, 0.3, 0.1], [0.5, 0.3, 0.2]]])
    assert cheapest(outputs, costs).tolist() == [[2, 2]]
    given = Predictions(decide(outputs[0]), outputs[0], Output.PROBABILITIES)
    assert Finish(costs=tuple(map(tuple, costs.tolist())))(given).labels.tolist() == [2, 2]


def test_a_fold_has_no_say_in_the_threshold_it_is_judged_at() -> None:
    given, y = said(300, 7, Output.SCORES)
    fold = np.arange(300) % 5
    turned = np.where(fold == 1, 1 - y, y)
    one, other = (learn_finish(given, labels, fold, COSTS) for labels in (y, turned))
    assert np.array_equal(np.asarray(one.crossed.labels)[fold == 1], np.asarray(other.crossed.labels)[fold == 1])
    assert one.finish != other.finish, "what is handed over is learned on all folds"
