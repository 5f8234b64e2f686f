"""The examples run, print the figures known from the literature, and draw their pictures."""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.textbook_figures import GOLF

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "examples"
SHARED = "drawing"
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != SHARED)

# What the literature gives to the last digit: the lines that must be printed, word for word.
PRINTED = {
    "adaboost_step_by_step": [
        "Six points, two wrong: ε = 1/3, α = 0.3466 = ½ ln 2, w = [1 2 1 1 1 2]/8",
        "ε = 0.14 → α = 0.91",
        "round 2: w = 0.071 0.071 0.071 0.071 0.071 0.071 0.071 0.167 0.167 0.167",
        "errors of the first one, two and three together: 30%, 30%, 0%",
    ],
    "golf_by_information_gain": [
        *GOLF,
        "root = outlook",
        "if outlook = rainy and humidity = high then no (3 rows, 100%)",
    ],
    "naive_bayes_by_hand": [
        "P(rain | cloud) = 0.125",
        "P(cloud) = 0.4, over rain and no rain",
        "P(no | sunny) = 0.40",
        "P(humidity = high | no) = 0.80, four of five",
        "P(high) = 11/1003",
    ],
    "rare_banknotes": [
        "ten rows, over-sampling: 16 rows, 8 common and 8 rare",
        "ten rows, under-sampling: 4 rows, 2 common and 2 rare",
        "ten rows, in between: 10 rows, 5 common and 5 rare",
        "always normal                 90.3%     0.500      0%          –",
    ],
    "roc_of_gears": [
        "say 'high' of 5 gears or more: FPR  2/17, TPR  3/15",
        "say 'high' of 4 gears or more: FPR  4/17, TPR 13/15",
        "AUC = 0.788; counted over all 255 pairs 0.788",
    ],
    "why_a_majority_is_right": [
        "25 voters, each wrong with probability 0.35: 0.06 wrong together",
        "in 100,000 simulated votes: 0.06",
        "correlation 0.50: the average of 10 predictors has variance 0.550, of 100 0.505",
    ],
}


def figure(pattern: str, text: str) -> float:
    """The one number that stands where the pattern has its group."""
    (found,) = re.findall(pattern, text, re.MULTILINE)
    return float(found)


def stumps(text: str) -> None:
    assert 44 < figure(r"one stump errs on ([\d.]+)%", text) < 48
    assert 11 <= figure(r"400 rounds err on ([\d.]+)%", text) <= 14
    assert 25 <= figure(r"a large tree .* errs on ([\d.]+)%", text) <= 27


def bagged_lines(text: str) -> None:
    member = figure(r"a member, .* errs on ([\d.]+)%", text)
    assert figure(r"the average of 100 members errs on ([\d.]+)%", text) < member - 3


def nets(text: str) -> None:
    one, bagged, boosted = (
        figure(rf"^{name}: ([\d.]+)% of new", text) for name in ("one net", "10 bagged nets", "20 boosted nets")
    )
    assert boosted < bagged < one


def noise(text: str) -> None:
    lost = re.search(r"boosting loses ([\d.]+)% to the noise, bagging ([\d.]+)%", text)
    assert lost is not None
    assert float(lost[1]) > 2 * float(lost[2])  # boosting suffers more
    noisy = re.findall(r"^ +[123]0% .* ([\d.]+) +([\d.]+)$", text, re.MULTILINE)
    assert len(noisy) == 3
    assert all(float(bagging) < float(boosting) for bagging, boosting in noisy)  # and its probabilities too


def few_attributes_a_split(text: str) -> None:
    rows = re.findall(r"^ ?(\d+) +([\d.]+) +[\d.]+ +[\d.]+ +([\d.]+)% +([\d.]+)%$", text, re.MULTILINE)
    assert [int(row[0]) for row in rows] == list(range(1, 11))
    rho, tree, forest = ([float(row[column]) for row in rows] for column in (1, 2, 3))
    assert rho[0] == min(rho) < rho[-1]  # more choice makes trees alike,
    assert tree[0] == max(tree) > tree[-1]  # and each of them better;
    assert min(forest) < forest[-1]  # the forest is best before it is bagging
    assert "⌊log₂ 10⌋ + 1 = 4" in text


