"""The compiled nets, against plain NumPy, finite differences and between their own loops."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.special import log_softmax, softmax

from venire._core import NetColumns, NetPack, NetSettings, net_gradient, net_predict, sum_nets

SIZES = [[3, 1], [5, 7, 1], [300, 33, 16, 1], [20, 40, 17, 5, 1]]


def drawn(sizes, seed=0):
    """The weights of a net of these layers, one after the other."""
    rng = np.random.default_rng(seed)
    layers = [(rng.normal(size=(i, o)) / np.sqrt(i), rng.normal(size=o) / 4) for i, o in itertools.pairwise(sizes)]
    return np.concatenate([part.ravel() for layer in layers for part in layer]).astype(np.float32)


def layers_of(flat, sizes):
    """Weights and shifts of each layer, in double precision."""
    found, at = [], 0
    for taken, units in itertools.pairwise(sizes):
        shifts = at + taken * units
        found.append((flat[at:shifts].reshape(taken, units).astype(float), flat[shifts : shifts + units].astype(float)))
        at = shifts + units
    return found


def forward(flat, sizes, x):
    """What comes out of every layer, the rows first."""
    given = [x.astype(float)]
    layers = layers_of(flat, sizes)
    for at, (weights, shifts) in enumerate(layers):
        out = given[-1] @ weights + shifts
        given.append(np.maximum(out, 0) if at + 1 < len(layers) else out)
    return given


def plain_gradient(flat, sizes, x, target, weights, smoothing=0.0):
    """The mean loss and its gradient, layer by layer; whole-number targets are classes."""
    given = forward(flat, sizes, x)
    scores = given[-1]
    if target.dtype.kind == "i":
        shares = np.eye(sizes[-1])[target] * (1 - smoothing) + smoothing / sizes[-1]
        loss = -np.sum(weights[:, None] * shares * log_softmax(scores, axis=1)) / len(x)
        delta = weights[:, None] * (softmax(scores, axis=1) - shares) / len(x)
    else:
        off = scores[:, 0] - target
        loss = np.sum(weights * off**2) / 2 / len(x)
        delta = (weights * off / len(x))[:, None]
    parts = []
    for before, (matrix, _) in zip(reversed(given[:-1]), reversed(layers_of(flat, sizes)), strict=True):
        parts = [(before.T @ delta).ravel(), delta.sum(axis=0), *parts]
        delta = (delta @ matrix.T) * (before > 0)
    return loss, np.concatenate(parts)


def case(sizes, rows, classes, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, sizes[0])).astype(np.float32)
    weights = rng.uniform(0.2, 2.0, rows).astype(np.float32)
    target = rng.integers(0, classes, rows, dtype=np.int32) if classes else rng.normal(size=rows).astype(np.float32)
    return x, target, weights


def gradient(x, sizes, flat, target, weights, smoothing=0.0):
    labels, values = (target, None) if target.dtype.kind == "i" else (None, target)
    return net_gradient(x, sizes, flat, labels, values, weights, smoothing=smoothing)


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("classes", [0, 2, 19])
@pytest.mark.parametrize("rows", [1, 5, 6, 257, 600])
def test_the_gradient_is_that_of_plain_numpy(sizes, classes, rows):
    sizes = [*sizes[:-1], max(1, classes)]
    x, target, weights = case(sizes, rows, classes)
    flat = drawn(sizes)
    smoothing = 0.1 if classes else 0.0
    loss, found = gradient(x, sizes, flat, target, weights, smoothing)
    wanted_loss, wanted = plain_gradient(flat, sizes, x, target, weights, smoothing)
    assert loss == pytest.approx(wanted_loss, rel=1e-5)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=3e-6 * max(1.0, np.abs(wanted).max()))


@pytest.mark.parametrize("classes", [0, 3])
def test_the_gradient_is_that_of_finite_differences(classes):
    sizes = [4, 6, 5, max(1, classes)]
    x, target, weights = case(sizes, 40, classes)
    flat = drawn(sizes)
    _, found = gradient(x, sizes, flat, target, weights, 0.05 if classes else 0.0)
    for place in range(0, len(flat), 3):
        ends = []
        for sign in (1, -1):
            moved = flat.astype(float)
            moved[place] += sign * 1e-5
            ends.append(plain_gradient(moved, sizes, x, target, weights, 0.05 if classes else 0.0)[0])
        assert found[place] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=2e-4)


def scramble(x):
    """The hash of `unit_loops.hpp`."""
    x = (x ^ (x >> 16)) * np.uint32(0x7FEB352D)
    x = (x ^ (x >> 15)) * np.uint32(0x846CA68B)
    return x ^ (x >> 16)


def member(hidden=(8,), **given):
    base = {"learning_rate": 0.01, "weight_decay": 0.0, "dropout": 0.0, "smoothing": 0.0, "held": -1, "seed": 5}
    return NetSettings.of(hidden=list(hidden), **{**base, **given})


def pack_of(x, target, weights=None, *, members, batch=10**6, parts=None, patience=100, seed=3, betas=(0.9, 0.95)):
    classes = 0 if target.dtype.kind == "f" else int(target.max()) + 1
    labels, values = (None, target) if classes == 0 else (target, None)
    parts = np.zeros(len(x), dtype=np.int32) if parts is None else parts
    return NetPack.of(
        x, labels, values, weights, parts,
        classes=classes, members=members, batch=batch, patience=patience, betas=betas, seed=seed,
    )  # fmt: skip


def run(pack, epochs=1, threads=1, factor=1.0):
    return [pack.run_epoch(np.full(pack.batches, factor, dtype=np.float32), threads=threads) for _ in range(epochs)]


@pytest.mark.parametrize("classes", [0, 3])
@pytest.mark.parametrize("decay", [0.0, 0.5])
def test_steps_are_those_of_adamw_in_numpy(classes, decay):
    sizes = [6, 20, 9, max(1, classes)]
    x, target, weights = case(sizes, 90, classes)
    given = {"learning_rate": 0.02, "weight_decay": decay, "smoothing": 0.1 if classes else 0.0}
    pack = pack_of(x, target, weights, members=[member((20, 9), **given)])
    at = pack.parameters(0).astype(float)
    decayed = np.concatenate([
        np.concatenate([np.ones(i * o), np.zeros(o)]) for i, o in itertools.pairwise(sizes)
    ])  # fmt: skip
    first, second = np.zeros_like(at), np.zeros_like(at)
    for step in range(1, 6):
        _, slope = plain_gradient(at, sizes, x, target, weights / weights.mean(), given["smoothing"])
        first, second = 0.9 * first + 0.1 * slope, 0.95 * second + 0.05 * slope**2
        at -= 0.01 * decay * decayed * at  # the rate of a step is half of 0.02
        at -= 0.01 * first / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.95**step)) + 1e-8)
        run(pack, factor=0.5)
        np.testing.assert_allclose(pack.parameters(0), at, rtol=0, atol=2e-5 * step)


@pytest.mark.parametrize("batch", [1, 7, 50])
def test_an_epoch_goes_through_every_row_once(batch):
    """Row i alone speaks to weight i, and a step without memory is as long as the rate, whatever the gradient."""
    x, target = np.eye(50, dtype=np.float32), np.full(50, 100.0, dtype=np.float32)
    pack = pack_of(x, target, members=[member((), learning_rate=0.125)], batch=batch, betas=(0.0, 0.0))
    before = pack.parameters(0)
    assert pack.batches == -(-50 // batch)
    run(pack)
    np.testing.assert_allclose((pack.parameters(0) - before)[:50], 0.125, rtol=1e-5)


def test_units_are_left_out_by_the_hash_of_their_place():
    """A share of them, others in every step, and those that stay are larger."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, 5)).astype(np.float32)
    target = rng.normal(size=400).astype(np.float32)
    found = []
    for dropout in (0.0, 0.3):
        pack = pack_of(x, target, members=[member((64,), dropout=dropout, learning_rate=1e-3)])
        run(pack, 30)
        found.append(net_predict(x, [5, 64, 1], pack.parameters(0), classes=False, threads=1)[:, 0])
    assert not np.array_equal(*found)
    places = scramble(np.uint32(12345) ^ np.arange(200_000, dtype=np.uint32))
    assert (places < 0.3 * 2**32).mean() == pytest.approx(0.3, abs=0.005)
    # On average the units that stay make up for those left out: both nets learn the same straight line.
    assert np.corrcoef(*found)[0, 1] > 0.9


