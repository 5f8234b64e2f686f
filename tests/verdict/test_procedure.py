from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from venire.validation.choice import simplest_best
from venire.verdict.candidates import Candidate, Part
from venire.verdict.procedure import procedure

NAN = float("nan")


def candidate(name: str, inner: list[float], outer: float = 0.0, kind: str = "member", **more: object) -> Candidate:
    losses = np.array(inner)
    more = {"one_layer_error": float(np.nanmean(losses)) if np.isfinite(losses).any() else NAN} | more
    return Candidate(name, kind, "default", {(0, 0): outer}, {(0, 0): losses}, losses, **more)  # type: ignore[arg-type]  # further fields


def chosen(*candidates: Candidate, repeats: int = 1) -> str:
    return procedure(candidates, repeats).chosen.name


def test_the_lowest_mean_wins_and_of_equals_the_simpler() -> None:
    assert chosen(candidate("a", [0.3, 0.3]), candidate("b", [0.1, 0.3])) == "b"
    assert chosen(candidate("a", [0.1, 0.3]), candidate("b", [0.2, 0.2])) == "a"
    assert chosen(candidate("a", [0.2 + 1e-13, 0.2]), candidate("b", [0.2, 0.2])) == "a"


def test_a_member_has_to_be_better_than_the_combination_by_two_standard_errors() -> None:
    member = candidate("member", [0.30, 0.30, 0.30, 0.30])
    better = candidate("stack", [0.10, 0.49, 0.10, 0.49], kind="combination")
    a_little_worse = candidate("stack", [0.10, 0.52, 0.10, 0.52], kind="combination")
    clearly_worse = candidate("stack", [0.32, 0.33, 0.32, 0.33], kind="combination")
    assert chosen(member, better) == "stack"
    assert a_little_worse.final.mean() > 0.3
    assert chosen(member, a_little_worse) == "stack"
    assert chosen(member, clearly_worse) == "member"


def test_a_combination_that_loses_the_same_everywhere_is_not_taken() -> None:
    assert chosen(candidate("m", [0.0, 0.0, 0.0]), candidate("s", [0.0, 0.0, 0.0], kind="combination")) == "m"


def test_the_rule_is_as_strict_with_many_repeats_as_with_one() -> None:
    member, rival = [0.30, 0.30, 0.30, 0.30], [0.10, 0.55, 0.10, 0.57]
    once = chosen(candidate("m", member), candidate("s", rival, kind="combination"))
    often = chosen(candidate("m", member * 20), candidate("s", rival * 20, kind="combination"), repeats=20)
    assert once == often == "s"


def test_the_better_of_two_combinations_is_taken() -> None:
    member = candidate("m", [0.5, 0.5, 0.5])
    vote = candidate("vote", [0.3, 0.31, 0.3], kind="combination")
    stack = candidate("stack", [0.2, 0.21, 0.2], kind="combination")
    assert chosen(member, vote, stack) == "stack"
    assert chosen(member, stack, vote) == "stack"


def test_the_blend_is_taken_before_other_combinations() -> None:
    member, stack = candidate("m", [0.5, 0.5, 0.5]), candidate("stack", [0.2, 0.21, 0.2], kind="combination")
    blend = candidate("blend", [0.3, 0.31, 0.3], kind="combination")
    assert chosen(member, stack, blend) == "blend"
    assert chosen(candidate("m", [0.1, 0.1, 0.1]), stack, blend) == "m"
    assert chosen(member, stack, candidate("blend", [NAN, NAN, NAN], kind="combination")) == "stack"


@pytest.mark.parametrize(("weight", "taken"), [(1.0, "m"), (0.998, "m"), (0.9, "stack")])
def test_a_combination_of_one_member_is_that_member(weight: float, taken: str) -> None:
    """Its inner score comes from other weights, learned fold by fold: it may look better than what it is."""
    member, other = candidate("m", [0.30, 0.30, 0.30]), candidate("other", [0.4, 0.4, 0.4])
    parts = {Part("m", 0): weight, Part("other", 0): 1 - weight}
    stack = candidate("stack", [0.20, 0.21, 0.20], kind="combination", parts=parts, parts_at={(0, 0): parts})
    found = procedure([member, other, stack])
    assert found.chosen.name == taken
    assert found.picks[0, 0].name == taken
    even = {Part("m", 0): 0.5, Part("other", 0): 0.5}
    here, there = replace(stack, parts=even), replace(stack, parts_at={(0, 0): even})
    assert procedure([member, other, here]).chosen.name == "stack", "each choice looks at its own weights"
    assert procedure([member, other, there]).picks[0, 0].name == "stack"


def test_undefined_losses_never_win() -> None:
    assert chosen(candidate("a", [NAN, NAN]), candidate("b", [0.9, 0.9])) == "b"
    assert chosen(candidate("a", [NAN, NAN]), candidate("b", [NAN, NAN])) == "a"
    undefined = candidate("stack", [NAN, NAN], kind="combination")
    assert chosen(candidate("a", [0.5, 0.5]), undefined) == "a"
    assert chosen(candidate("a", [0.5, NAN]), candidate("stack", [0.1, NAN], kind="combination")) == "a"


def test_a_pick_is_judged_by_the_fold_it_was_not_made_on() -> None:
    good_inside = candidate("lucky", [0.1, 0.1], outer=0.9)
    found = procedure([good_inside, candidate("other", [0.2, 0.2], outer=0.1)])
    assert found.losses.tolist() == [0.9]
    assert found.error == pytest.approx(0.9)
    assert found.one_layer_error == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("means", "expected"),
    [([0.3, 0.2, 0.2], 1), ([NAN, 0.2, 0.1], 2), ([NAN, NAN], 0), ([1e6, 1e6 - 1e-5], 0), ([np.inf, np.inf], 0)],
)
def test_the_simplest_of_the_best(means: list[float], expected: int) -> None:
    assert simplest_best(np.array(means)) == expected
