"""A model card as a page, and as a file of either kind."""

from __future__ import annotations

import os
from pathlib import Path

from venire.errors import UsageError
from venire.report.card.contents import Card
from venire.report.card.markdown import to_markdown
from venire.report.page.html import asset, environment, write_text

_MARKDOWN, _PAGES = (".md", ".markdown"), (".html", ".htm")


def to_html(card: Card) -> str:
    """One page that opens offline and runs nothing."""
    return environment().get_template("card.html.j2").render(card=card, style=asset("page.css"))


def write_card(card: Card, path: str | os.PathLike[str]) -> Path:
    """Write it as its name says: `.md` or `.html`."""
    target = Path(path)
    refuse_other_cards(target)
    text = to_markdown(card) if target.suffix.lower() in _MARKDOWN else to_html(card)
    return write_text(text, target, what="card")


def refuse_other_cards(path: Path) -> None:
    """Refuse a name such as `card.pdf`."""
    if path.suffix.lower() not in (*_MARKDOWN, *_PAGES):
        raise UsageError(
            f"a model card is Markdown or an HTML page, and {path.suffix or 'no ending'} is neither",
            code="not_a_card",
            file=str(path),
            hint=f"write {path.with_suffix('.md').name} or {path.with_suffix('.html').name}",
        )