@pytest.mark.parametrize("classes", [0, 3])
def test_any_number_of_threads_gives_the_same_bytes(classes):
    x, target, weights = case([30, 1], 700, classes)
    parts = np.arange(700, dtype=np.int32) % 4
    members = [member((w, 16), held=k % 4, dropout=0.1, seed=k) for k, w in enumerate([8, 64, 17, 32, 100])]
    seen = []
    for threads in (1, 2, 3):
        pack = pack_of(x, target, weights, members=members, batch=64, parts=parts)
        losses = np.array(run(pack, 4, threads)).tobytes()
        seen.append((losses, *(pack.parameters(k).tobytes() for k in range(5))))
        sizes = [30, 8, 16, max(1, classes)]
        said = net_predict(x, sizes, pack.parameters(0), classes=classes > 0, threads=threads)
        seen[-1] = (*seen[-1], said.tobytes())
    assert seen[0] == seen[1] == seen[2]


def test_a_member_does_not_depend_on_the_others():
    x, target, weights = case([12, 1], 300, 2)
    parts = np.arange(300, dtype=np.int32) % 3
    wanted = member((20,), held=1, dropout=0.2, seed=9)
    alone = pack_of(x, target, weights, members=[wanted], batch=32, parts=parts)
    among = pack_of(x, target, weights, members=[member((50, 5), seed=1), wanted], batch=32, parts=parts)
    run(alone, 5)
    run(among, 5)
    assert alone.parameters(0).tobytes() == among.parameters(1).tobytes()


