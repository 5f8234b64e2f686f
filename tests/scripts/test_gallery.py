"""The gallery: its page is up to date, every picture is there, and all of them together are small."""

from scripts.gallery import DOCS, entries, page


def test_the_page_is_up_to_date():
    assert (DOCS / "gallery.md").read_text(encoding="utf-8") == page(entries())


def test_every_picture_is_there_and_all_are_small():
    there = {path.stem: path.stat().st_size for path in (DOCS / "gallery").glob("*.svg")}
    assert set(there) == {entry.name for entry in entries()}
    assert sum(there.values()) < 1_000_000