def combinations(text: str) -> None:
    for problem in ("banana", "circles"):
        plain, combined = (
            figure(rf"{problem}, splits on {kind} *: error ([\d.]+)%", text) for kind in ("attributes", "combinations")
        )
        assert combined < plain


def stack(text: str) -> None:
    errors = {name.strip(): float(error) for name, error in re.findall(r"^(.+?) errs on ([\d.]+)%", text, re.MULTILINE)}
    members = [error for name, error in errors.items() if not name.startswith("stack")]
    assert (len(members), len(errors)) == (5, 9)
    assert errors["stack, 5-fold, logistic"] < min(members)


def pairs(text: str) -> None:
    found = re.findall(r"^one against .*: (\d) models, ([\d.]+)% wrong", text, re.MULTILINE)
    assert [int(models) for models, _ in found] == [3, 3, 3]  # k, and k(k − 1)/2 of each kind of votes
    assert all(float(error) < 8 for _, error in found)


def fifty_lines(text: str) -> None:
    parts = re.search(r"bias² ([\d.]+) \+ variance ([\d.]+) \+ noise ([\d.]+), error ([\d.]+)", text)
    assert parts is not None
    bias, variance, noise, error = map(float, parts.groups())
    assert 1.8 < bias < 2.2
    assert noise == pytest.approx(0.2**2, abs=0.006)
    assert bias + variance + noise == pytest.approx(error, abs=0.05)
    rows = re.findall(r"^ +(\d+) +([\d.]+) +([\d.]+)$", text, re.MULTILINE)
    training, new = ([float(row[column]) for row in rows] for column in (1, 2))
    assert training == sorted(training, reverse=True)
    assert 1 < new.index(min(new)) < len(new) - 1


def selection(text: str) -> None:
    for way in ("forward", "backward"):
        assert f"{way} looked at 211 of 2^20 = 1,048,576 subsets" in text  # 1 + 20 · 21 / 2
        chosen = re.search(rf"^{way} chose (.+)$", text, re.MULTILINE)
        assert chosen is not None
        assert {"x0", "x1", "x2", "x3"} <= set(chosen[1].split(", "))
        figures = re.search(rf"^{way}: cross-validated ([\d.]+) .* ([\d.]+) for the selection", text, re.MULTILINE)
        assert figures is not None
        assert float(figures[1]) < float(figures[2])  # what was minimised is too good


# What comes from samples: the order of things, and the ranges the literature gives.
FOUND: dict[str, Callable[[str], None]] = {
    "bagging_logistic_models": bagged_lines,
    "feature_selection": selection,
    "forest_attributes": few_attributes_a_split,
    "forest_of_combinations": combinations,
    "iris_in_pairs": pairs,
    "label_noise": noise,
    "nets_on_banana": nets,
    "polynomials": fifty_lines,
    "stacking": stack,
    "stumps_on_chi_square": stumps,
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_example(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = FOLDER / f"{name}.py"
    monkeypatch.syspath_prepend(FOLDER)  # as `python examples/x.py` does
    monkeypatch.setattr("sys.argv", [str(script), str(tmp_path / "pictures")])
    runpy.run_path(str(script), run_name="__main__")
    text = capsys.readouterr().out
    lines = text.splitlines()
    assert [line for line in PRINTED.get(name, []) if line not in lines] == []
    FOUND.get(name, lambda _: None)(text)
    assert lines[-1] == f"The picture is {name}.png"
    picture = (tmp_path / "pictures" / f"{name}.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 5000


def test_every_example_is_checked() -> None:
    assert sorted([*PRINTED, *FOUND]) == SCRIPTS


def test_every_example_is_on_the_page() -> None:
    page = (ROOT / "docs/examples.md").read_text()
    assert sorted(re.findall(r"^\| `(\w+)\.py` \|", page, re.MULTILINE)) == SCRIPTS
