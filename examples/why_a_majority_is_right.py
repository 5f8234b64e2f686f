"""Why a majority is right: independent voters, the variance of an average, and what correlation takes away."""

from __future__ import annotations

import altair as alt
import drawing
import numpy as np

from venire.inference import average_variance, majority_vote_accuracy

VOTERS = np.arange(1, 102, 2)


def main() -> None:
    print(f"25 voters, each wrong with probability 0.35: {1 - majority_vote_accuracy(25, 0.65):.2f} wrong together")
    rng = np.random.default_rng(0)
    wrong = (rng.random((100_000, 25)) < 0.35).sum(axis=1) > 12
    print(f"in 100,000 simulated votes: {wrong.mean():.2f}")
    print(f"each wrong with probability 0.55: {1 - majority_vote_accuracy(25, 0.45):.2f} wrong together\n")
    for rho in (0.0, 0.25, 0.5):
        small, large = (average_variance(1.0, rho, count) for count in (10, 100))
        print(f"correlation {rho:.2f}: the average of 10 predictors has variance {small:.3f}, of 100 {large:.3f}")

    right = {f"each right {p:.0%}": [majority_vote_accuracy(int(t), p) for t in VOTERS] for p in (0.7, 0.6, 0.5, 0.45)}
    spread = {f"ρ = {rho}": [average_variance(1.0, rho, int(t)) for t in VOTERS] for rho in (0.5, 0.25, 0.0)}
    drawing.save(
        alt.hconcat(
            drawing.lines(VOTERS, right, "independent voters", "P(the majority is right)"),
            drawing.lines(VOTERS, spread, "predictors in the average", "variance of the average"),
        ).resolve_scale(color="independent"),
        __file__,
    )


if __name__ == "__main__":
    main()
