"""What a report may be called: it is a page, and a name that says otherwise would open in the wrong program."""

from __future__ import annotations

from pathlib import Path

from venire.errors import UsageError

_PAGES = ("", ".html", ".htm")


def refuse_other_formats(path: Path) -> None:
    """Refuse a name such as `report.pdf`.

    >>> refuse_other_formats(Path("report.html"))
    """
    if path.suffix.lower() not in _PAGES:
        raise UsageError(
            f"a report is an HTML page, and {path.suffix} is another format",
            code="not_a_page",
            file=str(path),
            hint=f"write {path.with_suffix('.html').name}; a browser can print it to PDF",
        )
