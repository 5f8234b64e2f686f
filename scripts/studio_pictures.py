"""Draw the pictures of the studio's page: the studio at work on the banknotes, as a browser shows it.

python -m scripts.studio_pictures            writes docs/studio_pictures/*.png
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from tests.report.devtools import Tab
from tests.studio.walking import DESK, choose, click, studio_of, visit, window
from venire.data.datasets import dataset
from venire.studio.job_folders import Jobs
from venire.studio.job_process import main as carry_out

FOLDER = Path(__file__).parents[1] / "docs/studio_pictures"
MODELS = ["baseline", "naive_bayes", "logistic", "tree", "forest"]
_MARGIN = 16  # pixels around a part of a page


def main() -> None:
    """Draw them all: a table that was read, a verdict, a row that is tried, and the plane of two columns."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "banknotes"
        folder.mkdir()
        shutil.copy(dataset("banknotes").path, folder / "bank.csv")
        run = _compared(folder)
        with studio_of(folder) as studio, window(studio, Path(place) / "window", DESK, dark=False) as tab:
            click(tab, "#tables li button")
            tab.until("document.querySelector('#start') && !document.querySelector('#start').disabled")
            choose(tab, "#positive", "fraud")
            tab.until("!document.querySelector('#start').disabled")
            _draw(tab, "setup", "document.querySelector('main')")
            visit(tab, f"/runs/{run}")
            tab.until("document.querySelector('#prediction')?.textContent.length > 0")
            tab.until("!document.querySelector('[data-chart]:not([data-drawn])')")
            _draw(tab, "verdict", "document.querySelector('#leaderboard')", top=True)
            _draw(tab, "try", "document.querySelector('#try')")
            for place_of, column in (("#across", "diagonal"), ("#up", "bottom")):
                choose(tab, place_of, column)
                tab.until("document.querySelector('#boundary-caption').textContent.length > 0")
            for step in ("1", "2", "3", "4"):
                click(tab, "[data-ladder=grow]")
                tab.until(f"document.querySelector('#step-errors').dataset.steps === '{step}'")
            _draw(tab, "boundary", "document.querySelector('#boundary')")


def _compared(folder: Path) -> str:
    """A comparison as the studio carries it out; the key of its run."""
    jobs = Jobs(folder / ".venire")
    job = jobs.add(
        {"source": str(folder / "bank.csv"), "target": "class", "positive": "fraud", "models": MODELS, "folds": 5,
         "name": "bank.csv", "budget": None},
        "bank.csv",
    )  # fmt: skip
    carry_out(job.folder, folder / ".venire")
    return str(job.document()["run"])


def _draw(tab: Tab, name: str, part: str, *, top: bool = False) -> None:
    """Write a part of the page with a margin; or all from the top of the page to the end of that part."""
    left, up, width, height = tab.ask(
        f"(() => {{ const box = {part}.getBoundingClientRect();"
        " return [box.left + scrollX, box.top + scrollY, box.width, box.height]; })()"
    )
    begin = 0.0 if top else max(0.0, up - _MARGIN)
    end = up + height + _MARGIN
    place = (0.0, 0.0, left + width + left, end) if top else (left - _MARGIN, begin, width + 2 * _MARGIN, end - begin)
    (FOLDER / f"{name}.png").write_bytes(tab.picture(clip=place))


if __name__ == "__main__":
    main()
