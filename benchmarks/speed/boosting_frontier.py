"""Time against log loss on D1, every engine with its own tricks: who reaches a given loss first?

Settings are steps along each engine's own best known road: fewer rounds at a higher rate, more leaves, rows drawn by
gradient or at random, quantised gradients. A point counts when no other point of its engine is both faster and better.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.results import Results
from benchmarks.speed.turns import Figures

Run = Callable[[str, dict[str, Any]], Figures | None]
Point = tuple[float, float, str]  # seconds, loss, settings


def _steps(rounds: str, rate: str, leaves: str, drawn: dict[str, Any]) -> list[dict[str, Any]]:
    road = [(25, 0.4, 31), (50, 0.3, 31), (50, 0.5, 63), (100, 0.2, 63), (100, 0.3, 127)]
    plain = [{rounds: n, rate: r, leaves: size} for n, r, size in road]
    return [*plain, *({**step, **drawn} for step in plain)]


ROADS: dict[str, list[dict[str, Any]]] = {
    "venire": _steps("n_estimators", "learning_rate", "max_leaf_nodes", {"gradient_sampling": [0.2, 0.2]}),
    "LightGBM": _steps("n_estimators", "learning_rate", "num_leaves", {"data_sample_strategy": "goss"}),
    "LightGBM, quantised": _steps("n_estimators", "learning_rate", "num_leaves", {})[:5],
    "XGBoost": _steps("n_estimators", "learning_rate", "max_leaves", {"subsample": 0.5}),
    "CatBoost": [
        {"iterations": n, "learning_rate": r, "depth": d}
        for n, r, d in [(25, 0.5, 6), (50, 0.5, 6), (50, 0.5, 8), (100, 0.3, 8)]
    ],
}

NEARLY = 0.0005  # runs that end a hair's breadth above a loss count as there


def frontier(points: list[Point]) -> list[Point]:
    """Points that no other beats in both.

    >>> frontier([(1.0, 0.5, "a"), (2.0, 0.4, "b"), (3.0, 0.45, "c")])
    [(1.0, 0.5, 'a'), (2.0, 0.4, 'b')]
    """
    kept: list[Point] = []
    for point in sorted(points):
        if not kept or point[1] < kept[-1][1]:
            kept.append(point)
    return kept


def time_to(points: list[Point], loss: float) -> float | None:
    """The least time with which this loss is reached."""
    return min((seconds for seconds, reached, _ in points if reached <= loss), default=None)


def show_frontier(run: Run, plot: Path | None, results: Results) -> None:
    found: dict[str, list[Point]] = {}
    for engine, road in ROADS.items():
        for settings in road:
            figures = run(engine, settings)
            if figures is not None:
                found.setdefault(engine, []).append((figures["wall"], figures["loss"], str(settings)))
    print("\n### Time against loss on D1, all tricks allowed\n")
    print("| engine | wall s | log loss | settings |\n|---|--:|--:|---|")
    for engine, points in found.items():
        for seconds, loss, tried in frontier(points):
            print(f"| {engine} | {seconds:.2f} | {loss:.4f} | {tried} |", flush=True)
            results.add(f"frontier of D1: {tried}", engine, wall=seconds, loss=loss)
    _show_ratios(found)
    if plot is not None and found:
        _draw({engine: frontier(points) for engine, points in found.items()}, plot)


def _show_ratios(found: dict[str, list[Point]]) -> None:
    """The fastest peer at every loss of our frontier, and at those of the peers that lie below all of ours."""
    ours = frontier(found.get("venire", []))
    lowest = min((loss for _, loss, _ in ours), default=math.inf)
    theirs = frontier([point for engine, points in found.items() if engine != "venire" for point in points])
    print("\n| loss to reach | venire s | fastest peer | its s | ratio |\n|--:|--:|---|--:|--:|")
    for _, loss, _ in [*ours, *(point for point in theirs if point[1] < lowest - NEARLY)]:
        times = {engine: time_to(points, loss + NEARLY) for engine, points in found.items()}
        mine = times.pop("venire", None)
        arrived = [(seconds, engine) for engine, seconds in times.items() if seconds is not None]
        first, name = min(arrived, default=(None, ""))
        peer = "none reached it | |" if first is None else f"{name} | {first:.2f} |"
        ratio = "" if first is None or mine is None else f"{first / mine:.2f}"
        print(f"| {loss + NEARLY:.4f} | {'not reached' if mine is None else f'{mine:.2f}'} | {peer} {ratio} |")


def _draw(found: dict[str, list[Point]], plot: Path) -> None:
    import altair as alt

    rows = [{"engine": e, "seconds": s, "log loss": v} for e, points in found.items() for s, v, _ in points]
    chart = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_line(point=True)
        .encode(
            x=alt.X("seconds:Q", scale=alt.Scale(type="log", nice=False, padding=20)),
            y=alt.Y("log loss:Q", scale=alt.Scale(zero=False)),
            color="engine:N",
        )
    )
    chart.properties(width=560, height=360, title="Time against log loss on D1").save(str(plot))
    print(f"\ndrawn: {plot.name}")