def test_a_part_held_back_teaches_nothing():
    """Whatever its labels are, after one epoch the weights are the same; the loss on it is not."""
    x, target, weights = case([12, 1], 300, 2)
    parts = np.arange(300, dtype=np.int32) % 3
    other = np.where(parts == 2, 1 - target, target).astype(np.int32)
    seen = []
    for labels in (target, other):
        pack = pack_of(x, labels, weights, members=[member((20,), held=2)], batch=32, parts=parts)
        seen.append((run(pack)[0][0], pack.parameters(0)))
    np.testing.assert_array_equal(seen[0][1], seen[1][1])
    assert seen[0][0] != seen[1][0]


def test_the_best_epoch_is_kept_and_patience_ends():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 30)).astype(np.float32)
    target = rng.integers(0, 2, 60, dtype=np.int32)  # nothing to learn: the loss outside soon rises
    parts = (np.arange(60) % 2).astype(np.int32)
    pack = pack_of(x, target, members=[member((64,), held=0)], batch=16, parts=parts, patience=4)
    losses, weights = [], []
    while not pack.stopped:
        losses.append(run(pack)[0][0])
        weights.append(pack.parameters(0))
    best = int(np.argmin(losses))
    assert pack.best_epoch(0) == best + 1
    assert len(losses) == best + 1 + 4
    np.testing.assert_array_equal(pack.parameters(0), weights[best])
    said = net_predict(x[parts == 0], [30, 64, 2], pack.parameters(0), classes=True, threads=1)
    assert -np.log(said[np.arange(30), target[parts == 0]]).mean() == pytest.approx(min(losses), rel=1e-5)
    run(pack)
    np.testing.assert_array_equal(pack.parameters(0), weights[best])


