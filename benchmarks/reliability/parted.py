"""Does one model over partitions keep its bytes when its workers are killed?

    python -m benchmarks.reliability.parted [--kills 20] [--seed 0]

Boosting, naive Bayes, a ridge and a logistic regression are fitted to Parquet files on a scheduler and two workers,
real processes on this machine, of which one is killed every few seconds (its nanny starts another), until so many were.
Each model is compared with the one that was fitted undisturbed: that of `venire` on one machine, or on one partition.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import venire
from benchmarks.reliability.cluster import kill_worker
from benchmarks.reliability.clusters import Processes
from benchmarks.results import Run
from venire import cluster

_PAUSE = (2.0, 5.0)  # seconds between two kills
_PIECES = 5


def written(folder: Path, rows: int, seed: int) -> tuple[pd.DataFrame, list[str]]:
    """A table, and its partitions, which end inside of blocks."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(rows, 8)), columns=list("abcdefgh"))
    frame["y"] = (frame["a"] + frame["b"] * frame["c"] + rng.normal(size=rows) > 0).astype(int)
    ends = [0, *np.sort(rng.integers(1, rows, _PIECES - 1)).tolist(), rows]
    paths = []
    for piece in range(_PIECES):
        paths.append(str(folder / f"{piece}.parquet"))
        frame.iloc[ends[piece] : ends[piece + 1]].to_parquet(paths[-1])
    return frame, paths


def content(model: Any, folder: Path) -> bytes:
    """The bytes of its file."""
    venire.save(model, folder / "one.venire")
    return (folder / "one.venire").read_bytes()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    run = Run.of("reliability-parted", parser)
    asked = run.asked
    rng = np.random.default_rng(asked.seed)
    boosting = {"n_estimators": asked.rounds, "random_state": 0, "n_jobs": 1, "keep_losses": False}
    with tempfile.TemporaryDirectory(prefix="venire-reliability-") as place:
        folder = Path(place)
        frame, paths = written(folder, asked.rows, asked.seed)
        whole = folder / "whole.parquet"
        frame.to_parquet(whole)
        X, y = frame.drop(columns="y"), frame["y"]
        with Processes(folder / "undisturbed", workers=1) as processes:
            processes.wait(1)
            kinds: dict[str, tuple[Any, dict[str, Any], bytes]] = {
                "boosting": (
                    cluster.GradientBoostingClassifier,
                    boosting,
                    content(venire.GradientBoostingClassifier(**boosting).fit(X, y), folder),
                ),
                "naive Bayes": (
                    cluster.NaiveBayesClassifier,
                    {},
                    content(venire.NaiveBayesClassifier().fit(X, y), folder),
                ),
            }
            for name, kind in (("ridge", cluster.Ridge), ("logistic", cluster.LogisticRegression)):
                one = kind(client=processes.address).fit([str(whole)], target="y").model_
                kinds[name] = kind, {}, content(one, folder)
        kills, fits, different, over = 0, dict.fromkeys(kinds, 0), dict.fromkeys(kinds, 0), threading.Event()
        with Processes(folder / "disturbed") as processes:
            processes.wait(2)

            def kill() -> None:
                nonlocal kills
                while kills < asked.kills and not over.wait(rng.uniform(*_PAUSE)):
                    kill_worker(processes)
                    kills += 1

            thread, began = threading.Thread(target=kill), time.monotonic()
            thread.start()
            while kills < asked.kills:
                for name, (kind, settings, wanted) in kinds.items():
                    found = kind(client=processes.address, **settings).fit(paths, target="y")
                    fits[name] += 1
                    different[name] += content(found.model_, folder) != wanted
            over.set()
            thread.join()
    print(f"{kills} workers killed in {time.monotonic() - began:.0f} s")
    for name, count in fits.items():
        print(f"{name}: {count} fits, {different[name]} with other bytes")
        run.results.add("workers killed", name, fits=count, different=different[name])
    run.results.add("workers killed", kills=kills)
    run.finish()
    if any(different.values()):
        raise SystemExit("a model has other bytes")


if __name__ == "__main__":
    main()
