"""The gallery: its page is up to date, every picture is there, and all of them together are small."""

import pytest

from scripts.gallery import DOCS, entries, page
from venire.cli.plots import read_plot


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


@pytest.mark.parametrize("entry", [entry for entry in entries() if entry.saved_as], ids=lambda entry: entry.saved_as)
def test_the_name_for_the_command_line_is_known_there(entry, tmp_path):
    asked = read_plot(f"{entry.saved_as}={tmp_path / 'one.svg'}")
    assert asked.name == entry.name
    words = ", ".join(f'"{word}"' for word in asked.words)
    assert entry.call == f"verdict.plot.{asked.name}({words})"