def test_weights_are_copies():
    x, target, _ = case([8, 1], 80, 3)
    counts = np.random.default_rng(4).integers(1, 4, 80)
    weighted = pack_of(x, target, counts.astype(np.float32), members=[member((16,))])
    copies = np.repeat(np.arange(80), counts)
    copied = pack_of(x[copies], target[copies], members=[member((16,))])
    for pack in (weighted, copied):
        run(pack, 20)
    np.testing.assert_allclose(weighted.parameters(0), copied.parameters(0), atol=1e-3)


@pytest.mark.parametrize("classes", [0, 4])
def test_predictions_are_those_of_plain_numpy_and_of_each_row_alone(classes):
    sizes = [300, 33, 17, max(1, classes)]
    x, _, _ = case(sizes, 600, classes)
    flat = drawn(sizes)
    found = net_predict(x, sizes, flat, classes=classes > 0, threads=2)
    scores = forward(flat, sizes, x)[-1]
    np.testing.assert_allclose(found, softmax(scores, axis=1) if classes else scores, rtol=0, atol=1e-5)
    for row in (0, 5, 255, 256, 599):
        alone = net_predict(x[row : row + 1], sizes, flat, classes=classes > 0, threads=1)
        assert alone.tobytes() == found[row].tobytes()


def test_a_planted_net_is_found():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4000, 6)).astype(np.float32)
    target = (np.maximum(0, x[:, 0] - x[:, 1]) - np.maximum(0, x[:, 2] + 0.5)).astype(np.float32)
    parts = (np.arange(4000) % 5).astype(np.int32)
    pack = pack_of(x, target, members=[member((32,), held=0, learning_rate=0.01)], batch=128, parts=parts)
    losses = run(pack, 30)
    assert losses[-1][0] < 0.001 * target.var()


BAD = [
    ({"members": []}, "at least one member"),
    ({"batch": 0}, "at least one row"),
    ({"parts": np.zeros(3, dtype=np.int32)}, "parts and the matrix differ in length"),
    ({"parts": np.full(30, -1, dtype=np.int32)}, "a part is not in"),
    ({"members": [member(held=0)]}, "has no rows, or all of them"),
    ({"members": [member(held=7)]}, "has no rows, or all of them"),
]


@pytest.mark.parametrize(("wrong", "said"), BAD)
def test_what_is_no_pack_is_refused(wrong, said):
    x, target, _ = case([4, 1], 30, 2)
    with pytest.raises(ValueError, match=said):
        pack_of(x, target, **{"members": [member()], **wrong})


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"hidden": [0]}, "from 1 to 16384"),
        ({"hidden": [1 << 15]}, "from 1 to 16384"),
        ({"learning_rate": 0.0}, "must be above 0"),
        ({"learning_rate": float("nan")}, "must be above 0"),
        ({"dropout": 1.0}, r"dropout must be in \[0, 1\)"),
        ({"smoothing": -0.1}, "smoothing must be in"),
    ],
)
def test_what_is_no_setting_is_refused(wrong, said):
    with pytest.raises(ValueError, match=said):
        member(**wrong)


def test_weights_of_another_net_are_refused():
    x = np.zeros((2, 3), dtype=np.float32)
    with pytest.raises(ValueError, match="not those of a net of these sizes"):
        net_predict(x, [3, 2, 1], np.zeros(10, dtype=np.float32), classes=False, threads=1)
    with pytest.raises(ValueError, match="begin with the columns"):
        net_predict(x, [4, 1], np.zeros(5, dtype=np.float32), classes=False, threads=1)
    labels = np.array([0, 2], dtype=np.int32)
    with pytest.raises(ValueError, match="a label is not in"):
        net_gradient(x, [3, 2], np.zeros(8, dtype=np.float32), labels, None, np.ones(2, np.float32), smoothing=0.0)


