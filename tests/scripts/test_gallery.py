"""The gallery: its page is up to date, every picture is there, and all of them together are small."""

import pytest

from scripts.gallery import DOCS, entries, page
from venire.cli.plots import read_plot
from venire.flow.drawing.plot import Plot


def test_the_page_is_up_to_date():
    assert (DOCS / "gallery.md").read_text(encoding="utf-8") == page(entries())


def test_every_picture_is_there_and_all_are_small():
    there = {path.stem: path.stat().st_size for path in (DOCS / "gallery").glob("*.svg")}
    assert set(there) == {entry.name for entry in entries()}
    assert sum(there.values()) < 1_000_000


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_every_picture_is_saved_as_a_drawing_an_image_and_a_page_of_print(entry, tmp_path):
    figure = entry.draw()
    for ending, begins in ((".svg", b"<svg"), (".png", b"\x89PNG"), (".pdf", b"%PDF")):
        saved = figure.save(tmp_path / f"{entry.name}{ending}")
        assert saved.read_bytes().startswith(begins)
        assert saved.stat().st_size > 1000


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.saved_as)
def test_the_name_for_the_command_line_is_known_there(entry, tmp_path):
    asked = read_plot(f"{entry.saved_as}={tmp_path / 'one.svg'}").plot
    words = ", ".join(f'"{word}"' for word in asked.words)
    if entry.call.startswith("verdict"):
        assert entry.name == asked.name
        assert entry.call == f"verdict.plot.{asked.name}({words})"
    else:
        assert f"pictures.{entry.name.removeprefix('pictures_')}(" in entry.call


def test_every_picture_of_a_verdict_is_in_the_gallery():
    shown = {entry.saved_as.partition(":")[0] for entry in entries()}
    assert shown == {name for name in dir(Plot) if not name.startswith("_")}
