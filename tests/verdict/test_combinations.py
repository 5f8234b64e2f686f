from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from tests.validation.tables import classification, noise, regression
from tests.verdict.cases import BASELINE, BAYES, NEAREST, RIDGE, TREE, judged
from venire.combine import residual_gram, stack_weights
from venire.combine.greedy import greedy_path
from venire.metrics.predictions import Output, Predictions
from venire.report.sentences.weights import setting_words
from venire.validation.plans.plan import Held, Trial
from venire.validation.trials.family import Cancel, Outcome, never
from venire.validation.trials.generic import GenericFamily, Prepared
from venire.verdict.candidates import Part, by_family
from venire.verdict.judgement import Judgement
from venire.verdict.leaderboard import Row
from venire.verdict.learned_weights import shared_outputs

EVERY = ("vote", "stack", "blend")
NUMBERS = [BASELINE, RIDGE, TREE, NEAREST]


def line(judgement: Judgement, name: str) -> Row:
    """The line of the leaderboard with that name."""
    return next(row for row in judgement.rows if row.family == name)


@pytest.fixture(scope="module")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> Judgement:
    return judged(tmp_path_factory.mktemp("numbers"), regression(70), NUMBERS, EVERY, folds=4)


def members_of(judgement: Judgement, i: int) -> list[str]:
    return [part.family for part in judgement.candidate("stack").parts_at[0, i]]


@pytest.mark.parametrize("i", range(4))
def test_weights_are_learned_on_predictions_without_the_fold(numbers: Judgement, i: int) -> None:
    """The stack of outer fold i by hand: the members' predictions without {i, j} on every j are its rows."""
    docket = numbers.docket
    y = docket.table.y
    members = members_of(numbers, i)
    settings = {name: numbers.candidate(name).settings[0, i] for name in members}
    gram = np.zeros((len(members), len(members)))
    for held in docket.plan.inner(0, i):
        said = np.stack([docket.predictions(name, held, settings[name])[0] for name in members])
        gram += residual_gram(said, y[docket.rows(held)], 0)
    weights = stack_weights(gram)
    stack = numbers.candidate("stack")
    np.testing.assert_allclose(list(stack.parts_at[0, i].values()), weights, rtol=1e-9, atol=1e-12)
    judged_on = docket.plan.outer(0, i)
    said = np.stack([docket.predictions(name, judged_on, settings[name])[0][:, 0] for name in members])
    rows = docket.rows(judged_on)
    assert stack.outer[0, i] == pytest.approx(np.sqrt(np.mean((weights @ said - y[rows]) ** 2)))
    vote = numbers.candidate("vote")
    assert vote.outer[0, i] == pytest.approx(np.sqrt(np.mean((said.mean(axis=0) - y[rows]) ** 2)))


@pytest.mark.parametrize("i", range(4))
def test_the_training_error_is_what_refitted_members_say_together(numbers: Judgement, i: int) -> None:
    """The plain loop: every member fitted without fold i, asked about the fold before it, and averaged."""
    docket, before = numbers.docket, (i - 1) % 4
    table, plan = docket.table, docket.plan
    seen, train = plan.rows(0, (before,)), plan.train_rows(plan.outer(0, i).trial)
    for name in EVERY:
        combination, together = numbers.candidate(name), np.zeros(len(seen))
        for (member, number), weight in combination.parts_at[0, i].items():
            family = next(family for family in NUMBERS if family.name == member)
            setting = family.path(table)[number]
            trial = plan.outer(0, i).trial
            model = family.pipeline(table, setting, trial.seed(plan.seed, member))
            together += weight * model.fit(table.X[train], table.y[train]).predict(table.X[seen])
        error = np.sqrt(np.mean((together - table.y[seen]) ** 2))
        assert combination.training[0, i] == pytest.approx(error)
    assert line(numbers, "vote").training_error < line(numbers, "vote").error


