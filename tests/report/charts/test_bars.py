from tests.report.samples import binary
from venire.report.charts.bars import bars, domain


def test_bars_share_one_axis_from_zero():
    rows = [{"error": 0.1, "interval": [0.05, 0.15]}, {"error": 0.2, "interval": None}]
    first, second = bars(rows)
    assert (first.low, first.at, first.high) == (25.0, 50.0, 75.0)
    assert (second.low, second.at, second.high) == (100.0, 100.0, 100.0)


def test_one_member_astray_does_not_squeeze_the_others():
    rows = [*binary()[0]["leaderboard"], {"error": 1e9, "interval": [0, 2e9]}]
    assert domain(rows)[1] < 0.2
    *others, astray = bars(rows)
    assert astray.beyond
    assert not any(bar.beyond for bar in others)


def test_negative_ends_and_missing_errors():
    assert domain([{"error": 0.01, "interval": [-0.02, 0.04]}]) == (-0.02, 0.04)
    assert bars([{"error": None}]) == [None]
    assert domain([]) == (0.0, 1.0)
    assert domain([{"error": 0.0}]) == (0.0, 1.0)
