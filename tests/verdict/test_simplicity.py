"""What may be called simpler."""

from venire.families.bucket import COMBINATIONS, default_bucket
from venire.verdict.simplicity import _STEP_OF, simpler_than


def test_every_family_of_the_bucket_has_its_step() -> None:
    assert set(_STEP_OF) == {*(family.name for family in default_bucket()), *COMBINATIONS}


def test_a_search_through_all_rows_is_not_simpler_than_a_line() -> None:
    names = [*(family.name for family in default_bucket()), *COMBINATIONS]
    assert simpler_than("linear", names) == []
    assert "knn" not in simpler_than("logistic", names)
    assert simpler_than("knn", names) == ["naive_bayes", "tree", "linear", "logistic", "perceptron"]
    assert "neural_net" not in simpler_than("forest", names)
    assert simpler_than("stack", names)[-1] == "boosting_searched"


def test_a_machine_with_a_kernel_explains_no_more_than_a_forest() -> None:
    names = [*(family.name for family in default_bucket()), *COMBINATIONS]
    for chosen in ("forest", "boosting", "neural_net"):
        assert "svm" not in simpler_than(chosen, names)
    assert "linear" in simpler_than("svm", names)
