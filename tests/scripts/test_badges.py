"""The badges of the README say what pyproject.toml says, and the README shows all of them."""

from xml.etree import ElementTree

from scripts.badges import FOLDER, ROOT, badges


def test_the_badges_are_up_to_date():
    there = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("badge-*.svg")}
    assert there == badges(), "run scripts/badges.py and commit the result"


def test_the_readme_shows_every_badge():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name, drawn in badges().items():
        title = ElementTree.fromstring(drawn).findtext("{http://www.w3.org/2000/svg}title")
        assert f"![{title}](docs/readme/{name}.svg)" in readme