@pytest.mark.parametrize("how", [{}, {"measure": "log_loss"}, {"measure": "cost", "costs": [[0, 1], [6, 0]]}])
def test_a_combination_of_classes_is_finished_on_seen_rows_as_on_others(tmp_path: Path, how: dict[str, Any]) -> None:
    table = classification(80, classes=2, noise=1.5)
    found = judged(tmp_path, table, [BASELINE, BAYES, TREE], EVERY, folds=4, **how)
    docket = found.docket
    for name in EVERY:
        candidate = found.candidate(name)
        for place, parts in candidate.parts_at.items():
            trial = docket.plan.outer(*place).trial
            seen, train = docket.plan.rows(0, ((place[1] - 1) % 4,)), docket.plan.train_rows(trial)
            shares = np.zeros((len(seen), 2))
            for part, weight in parts.items():
                family = next(family for family in (BAYES, TREE) if family.name == part.family)
                setting = family.path(table)[part.setting]
                model = family.pipeline(table, setting, trial.seed(docket.plan.seed, family.name))
                model.fit(table.X[train], table.y[train])
                shares += weight * model.predict_proba(table.X[seen])
            said = Predictions(shares.argmax(axis=1).astype(np.int32), shares, Output.PROBABILITIES)
            expected = docket.metric.loss(table.y[seen], candidate.finish_at[place](said))
            assert candidate.training[place] == pytest.approx(expected, rel=1e-5)
        assert line(found, candidate.name).training_error == pytest.approx(np.mean(list(candidate.training.values())))
    assert not np.isnan(found.top.training_error)


class TellsNothingOfSeenRows(GenericFamily):
    """A family of one's own may know no more than its held-out predictions."""

    def run(self, prepared: Prepared, trial: Trial, cancel: Cancel = never) -> Outcome:
        return replace(super().run(prepared, trial, cancel), training={}, seen=None)


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("measure", ["error", "brier"])
def test_what_is_not_told_of_seen_rows_is_left_open(tmp_path: Path, measure: str) -> None:
    silent = TellsNothingOfSeenRows("silent", classifier=GaussianNB())
    table = classification(80, classes=2)
    found = judged(tmp_path, table, [BASELINE, silent, TREE], EVERY, measure=measure, folds=4)
    assert np.isnan(line(found, "silent").training_error)
    assert not np.isnan(line(found, "cart").training_error)
    said = [parts for parts in found.candidate("vote").parts_at.values() if "silent" in by_family(parts)]
    assert said, "a member of some votes"
    for name in EVERY:
        candidate = found.candidate(name)
        for place, parts in candidate.parts_at.items():
            assert np.isnan(candidate.training[place]) == ("silent" in by_family(parts))


def test_the_baseline_and_what_is_no_better_have_no_say(numbers: Judgement) -> None:
    for place, parts in numbers.candidate("vote").parts_at.items():
        weights = by_family(parts)
        assert "baseline" not in weights
        limit = numbers.candidate("baseline").inner[place].mean()
        assert all(numbers.candidate(name).inner[place].mean() < limit for name in weights)


def test_weights_sum_to_one(numbers: Judgement) -> None:
    for name in EVERY:
        combined = numbers.candidate(name)
        for weights in [*combined.parts_at.values(), combined.parts or {}]:
            assert sum(weights.values()) == pytest.approx(1)
            assert min(weights.values()) >= 0


def test_a_setting_names_the_heaviest_members(numbers: Judgement) -> None:
    stack = numbers.candidate("stack")
    assert stack.weights is not None
    heaviest = max(stack.weights, key=lambda name: stack.weights[name])  # type: ignore[index]  # checked above
    assert heaviest in setting_words(stack.setting, stack.weights).split(" + ")[0]
    vote = numbers.candidate("vote")
    assert setting_words(vote.setting, vote.weights) in {"mean of 2 members", "mean of 3 members", "ridge alone"}


