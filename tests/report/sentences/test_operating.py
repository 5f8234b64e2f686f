import pytest

from tests.report.samples import binary
from venire.report.sentences.operating import cheapest, cost_of, point_words

FOUND = binary()[1]["operating"]


def test_a_point_is_counted_per_hundred_and_per_thousand():
    said = point_words(FOUND, 6)
    assert said == (
        "Of 100 'fraud' rows it finds 76 (28 of 37); 1,000 'normal' rows raise 9 false alarms (3 of 343). "
        "9.7 % of its alarms are false."
    )
    assert point_words(FOUND, 0).endswith("It flags nothing.")
    assert "it finds 100 (37 of 37); 1,000 'normal' rows raise 1,000 false alarms" in point_words(FOUND, 10)


@pytest.mark.parametrize("ratio", [0.1, 1.0, 8.0, 100.0])
def test_the_cheapest_point_is_found_by_looking_at_all(ratio):
    costs = [1000 * (ratio * (37 - p["found"]) + p["alarms"]) / 380 for p in FOUND["points"]]
    assert [cost_of(FOUND, at, ratio) for at in range(len(costs))] == pytest.approx(costs)
    assert costs[cheapest(FOUND, ratio)] == min(costs)