def some_columns(**changed):
    """Three numbers, two of them in pieces, and a category."""
    kinds = {
        "numeric": np.array([0, 1, 3], dtype=np.uint32),
        "centre": np.array([0.0, 0.5, -1.0]),
        "spread": np.array([1.0, 2.0, 0.5]),
        "gaps": np.array([True, False, False]),
        "edge_starts": np.array([0, 4, 4, 7]),
        "edges": np.array([-1.0, -0.3, 0.4, 1.1, -2.0, 0.0, 2.0]),
        "categorical": np.array([2], dtype=np.uint32),
        "level_starts": np.array([0, 3]),
        "levels": np.array([0, 1, 4]),
    }
    return NetColumns.of(**{**kinds, **changed})


@pytest.mark.parametrize("classes", [True, False])
def test_nets_see_columns_block_by_block_as_they_see_them_at_once(classes):
    rng = np.random.default_rng(4)
    x = rng.normal(size=(1000, 4))
    x[:, 2] = rng.integers(0, 5, 1000)
    x[rng.random(x.shape) < 0.1] = np.nan
    columns = some_columns()
    sizes = [columns.width, 19, 33, 3 if classes else 1]
    weights = np.stack([drawn(sizes, seed) for seed in range(3)])
    given = columns.write(x)
    expected = sum(net_predict(given, sizes, one, classes=classes, threads=1).astype(float) for one in weights)
    for rows, threads in ((1000, 1), (1000, 3), (257, 2), (1, 1), (0, 1)):
        found = sum_nets(columns, x[:rows], sizes, weights, classes=classes, threads=threads)
        assert found.tobytes() == expected[:rows].tobytes()


@pytest.mark.parametrize(
    "changed",
    [
        {"centre": np.zeros(2)},
        {"edge_starts": np.array([0, 4, 7])},
        {"edge_starts": np.array([0, 5, 4, 7])},
        {"edge_starts": np.array([0, 4, 4, 8])},
        {"level_starts": np.array([1, 3])},
    ],
)
def test_columns_that_do_not_fit_together_are_refused(changed):
    with pytest.raises(ValueError, match=r"differs in length|do not follow each other"):
        some_columns(**changed)


def test_a_sum_of_nets_is_of_their_columns_and_sizes():
    columns = some_columns()
    sizes = [columns.width, 5, 1]
    weights = drawn(sizes)[None]
    with pytest.raises(ValueError, match="beyond the matrix"):
        sum_nets(columns, np.zeros((2, 3)), sizes, weights, classes=False, threads=1)
    with pytest.raises(ValueError, match="begin with the columns"):
        sum_nets(columns, np.zeros((2, 4)), [3, 5, 1], weights, classes=False, threads=1)
    with pytest.raises(ValueError, match="not those of a net of these sizes"):
        sum_nets(columns, np.zeros((2, 4)), sizes, weights[:, 1:].copy(), classes=False, threads=1)


CHILD = """
import json, numpy as np
from tests.core.test_net import case, member, pack_of, run
from venire import _core
x, target, weights = case([70, 1], 500, 3)
parts = np.arange(500, dtype=np.int32) % 4
pack = pack_of(x, target, weights, members=[member((40, 30), held=1, dropout=0.1)], batch=64, parts=parts)
losses = [float(each[0]) for each in run(pack, 3)]
print(json.dumps([_core.simd_level(), losses, pack.parameters(0).tolist()]))
"""


def child(level):
    env = os.environ | {"VENIRE_SIMD": level}
    ran = subprocess.run([sys.executable, "-c", CHILD], env=env, capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)


def test_every_width_of_vectors_trains_the_same_net():
    """But for the last bits; a width that this machine does not have falls back to the widest it has."""
    plain, *others = [child(level) for level in ("baseline", "avx2", "avx512")]
    assert plain[0] == "baseline"
    for _, losses, weights in others:
        np.testing.assert_allclose(losses, plain[1], rtol=1e-4)
        np.testing.assert_allclose(weights, plain[2], rtol=0, atol=2e-3)
