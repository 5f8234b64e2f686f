"""The verdict in a notebook: its sentences, and the leaderboard with the intervals drawn.

Plain HTML with the styles written into it: no script, nothing that is asked for elsewhere, and every name escaped. All
inks follow the text's own colour, so that it reads on light and on dark paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from venire.report.charts.bars import Bar, bars
from venire.report.document.shapes.verdict import FindingFacts
from venire.report.sentences.evidence import more_rows_words
from venire.report.sentences.headline import headline
from venire.report.sentences.numbers import probability
from venire.report.sentences.scale import Measure, scale_of
from venire.report.sentences.split import estimates_words
from venire.report.sentences.time_spent import over_budget_words
from venire.report.sentences.verdict import Document, Row, joined, stopped_words, verdict
from venire.report.terminal.console import printable
from venire.wording import duration

_ACCENT = "#3b7dd8"
_CELL = "padding:.2em .7em .2em 0;vertical-align:middle"
_WIDTH, _HEIGHT, _EDGE = 170, 16, 6  # of a drawn interval, in pixels
_MORE = "verdict.report(&quot;report.html&quot;) writes the whole report; dir(verdict.plot) lists its pictures."


def to_html(document: Document) -> str:
    """The verdict as a part of a page."""
    rows, scale = document.get("leaderboard") or (), scale_of(document)
    drawn = bars(rows, higher_is_better=scale.higher_is_better)
    said = [
        str(verdict(document)),
        more_rows_words(document),
        stopped_words(document) if document.get("stopped") else "",
    ]
    parts = [
        f'<div style="max-width:70em"><p style="font-size:1.15em;margin:.3em 0"><b>{_safe(headline(document))}</b></p>',
        *(_paragraph(sentence) for sentence in (*said, over_budget_words(document)) if sentence),
        _table(document, rows, drawn, scale),
        _paragraph(estimates_words(document), quiet=True) if rows else "",
        _findings(document.get("findings") or ()),
        _left_behind(document),
        f'<p style="margin:.5em 0;opacity:.75"><code>{_MORE}</code></p></div>',
    ]
    return "".join(parts)


def _table(document: Document, rows: Sequence[Row], drawn: Sequence[Bar | None], scale: Measure) -> str:
    seconds = (document.get("timing") or {}).get("families") or {}
    chosen = str((document.get("chosen") or {}).get("family"))
    head = ("family", "setting", scale.axis, "", "95 % interval", "P(best)", "as good", "time")
    body = []
    for row, bar in zip(rows, drawn, strict=True):
        name = str(row.get("family"))
        leads = row.get("kind") == "procedure"
        cells = (
            f"<b>{_safe(name)}</b>" if leads else _safe(name) + (" <i>(chosen)</i>" if name == chosen else ""),
            _safe(row.get("setting") or ""),
            _safe(scale.show(row.get("error"))),
            _bar(bar, left=scale.higher_is_better),
            _safe(scale.show_interval(row.get("interval"))),
            _safe(probability(row.get("p_best"))),
            _safe(probability(row.get("p_as_good"))),
            _safe(duration(seconds[name])) if name in seconds else "",
        )
        under = ";border-bottom:2px solid currentColor" if leads else ""
        body.append("<tr>" + "".join(_cell("td", at, cell, under) for at, cell in enumerate(cells)) + "</tr>")
    titles = "".join(_cell("th", at, _safe(title)) for at, title in enumerate(head))
    return (
        '<table style="border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.6em 0">'
        f"<thead><tr>{titles}</tr></thead><tbody>{''.join(body)}</tbody></table>"
    )


def _cell(tag: str, at: int, inside: str, style: str = "") -> str:
    side = "left" if at in (0, 1, 3) else "right"
    return f'<{tag} style="text-align:{side};{_CELL}{style}">{inside}</{tag}>'


def _bar(bar: Bar | None, *, left: bool) -> str:
    """An interval as a line with a dot; a figure outside the axis is an arrow."""
    if bar is None:
        return ""
    middle, inner = _HEIGHT / 2, _WIDTH - 2 * _EDGE
    at, low, high = (round(_EDGE + inner * share / 100, 1) for share in (bar.at, bar.low, bar.high))
    axis = f'<line x1="0" x2="{_WIDTH}" y1="{middle}" y2="{middle}" stroke="currentColor" opacity=".2"/>'
    if bar.beyond:
        place, anchor, sign = (0, "start", "‹") if left else (_WIDTH, "end", "›")
        inside = f'<text x="{place}" y="{middle + 4}" text-anchor="{anchor}" fill="currentColor">{sign}</text>'
    else:
        inside = (
            f'<line x1="{low}" x2="{high}" y1="{middle}" y2="{middle}" stroke="{_ACCENT}" stroke-width="3" '
            f'stroke-linecap="round" opacity=".55"/><circle cx="{at}" cy="{middle}" r="4" fill="{_ACCENT}"/>'
        )
    return f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img" aria-label="the interval, drawn">{axis}{inside}</svg>'


def _findings(findings: Sequence[FindingFacts]) -> str:
    lines = [
        f"<li><b>{_safe(each['code'])}</b> {_safe(joined(each['message']))} <i>{_safe(each['advice'])}</i></li>"
        for each in findings
    ]
    return (
        f'<p style="margin:.5em 0 0"><b>Findings</b></p><ul style="margin:.2em 0">{"".join(lines)}</ul>'
        if lines
        else ""
    )


def _left_behind(document: Document) -> str:
    """Who failed, was not tried, or could not be handed over in time, each with the reason."""
    said = []
    kinds = (
        ("Failed", document.get("failed") or ()),
        ("Not tried", document.get("not_tried") or ()),
        ("Not handed over", document.get("not_fitted") or ()),
        ("Handed over as the models of the folds, averaged", document.get("models_of_folds") or ()),
    )
    for title, items in kinds:
        each = "; ".join(f"{_safe(item['family'])} ({_safe(item['reason'])})" for item in items)
        said.append(f'<p style="margin:.4em 0">{title}: {each}.</p>' if each else "")
    return "".join(said)


def _paragraph(text: str, *, quiet: bool = False) -> str:
    return f'<p style="margin:.3em 0{";opacity:.75" if quiet else ""}">{_safe(text)}</p>'


def _safe(text: object) -> str:
    return escape(printable(text))
