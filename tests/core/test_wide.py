"""Loops compiled for wide vectors give the bits of the plain ones."""

from __future__ import annotations

import os
import subprocess
import sys

PROGRAM = """
import hashlib
import numpy as np
from venire._core import AdaMembers, Bins, Booster, BoostPlan, bayes_scores, bayes_sums, boosted_sums, loss_gradients
from venire._core import nearest
from venire.models.net.columns import NetColumns

rng = np.random.default_rng(0)
digest = hashlib.sha256()
for gaps in (0.0, 0.1):
    X = rng.normal(size=(3001, 9))
    X[:, 7:] = rng.integers(0, 5, (3001, 2))
    X[rng.random(X.shape) < gaps] = np.nan
    parts = {
        "numeric": np.arange(6, dtype=np.uint32),
        "categorical": np.arange(7, 9, dtype=np.uint32),
        "counted": np.array([6], dtype=np.uint32),
        "origin": np.zeros(6),
        "categories": np.array([5, 5]),
    }
    labels = rng.integers(0, 3, 3001).astype(np.int32)
    sums = bayes_sums(X, labels, rng.random(3001), classes=3, **parts, threads=2)
    _, mean, squares, table, counted = sums
    model = {"prior": np.zeros(3), "mean": mean, "steepness": squares, "height": mean, "table": table, "rates": counted}
    scores = bayes_scores(X, **parts, **model, threads=2)
    found = nearest(X, X[:200], np.arange(9) > 6, k=7, skip_self=False, threads=2)
    steep = 300 * rng.normal(size=(1, 3001))
    targets = {"logistic": (labels > 0) * 1.0, "poisson": labels * 1.0, "gamma": labels + 0.5}
    slopes = [part for loss, y in targets.items() for part in loss_gradients(loss, 0.9, y, steep, threads=2)]
    bins = Bins.of(X, np.arange(9) > 6, None, max_bins=255, threads=1)
    plain = Bins.of(X[:, :7], np.zeros(7, dtype=bool), None, max_bins=255, threads=1)
    boosted = []
    rules = ((0, 0.0, 0.0, 20.0), (0, 1.0, 0.0, 2.0), (0, 0.5, 0.1, 5.0), (4, 0.0, 0.0, 2.0), (9, 1.0, 0.0, 2.0))
    for levels, *penalties in rules:
        plan = BoostPlan()
        plan.levels = levels
        plan.loss = "logistic"
        plan.l2_regularization, plan.l1_regularization, plan.min_samples_leaf = penalties
        y = (labels > 0).astype(float)
        booster = Booster.of(bins, y, None, np.zeros(0), np.zeros(0, dtype=np.int8), plan, threads=1)
        booster.advance(5, threads=1)
        boosted.append(booster.scores())
        boosted.append(boosted_sums(booster.forest(), X[:, ::-1][:, ::-1], booster.start, [1, 5], threads=2))
    for leaves in (20, 60):
        plan = BoostPlan()
        plan.loss, plan.max_leaf_nodes, plan.min_samples_leaf = "logistic", leaves, 2.0
        booster = Booster.of(bins, y, None, np.zeros(0), np.zeros(0, dtype=np.int8), plan, threads=1)
        booster.advance(5, threads=1)
        boosted.append(boosted_sums(booster.forest(), X, booster.start, [5], threads=1))
    stump, wrong = AdaMembers.stumps(plain, labels, classes=3, threads=1).grow(rng.random(3001))
    net_columns = NetColumns.of(X, np.arange(9) > 6, 12).transform(X)
    for array in (*sums, scores, net_columns, *found, *slopes, *boosted, stump.to_arrays()["values"], wrong):
        digest.update(np.ascontiguousarray(array).data)
print(digest.hexdigest())
"""


def run(simd: str | None) -> str:
    settings = {key: value for key, value in os.environ.items() if key != "VENIRE_SIMD"}
    if simd:
        settings["VENIRE_SIMD"] = simd
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=settings, capture_output=True, text=True, check=True)
    return done.stdout


def test_the_widest_and_the_plain_loops_agree_to_the_bit() -> None:
    assert run(None) == run("avx2") == run("baseline")