def test_members_without_probabilities_vote(tmp_path: Path) -> None:
    judgement = judged(tmp_path, classification(60), [BASELINE, BAYES, RIDGE], EVERY, folds=4)
    docket = judgement.docket
    held = docket.plan.outer(0, 0)
    assert judgement.ledgers["ridge"].output is Output.SCORES
    votes = shared_outputs(docket, Part("ridge", 0), held)
    np.testing.assert_array_equal(np.sort(votes, axis=1), np.tile([0.0, 0.0, 1.0], (len(votes), 1)))
    np.testing.assert_array_equal(votes.argmax(axis=1), docket.predictions("ridge", held, 0)[1])
    said = shared_outputs(docket, Part("bayes", 0), held)
    np.testing.assert_allclose(said.sum(axis=1), 1, rtol=1e-6)


def test_where_none_beats_guessing_all_are_heard(tmp_path: Path) -> None:
    hopeless = judged(tmp_path, noise(60, seed=3), [BASELINE, NEAREST, TREE, RIDGE], EVERY, folds=4)
    for parts in hopeless.candidate("vote").parts_at.values():
        assert parts


@pytest.mark.parametrize("i", range(4))
def test_a_blend_picks_settings_greedily_on_predictions_without_the_fold(numbers: Judgement, i: int) -> None:
    """By hand: the plain greedy path over the settings it may take, on the inner predictions of all rows together."""
    docket, blend = numbers.docket, numbers.candidate("blend")
    parts = list(blend.parts_at[0, i])
    held = docket.plan.inner(0, i)
    truth = np.concatenate([docket.truth(h) for h in held])
    said = np.stack([np.concatenate([docket.predictions(*_at(part, h))[0] for h in held]) for part in parts])
    path = greedy_path(said, lambda tried: np.square(tried[:, :, 0] - truth).sum(axis=1), steps=40)
    np.testing.assert_allclose(list(blend.parts_at[0, i].values()), path.weights, atol=1e-12)


def _at(part: Part, held: Held) -> tuple[str, Held, int]:
    return part.family, held, part.setting


def test_a_blend_may_take_the_best_settings_of_every_family(numbers: Judgement) -> None:
    blend = numbers.candidate("blend")
    for place, parts in blend.parts_at.items():
        for name in by_family(parts):
            taken = [part.setting for part in parts if part.family == name]
            means = numbers.ledgers[name].mean(numbers.docket.plan.inner(*place))
            assert numbers.candidate(name).settings[place] in taken
            assert len(taken) == min(3, len(means))
            left = np.delete(means, taken)
            assert not len(left) or means[taken].max() <= left.min()


def test_a_blend_of_classes_loses_less_inside_than_any_of_its_parts(tmp_path: Path) -> None:
    """By the log loss on the rows it was learned on, the greedy path never ends above its best single part."""
    table = classification(120, classes=3, noise=1.5)
    found = judged(tmp_path, table, [BASELINE, BAYES, TREE, NEAREST], ("blend",), measure="log_loss", folds=4)
    docket, blend = found.docket, found.candidate("blend")
    for place, parts in blend.parts_at.items():
        held = docket.plan.inner(*place)
        truth = np.concatenate([docket.truth(h) for h in held])
        said = np.stack([np.concatenate([docket.predictions(*_at(part, h))[0] for h in held]) for part in parts])
        true = np.maximum(said[:, np.arange(len(truth)), truth], 1e-7)
        mixed = np.array(list(parts.values())) @ true
        assert -np.log(mixed).mean() <= -np.log(true).mean(axis=1).min() + 1e-12


def test_a_blend_by_the_absolute_error_follows_it(tmp_path: Path) -> None:
    found = judged(tmp_path, regression(70), NUMBERS, ("blend",), measure="mae", folds=4)
    docket, blend = found.docket, found.candidate("blend")
    for place, parts in blend.parts_at.items():
        held = docket.plan.inner(*place)
        truth = np.concatenate([docket.truth(h) for h in held])
        said = np.stack([np.concatenate([docket.predictions(*_at(part, h))[0][:, 0] for h in held]) for part in parts])
        mixed = np.array(list(parts.values())) @ said
        assert np.abs(mixed - truth).mean() <= np.abs(said - truth).mean(axis=1).min() + 1e-12
