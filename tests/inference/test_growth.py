"""Learning curves through two sizes, on curves that are known."""

from __future__ import annotations

import numpy as np
import pytest

from venire.errors import UsageError
from venire.inference import growth

K = 10


def planted(curve, rows, *, folds=K, noise=0.0, seed=0):
    """Losses without one and two folds on a given curve; a fold's difficulty is shared by both."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(0, noise, folds) if noise else np.zeros(folds)
    one, two = (curve(rows * (1 - left_out / folds)) for left_out in (1, 2))
    return one + hard, two + hard


@pytest.mark.parametrize("exponent", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("folds", [3, 5, 10])
def test_a_planted_power_law_is_continued(exponent, folds):
    def curve(m):
        return 0.1 + 3.0 / m**exponent

    found = growth(*planted(curve, 120, folds=folds), rows=120, folds=folds, exponent=exponent)
    assert found.at_all_rows.value == pytest.approx(curve(120))
    assert found.at_twice_the_rows.value == pytest.approx(curve(240))
    assert found.at(1000).value == pytest.approx(curve(1000))


def test_the_wrong_exponent_hardly_matters_at_all_rows():
    def curve(m):
        return 0.1 + 2.0 / np.sqrt(m)

    found = growth(*planted(curve, 100), rows=100, folds=K)
    assert found.at_all_rows.value == pytest.approx(curve(100), abs=0.001)
    assert abs(found.at_twice_the_rows.value - curve(200)) > 0.01


def test_what_folds_share_does_not_blur_the_gain():
    found = growth(*planted(lambda m: 0.1 + 5 / m, 100, noise=0.05), rows=100, folds=K)
    assert found.at_all_rows.interval.width > 0.03
    assert found.doubling().p_better > 0.999
    assert found.doubling(rope=0.1).p_equal > 0.999
    assert found.sentence().startswith("Twice the rows would help: from 0.")


def noisy(error, without_two, noise, *, seed=0, **more):
    """Ten folds of that mean error, and of that much more without two, with noise in the difference."""
    rng = np.random.default_rng(seed)
    wobble = rng.normal(0, noise, K)
    one = error + (hard := rng.normal(0, 0.01, K)) - hard.mean()
    return growth(one, one + without_two + wobble - wobble.mean(), rows=100, folds=K, lowest=0.0, **more)


@pytest.mark.parametrize("exponent", [0.5, 1.0, 2.0])
def test_the_gain_is_what_a_cross_validation_of_twice_the_rows_would_show(exponent):
    def curve(m):
        return 0.1 + 3.0 / m**exponent

    found = growth(*planted(curve, 120), rows=120, folds=K, exponent=exponent, lowest=0.0)
    now, then = curve(0.9 * 120), curve(0.9 * 240)
    assert found.measured == pytest.approx(now)
    assert found.gain().value == pytest.approx(now - then)
    assert found.measured - found.gain().value == pytest.approx(then)
    # Were the lowest loss the end of the curve, nothing would be missing to the most that is possible.
    ideal = growth(*planted(curve, 120), rows=120, folds=K, exponent=exponent, lowest=0.1)
    assert ideal.most == pytest.approx(ideal.gain().value)


@pytest.mark.parametrize("without_two", [-0.05, -0.01, 0.0, 0.004, 0.02, 0.1])
@pytest.mark.parametrize("noise", [0.001, 0.02])
def test_what_twice_the_rows_bring_is_possible(without_two, noise):
    found = noisy(0.2, without_two, noise)
    gain = found.gain()
    assert 0 <= gain.value <= found.most == pytest.approx(0.1), "at most half of the error"
    assert 0.1 <= found.measured - gain.value <= found.measured, "more rows never harm"
    # The oracle: draws of the Student-t that the folds give, each put where it can be.
    change = 4 * (found.without_two - found.without_one)  # (1/0.9 − 1/1.8) / (1/0.8 − 1/0.9) for ten folds
    scale = change.std(ddof=1) * np.sqrt(1 / K + 1 / (K - 1))
    draws = change.mean() + scale * np.random.default_rng(1).standard_t(K - 1, 400_000)
    possible = np.clip(draws, 0, 0.1)
    low, high = np.quantile(possible, 0.025), np.quantile(np.clip(np.maximum(draws, 2 * draws), 0, 0.1), 0.975)
    if gain.interval.defined:
        assert gain.low <= gain.value <= gain.high
        assert gain.low == pytest.approx(low, abs=0.002 + 0.02 * scale)
        assert gain.high == pytest.approx(high, abs=0.002 + 0.02 * scale)
    else:
        assert high - low <= 0.002 + 0.02 * scale, "one point would be no interval"
    assert gain.value == pytest.approx(np.median(possible), abs=0.002 + 0.02 * scale)
    assert found.p_helps(0.01) == pytest.approx(np.mean(possible > 0.01), abs=0.005)


def test_folds_that_rule_out_nothing_say_so():
    vague = noisy(0.2, 0.01, 0.1)
    assert not vague.tells()
    assert vague.gain().interval.low == 0
    assert vague.gain().interval.high == pytest.approx(vague.most)
    assert vague.sentence() == (
        f"The folds leave open whether more rows would help: by nothing, or by up to {vague.most:.3g}."
    )
    assert noisy(0.2, 0.01, 0.001).tells()
    assert noisy(0.2, -0.03, 0.01).tells(), "that they help by the most possible is ruled out"


def test_what_is_possible_cuts_no_interval_down_to_a_point():
    """Folds that say more than is possible, or less than nothing: 1.125 to 1.125 would be no interval."""
    for too_much in (noisy(0.2, 0.2, 0.001), noisy(0.2, -0.2, 0.001)):
        gain = too_much.gain()
        assert 0 <= gain.value <= too_much.most
        assert not gain.interval.defined


def test_little_is_left_where_the_most_would_not_matter():
    found = noisy(0.016, 0.004, 0.001)
    assert found.most == pytest.approx(0.008)
    assert found.p_helps(0.01) == 0
    assert found.p_helps(0.001) > 0.9
    assert found.sentence(0.01) == "An error of 0.016 leaves little for more rows to gain."


def test_the_sentence_starts_from_the_error_measured():
    assert (
        noisy(0.2, 0.01, 0.001).sentence() == "Twice the rows would help: from 0.2 to about 0.16 (probability >99.9 %)."
    )


def test_no_error_lies_below_the_lowest():
    found = noisy(0.02, 0.01, 0.001)
    assert found.at_twice_the_rows.value == 0
    assert found.at_twice_the_rows.low == 0
    assert growth(found.without_one, found.without_two, rows=100, folds=K).at_twice_the_rows.value < 0


def test_a_flat_curve_promises_nothing():
    rng = np.random.default_rng(1)
    one = rng.normal(0.3, 0.02, K)
    found = growth(one, one + rng.normal(0, 0.01, K) - 0.002, rows=100, folds=K)
    assert found.doubling().p_better < 0.95
    assert "not expected to help" in found.sentence() or "evidence is weak" in found.sentence()


def least_squares(rng, n, p):
    """Losses of a least-squares fit in a linear world, without one fold and without two."""
    X, y = rng.standard_normal((n, p)), rng.standard_normal(n)
    folds = np.arange(n) % K
    G = np.stack([X[folds == k].T @ X[folds == k] for k in range(K)])
    g = np.stack([X[folds == k].T @ y[folds == k] for k in range(K)])

    def loss(left_out, on):
        beta = np.linalg.solve(G.sum(0) - G[left_out].sum(0), g.sum(0) - g[left_out].sum(0))
        return np.mean(np.square(y - X @ beta)[folds == on])

    pairs = np.array([[loss([i, j], i) if i != j else np.nan for j in range(K)] for i in range(K)])
    return np.array([loss([i], i) for i in range(K)]), pairs


def test_intervals_hold_the_error_at_all_rows_and_at_twice_as_many():
    # On m rows of p normal attributes a least-squares fit errs by 1 + p / (m − p − 1) on new ones.
    rng, n, p = np.random.default_rng(2), 100, 10
    now, then = [], []
    for _ in range(200):
        found = growth(*least_squares(rng, n, p), rows=n, folds=K)
        now.append(found.at_all_rows)
        then.append(found.at_twice_the_rows)
    for estimates, truth in ((now, 1 + p / (n - p - 1)), (then, 1 + p / (2 * n - p - 1))):
        values = np.array([e.value for e in estimates])
        assert values.mean() == pytest.approx(truth, abs=3 * values.std() / np.sqrt(200) + 0.01)
        assert np.mean([e.low <= truth <= e.high for e in estimates]) > 0.92


def test_undefined_folds_are_left_out_and_too_few_claim_nothing():
    one, two = planted(lambda m: 1 / m, 50, noise=0.01)
    one[3] = np.nan
    assert growth(one, two, rows=50, folds=K).at_all_rows.interval.defined
    lone = growth([0.1, np.nan, np.nan], [0.2, 0.2, 0.2], rows=30, folds=3)
    assert not lone.at_all_rows.interval.defined
    assert lone.sentence() == "Whether more rows would help cannot be said from these folds."


def test_wrong_requests_are_refused():
    with pytest.raises(UsageError, match="3 losses without one fold and 2 without two"):
        growth([0.1, 0.2, 0.3], [0.1, 0.2], rows=30, folds=3)
    with pytest.raises(UsageError, match="30 rows in 2 folds leave nothing"):
        growth([0.1, 0.2], [0.1, 0.2], rows=30, folds=2)
    with pytest.raises(UsageError, match="exponent of a learning curve is above 0, and 0 was given"):
        growth([0.1] * 3, [0.1] * 3, rows=30, folds=3, exponent=0)


def test_the_gain_is_taken_off_the_figure_shown_where_that_is_no_mean_of_folds():
    one, two = [3.0, 4.0, 5.0], [3.3, 4.2, 5.4]
    rmse = float(np.sqrt(np.mean(np.square(one))))
    plain, shown = (growth(one, two, rows=90, folds=3, lowest=0.0, **more) for more in ({}, {"shown": rmse}))
    assert (plain.measured, shown.measured) == (pytest.approx(4.0), rmse)
    assert shown.most == pytest.approx(rmse / 2)
    assert shown.gain().value == pytest.approx(plain.gain().value), "what the folds say of the gain is the same"
