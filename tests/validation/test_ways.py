"""Ways of splitting: each knows its own options, and refuses those of the others in one sentence."""

import pytest
import typer

from venire.cli.commands import app
from venire.errors import UsageError
from venire.validation.ways import WAYS, Way

SAID = {
    "folds": 4, "repeats": 2, "layers": 2, "inner_folds": 3, "rule": "best", "stratified": True, "groups": "g",
    "time": "t", "share": 0.2, "inner_share": 0.3, "samples": 7, "estimate": "632",
}  # fmt: skip
OUT_OF_PLACE = [(by, option) for by in WAYS for option in SAID if option not in WAYS[by]]


def test_every_option_of_a_way_is_one_of_the_command():
    named = {param.name for param in typer.main.get_command(app).commands["validate"].params}
    assert {option for options in WAYS.values() for option in options} == set(SAID)
    assert set(SAID) <= named


@pytest.mark.parametrize("by", WAYS)
def test_a_way_takes_all_its_options(by):
    own = {option: SAID[option] for option in WAYS[by]}
    way = Way.of(by, own)
    assert {option: getattr(way, option) for option in own if option not in ("groups", "time")} == {
        option: value for option, value in own.items() if option not in ("groups", "time")
    }


@pytest.mark.parametrize(("by", "option"), OUT_OF_PLACE)
def test_options_of_another_way_are_refused(by, option):
    with pytest.raises(UsageError, match=f"^--{option.replace('_', '-')} says nothing with --by {by}$") as refused:
        Way.of(by, {"groups": "g" if by == "leave_one_group_out" else None, option: SAID[option]})
    assert refused.value.code == "bad_split"
    assert all(able in refused.value.hint for able in WAYS if option in WAYS[able])


def test_what_was_not_said_has_its_default():
    nothing = dict.fromkeys(SAID) | {"stratified": False}
    assert Way.of("folds", nothing) == Way()
    assert Way.of("holdout", nothing).repeats == 1
    assert Way.of("subsampling", nothing).repeats == 20


def test_nought_was_said():
    assert Way.of("folds", {"folds": 0, "repeats": 0}).folds == 0
    with pytest.raises(UsageError, match="--samples says nothing with --by folds"):
        Way.of("folds", {"samples": 0})


def test_both_spellings_of_a_way():
    assert Way.of("leave-one-out", {}) == Way.of("leave_one_out", {}) == Way("leave_one_out")


@pytest.mark.parametrize(
    ("by", "given", "said"),
    [
        ("fold", {}, "no way of splitting called 'fold'; did you mean 'folds'"),
        ("leave_one_group_out", {}, "needs to know the groups"),
        ("folds", {"layers": 3}, "there are 1 and 2 layers, not 3"),
        ("folds", {"layers": 0}, "there are 1 and 2 layers, not 0"),
        ("folds", {"layers": 1, "inner_folds": 3}, "there are no inner folds"),
    ],
)
def test_what_makes_no_sense_is_refused(by, given, said):
    with pytest.raises(UsageError, match=said) as refused:
        Way.of(by, given)
    assert refused.value.hint
