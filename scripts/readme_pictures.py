"""Draw the two pictures of the README: the leaderboard as the terminal prints it, and the top of the report.

python scripts/readme_pictures.py            writes docs/readme/leaderboard.svg and docs/readme/report.png
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from dataclasses import replace
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

import venire as vn
from venire.data.datasets import load
from venire.report.terminal.verdict import leaderboard

FOLDER = Path(__file__).parents[1] / "docs/readme"
MODELS = ["baseline", "naive_bayes", "logistic", "tree", "knn", "svm", "forest", "vote"]


def terminal(verdict: vn.Verdict) -> str:
    """What `venire compare` prints, as a drawing that asks for no font elsewhere."""
    console = Console(record=True, width=96, file=StringIO(), force_terminal=True)
    leaderboard(verdict.to_dict(), console)
    lines = console.export_text(styles=True).splitlines()
    shown = Console(record=True, width=96, file=StringIO(), force_terminal=True)
    gaps = [at for at, line in enumerate(lines) if not Text.from_ansi(line).plain.strip()]
    for line in lines[: gaps[1]]:  # the procedure, a gap, and the models
        shown.print(Text.from_ansi(line))
    drawn = shown.export_svg(title="venire compare", unique_id="venire")
    return re.sub(r"@font-face \{.*?\}", "", drawn, flags=re.DOTALL).replace("Fira Code, monospace", "monospace")


def page(verdict: vn.Verdict, target: Path) -> None:
    """The top of the report, as a browser shows it."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    assert browser, "install Chromium to draw the report"
    with tempfile.TemporaryDirectory() as folder:
        report = verdict.report(Path(folder) / "report.html", explanations=False)
        words = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=8000"]
        place = [f"--user-data-dir={folder}/profile", f"--screenshot={target.resolve()}", "--window-size=1160,900"]
        subprocess.run([browser, *words, *place, report.resolve().as_uri()], check=True, capture_output=True)


def main() -> None:
    """Draw both from data that ship with venire."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    verdict = vn.compare(
        replace(load("banknotes"), source="bank.csv"), models=MODELS, folds=5, budget=None, jobs=1, seed=0
    )
    (FOLDER / "leaderboard.svg").write_text(terminal(verdict), encoding="utf-8")
    page(verdict, FOLDER / "report.png")


if __name__ == "__main__":
    main()
