"""Kills are spread over the commands, and every other case has its turn."""

from __future__ import annotations

from collections import Counter

from benchmarks.reliability.disturbances import COMMANDS, Round, possible
from benchmarks.reliability.disturbed import plan


def test_a_plan_comes_to_an_end_with_all_of_it() -> None:
    done: list[Round] = []
    while (following := plan(30, done, 2)) is not None:
        case, command = following
        kills = 1 if command == "select" else 4  # which is soon done
        done.append(Round(case, command, kills if case == "killed" else 1, True, 0, 0, 1.0))
    rounds = Counter((each.case, each.command) for each in done)
    others = [case for case in possible() if case != "killed"]
    assert all(rounds[case, command] == 2 for case in others for command in COMMANDS)
    killed = {
        name: sum(one.disturbed for one in done if (one.case, one.command) == ("killed", name)) for name in COMMANDS
    }
    assert sum(killed.values()) >= 30
    assert min(killed.values()) >= 8, "no command is spared"
