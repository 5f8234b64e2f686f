"""Nets at equal work: ours beside scikit-learn's and PyTorch's.

    python -m benchmarks.speed.net [--quick] [--rounds 3] [--environments FOLDER]

Same layers, rows, epochs and batches, Adam, no early stopping, dropout or decay, one thread each. scikit-learn runs on
float32 as well. PyTorch runs in an environment of its own (`FOLDER/torch`, made by pip when missing; left out, and said
so, where it cannot be installed), rows as tensors, `AdamW(fused=True)` where it has it. One epoch of each goes first;
then they take turns, and the ratio is that of the medians. Seconds are processor time, which a busy neighbour changes
least. A pack of eight nets is one call of ours, and eight fits one after the other of the others.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import warnings
from pathlib import Path
from statistics import median
from typing import IO, Any

import numpy as np
from sklearn.neural_network import MLPClassifier

from benchmarks.results import Run
from venire._core import NetPack, NetSettings

ROOT = Path(__file__).parents[2]
SHAPES = {  # rows, columns, hidden layers, batch, nets
    "1 net of 64 units, batch 64": (8192, 20, (64,), 64, 1),
    "1 net of 128 + 128 units, batch 128": (8192, 50, (128, 128), 128, 1),
    "8 nets of 64 + 64 units, batch 64": (2048, 20, (64, 64), 64, 8),
    "8 nets of 128 + 128 units, batch 256": (8192, 50, (128, 128), 256, 8),
}
BARS = {"scikit-learn": 10.0, "torch": 3.0}
EPOCHS = 2


def rows_of(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(rows, columns)).astype(np.float32)
    return x, (x[:, 0] * x[:, 1] + rng.normal(size=rows) > 0).astype(np.int32)


def ours(shape: tuple[Any, ...]) -> float:
    rows, columns, hidden, batch, nets = shape
    x, y = rows_of(rows, columns)
    settings = [
        NetSettings.of(
            hidden=list(hidden), learning_rate=1e-3, weight_decay=0.0, dropout=0.0, smoothing=0.0, held=-1, seed=k
        )
        for k in range(nets)
    ]
    parts = np.zeros(rows, dtype=np.int32)
    began = time.process_time()
    pack = NetPack.of(
        x, y, None, None, parts,
        classes=2, members=settings, batch=batch, patience=EPOCHS, betas=(0.9, 0.999), seed=0,
    )  # fmt: skip
    for _ in range(EPOCHS):
        pack.run_epoch(np.ones(pack.batches, dtype=np.float32), threads=1)
    return time.process_time() - began


def sklearn_nets(shape: tuple[Any, ...]) -> float:
    rows, columns, hidden, batch, nets = shape
    x, y = rows_of(rows, columns)
    began = time.process_time()
    for seed in range(nets):
        net = MLPClassifier(hidden, batch_size=batch, max_iter=EPOCHS, alpha=0.0, random_state=seed, tol=0.0)
        net.fit(x, y)
    return time.process_time() - began


class Torch:
    """PyTorch in its environment, asked for one measurement at a time."""

    def __init__(self, python: Path) -> None:
        command = [str(python), str(ROOT / "benchmarks/speed/net_child.py")]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, shape: tuple[Any, ...]) -> float:
        pipes: tuple[IO[str] | None, IO[str] | None] = (self._process.stdin, self._process.stdout)
        assert pipes[0] is not None
        assert pipes[1] is not None
        pipes[0].write(json.dumps([*shape, EPOCHS]) + "\n")
        pipes[0].flush()
        return float(pipes[1].readline())

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()


def torch_in(environments: Path) -> Torch | None:
    """None when it cannot be installed."""
    python = environments / "torch/bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(environments / "torch")], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "torch", "numpy"], check=False)
    there = subprocess.run([python, "-c", "import torch"], capture_output=True, check=False)
    return Torch(python) if there.returncode == 0 else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="the first shape only")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--environments", type=Path, default=ROOT / ".venv-peers/nets")
    run = Run.of("speed-net", parser, free=("environments",))
    warnings.simplefilter("ignore")  # that scikit-learn's have not converged
    engines: dict[str, Any] = {"venire": ours, "scikit-learn": sklearn_nets}
    torch = torch_in(run.asked.environments)
    if torch is None:
        print("PyTorch cannot be installed here and is left out")
    else:
        engines["torch"] = torch
    print(f"{'milliseconds of ' + str(EPOCHS) + ' epochs':40s}" + "".join(f"{name:>14s}" for name in engines))
    for job, shape in list(SHAPES.items())[: 1 if run.asked.quick else None]:
        _measure(run, job, shape, engines)
    if torch is not None:
        torch.close()
    run.finish()


def _measure(run: Run, job: str, shape: tuple[Any, ...], engines: dict[str, Any]) -> None:
    for engine in engines.values():
        engine(shape)
    taken: dict[str, list[float]] = {name: [] for name in engines}
    for _ in range(run.asked.rounds):
        for name, engine in engines.items():
            taken[name].append(engine(shape))
    middle = {name: median(times) for name, times in taken.items()}
    print(f"{job:40s}" + "".join(f"{1e3 * seconds:14.1f}" for seconds in middle.values()), end="")
    for name, seconds in middle.items():
        ratio = seconds / middle["venire"]
        run.results.add(job, name, seconds=seconds, ratio=None if name == "venire" else ratio)
        if name in BARS:
            kept = "" if ratio >= BARS[name] else ", missed"
            print(f"   {name} {ratio:.1f} × (bar {BARS[name]:g}{kept})", end="")
    print(flush=True)


if __name__ == "__main__":
    main()
