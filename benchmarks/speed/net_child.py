"""PyTorch's seconds for the nets of `net`, in the environment that has it: a line of JSON in, a line of seconds out."""

from __future__ import annotations

import itertools
import json
import sys
import time

import numpy as np
import torch


def measured(rows: int, columns: int, hidden: list[int], batch: int, nets: int, epochs: int) -> float:
    rng = np.random.default_rng(0)
    x = torch.tensor(rng.normal(size=(rows, columns)).astype(np.float32))
    y = (x[:, 0] * x[:, 1] > 0).long()
    began = time.process_time()
    for seed in range(nets):
        torch.manual_seed(seed)
        layers: list[torch.nn.Module] = []
        for taken, units in itertools.pairwise([columns, *hidden]):
            layers += [torch.nn.Linear(taken, units), torch.nn.ReLU()]
        net = torch.nn.Sequential(*layers, torch.nn.Linear(hidden[-1], 2))
        optimiser = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=0.0, fused=True)
        for _ in range(epochs):
            for places in torch.randperm(rows).split(batch):
                optimiser.zero_grad(set_to_none=True)
                torch.nn.functional.cross_entropy(net(x[places]), y[places]).backward()
                optimiser.step()
    return time.process_time() - began


if __name__ == "__main__":
    torch.set_num_threads(1)
    for line in sys.stdin:
        print(measured(*json.loads(line)), flush=True)
