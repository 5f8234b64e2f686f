from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.ensemble import BaggingClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from venire.validation.evidence.definitions import described
from venire.validation.evidence.evidence import FamilyKey
from venire.validation.trials.family import Setting
from venire.validation.trials.generic import GenericFamily


def doubled(x: Any) -> Any:
    return x * 2


def test_parameters_and_nested_estimators_count() -> None:
    assert described(GaussianNB()) == described(GaussianNB())
    assert described(GaussianNB()) != described(GaussianNB(var_smoothing=1e-8))
    bags = [BaggingClassifier(GaussianNB(var_smoothing=v)) for v in (1.0, 2.0)]
    assert described(bags[0]) != described(bags[1])


def test_long_arrays_are_not_shortened() -> None:
    one = np.zeros(5000)
    other = one.copy()
    other[2500] = 1
    assert repr(one) == repr(other)
    assert described(one) != described(other)


def test_nothing_hangs_on_an_address() -> None:
    class Odd(BaseEstimator):
        def __init__(self, helper: Any = None) -> None:
            self.helper = helper

    class Helper:
        def __init__(self) -> None:
            self.power = 2

    assert described(Odd(Helper())) == described(Odd(Helper()))
    text = described(make_pipeline(FunctionTransformer(doubled), GaussianNB()))
    assert " at 0x" not in text
    assert "return x * 2" in text


OWN = """
from sklearn.base import BaseEstimator
class Base(BaseEstimator):
    def fit(self, X, y):
        self.value_ = {value}
        return self
class Mine(Base):
    def predict(self, X):
        return [self.value_] * len(X)
"""


def test_a_changed_source_is_another_definition_also_in_a_base_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = []
    for folder, value in (("a", 1), ("b", 1), ("c", 2)):
        file = tmp_path / folder / "own.py"
        file.parent.mkdir()
        file.write_text(OWN.format(value=value))
        spec = spec_from_file_location("own", file)
        assert spec is not None
        assert spec.loader is not None
        own = module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "own", own)
        spec.loader.exec_module(own)
        texts.append(described(own.Mine()))
    assert texts[0] == texts[1]
    assert texts[0] != texts[2]


def test_code_without_a_source_is_told_apart_by_what_it_does() -> None:
    def typed_in(text: str) -> Any:
        room: dict[str, Any] = {"__name__": "prompt"}
        exec(text, room)
        return room["f"]

    one, same, other = (typed_in(f"def f(x):\n    return x + {k}\n") for k in (1, 1, 2))
    assert described(one) == described(same)
    assert described(one) != described(other)


@pytest.mark.parametrize(
    "change",
    [
        {"name": "other"},
        {"classifier": GaussianNB(var_smoothing=1.0)},
        {"encoding": "codes"},
        {"path": (Setting("default"), Setting("more", {"var_smoothing": 1.0}))},
        {"path": (Setting("renamed"),)},
    ],
)
def test_a_changed_family_or_path_has_another_key(change: dict[str, Any]) -> None:
    def key(**given: Any) -> FamilyKey:
        family = GenericFamily(**{"name": "bayes", "classifier": GaussianNB(), **given})
        return FamilyKey.of(family, given.get("path", (Setting("default"),)))

    assert key() == key()
    assert key() != key(**change)


def test_an_own_kind_of_family_is_told_apart_by_its_source() -> None:
    class Mine(GenericFamily):
        def cost(self, table: Any, plan: Any) -> Any:
            return super().cost(table, plan)

    assert "super().cost(table, plan)" in Mine("x", classifier=GaussianNB()).definition()
    assert "class" not in GenericFamily("x", classifier=GaussianNB()).definition()
