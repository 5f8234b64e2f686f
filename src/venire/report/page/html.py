"""The page: one HTML file that opens offline, reads without scripts, and runs nothing it was not shipped with."""

from __future__ import annotations

import errno
import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, cast

import jinja2
from markupsafe import Markup, escape

from venire.errors import UsageError, VenireError
from venire.report.charts.bars import bars
from venire.report.document.shapes.verdict import FindingFacts
from venire.report.page.confusion_matrix import class_figures, confusion_matrix
from venire.report.page.file_names import refuse_other_formats
from venire.report.page.metric_columns import metric_columns
from venire.report.page.row_groups import group_rows
from venire.report.sentences import evidence as further
from venire.report.sentences import split
from venire.report.sentences import time_spent as spent
from venire.report.sentences import verdict as words
from venire.report.sentences.cards import cards, parts
from venire.report.sentences.file_names import file_words
from venire.report.sentences.headline import headline
from venire.report.sentences.numbers import amount, finite, probability
from venire.report.sentences.on_test_rows import on_test_rows
from venire.report.sentences.rivals import rivals_words
from venire.report.sentences.scale import scale_of
from venire.report.terminal.console import printable
from venire.report.terminal.listings import reading_words
from venire.verdict.findings.catalogue import HEAD
from venire.wording import count, duration, share, unbroken

_PLACE = "give a file in a folder that exists and that you may write to"
MOST_COLUMNS = 300  # columns of the table listed on the page; the rest is counted
_OPEN_COLUMNS, _OPEN_CURVES, _MOST_PAIRS = 20, 3, 12  # more than these are folded: the page is read, not paged through
_OPTION = re.compile(r"--[a-z][a-z-]*(?: (?:all|apart)\b)?")


@dataclass(frozen=True, slots=True)
class Pairs:
    """The pairwise table: for each family of a row, the probability of being better than that of a column."""

    names: tuple[str, ...]
    cells: tuple[tuple[float | None, ...], ...]


def render(document: words.Document, pictures: Mapping[str, Any] | None = None) -> str:
    """The page as a string."""
    return environment().get_template("page.html.j2").render(page_facts(document, pictures))


def page_facts(document: words.Document, pictures: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What the template of the page is given."""
    # Altair takes a third of a second to import: only those who want a page pay for it.
    from venire.report.page import explanation_panels as explanations
    from venire.report.page.form_panel import form_figure
    from venire.report.page.kept_figures import kept_figure
    from venire.report.page.operating_panel import DRIVEN, operating_panel
    from venire.report.page.panels import figures, path_figures

    pictures = pictures or {}
    document = cast("words.Document", {**document, "source": file_words(document.get("source"))})
    drawn, curves = figures(document, pictures), path_figures(document, pictures)
    panel = operating_panel(pictures)
    driven = [figure for figure in drawn if panel is not None and figure.name in DRIVEN]
    explained = explanations.explanation_figures(document, pictures)
    moved = explanations.dependence_figures(document, pictures)
    form = form_figure(pictures)
    asked = [kept_figure(one, f"asked_{at}") for at, one in enumerate(pictures.get("asked") or ())]
    every = [*drawn, *curves, *explained.values(), *moved, *([form] if form else []), *asked]
    rows, shown = document.get("leaderboard") or (), scale_of(document)
    findings = _anchored(document.get("findings") or ())
    return dict(
        document=document,
        headline=headline(document),
        verdict=cards(document, (pictures.get("selection") or {}).get("per_fold") or ()),
        panel=panel,
        driven=driven,
        metrics=metric_columns(document, pictures.get("metrics") or ()),
        optimism=words.optimism_words(document),
        more_rows=further.more_rows_words(document),
        costs=further.cost_rows(document),
        tested=on_test_rows(document),
        certified=further.certificate_words(document),
        certificates=further.certificate_parts(document),
        work=spent.work_words(document),
        no_rivals=rivals_words(document),
        honest={str(c["family"]): c for c in document.get("certificates") or ()},
        rows_words=split.rows_words(document),
        pooled_words=split.pooled_words(document),
        folds_words=split.folds_words(document),
        estimates=split.estimates_words(document),
        hidden=further.HIDDEN,
        reading=reading_words(document),
        findings=findings,
        at_head=[(anchor, found) for anchor, found in findings if found.get("code") in HEAD],
        leaderboard=list(zip(rows, bars(rows, higher_is_better=shown.higher_is_better), strict=True)),
        scale=shown,
        figures=[figure for figure in drawn if figure not in driven],
        curves=curves,
        wavered=len(set((pictures.get("selection") or {}).get("per_fold") or ())) > 1,
        columns=list(document.get("columns") or ())[:MOST_COLUMNS],
        open_columns=_OPEN_COLUMNS,
        open_curves=_OPEN_CURVES,
        most_pairs=_MOST_PAIRS,
        kinds=Counter(str(column.get("kind")) for column in document.get("columns") or ()).most_common(),
        style=asset("page.css"),
        **explanations.page_parts(pictures, explained, moved),
        form=form,
        asked=asked,
        **_tables(document, pictures),
        **_scripted(every, panel),
    )


def _tables(document: words.Document, pictures: Mapping[str, Any]) -> dict[str, Any]:
    """What the page prints as tables besides the leaderboard."""
    return {
        "by_group": group_rows(pictures.get("groups")),
        "pairs": _pairs(document),
        "matrix": confusion_matrix(document, pictures),
        "confused": class_figures(document),
        "worst": worst_rows(pictures),
    }


def _scripted(figures: Sequence[Any], panel: Any) -> dict[str, Any]:
    """What draws the charts and moves them, where there are any."""
    return {
        "script": asset("page.js") if figures else "",
        "vega": vega() if figures else "",
        "specs": as_json({figure.name: figure.spec for figure in figures}),
        "operating": as_json(panel.script if panel else None),
    }


def write(document: words.Document, pictures: Mapping[str, Any] | None, path: str | os.PathLike[str]) -> Path:
    """Write the page; the file is replaced in one step, so that nobody ever opens half of one."""
    target = Path(path)
    refuse_other_formats(target)
    return write_text(render(document, pictures), target)


def write_text(page: str, target: Path, *, what: str = "report") -> Path:
    """Write a text for others to read, whole or not at all."""
    if target.exists() and not target.is_file() and not target.is_dir():  # it would be replaced, which no device may be
        raise VenireError(
            f"the {what} cannot be written: this is a device or a pipe, not a file",
            code="cannot_write",
            file=str(target),
            hint=_PLACE,
        )
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=".venire-", suffix=target.suffix)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(page)
            Path(name).chmod(0o644)
            Path(name).replace(target)
        finally:
            Path(name).unlink(missing_ok=True)  # still there only if it could not take its place
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        way_out = "make room, or give a file on another disk" if full else _PLACE
        fault = VenireError if full else UsageError  # a full disk is nobody's misuse
        message = f"the {what} cannot be written: {error.strerror or error}"
        raise fault(message, code="cannot_write", file=str(target), hint=way_out) from error
    return target


def environment() -> jinja2.Environment:
    """Templates of this package, with every text escaped."""
    made = jinja2.Environment(
        loader=jinja2.FunctionLoader(_source),
        autoescape=True,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"count": count, "duration": duration, "probability": probability, "share": share}
    made.filters |= {"joined": words.joined, "parts": parts, "options": _options, "by_reason": _by_reason}
    made.tests["measured"] = lambda value: finite(value) is not None
    return made


def _shown(value: Any) -> Any:
    """What `{{ … }}` prints: control signs in names are spelled out, trusted parts of the page pass as they are."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return "" if value is None else value
    return unbroken(printable(value))


def _options(text: str) -> Markup:
    """A sentence whose options of the command line are not broken at their hyphens."""
    return Markup(_OPTION.sub(lambda name: f'<span class="option">{name[0]}</span>', str(escape(_shown(text)))))


def _by_reason(items: Sequence[Mapping[str, Any]]) -> list[tuple[str, list[str]]]:
    """The families that share a reason, in the order in which the reasons come up."""
    found: dict[str, list[str]] = {}
    for item in items:
        found.setdefault(str(item["reason"]), []).append(_shown(str(item["family"])))
    return list(found.items())


@cache
def _source(name: str) -> str:
    return resources.files("venire.report.page").joinpath("templates", name).read_text(encoding="utf-8")


def asset(name: str) -> Markup:
    """A file that is put into pages as it is."""
    return Markup(_source(name))


@cache
def vega() -> Markup:
    """The library that draws charts, as one script."""
    import vl_convert

    bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return Markup(bundle.replace("</script", "<\\/script"))


def as_json(value: Any) -> Markup:
    """JSON that no name in it can end the script element early with."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def _anchored(findings: Sequence[FindingFacts]) -> list[tuple[str, FindingFacts]]:
    """Findings with the anchor of each: its code, numbered from the second of a kind on."""
    seen: Counter[str] = Counter()
    anchored = []
    for finding in findings:
        code = str(finding.get("code"))
        seen[code] += 1
        anchored.append((code if seen[code] == 1 else f"{code}-{seen[code]}", finding))
    return anchored


def worst_rows(pictures: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """The rows that are most wrong, as the page prints them; none unless they were asked for."""
    found = pictures.get("worst_rows")
    if not found:
        return []
    cells = zip(found["row"], found["fold"], found["actual"], found["predicted"], found["loss"], strict=True)
    return [(f"{row:,}", str(fold), _cell(a), _cell(p), amount(loss)) for row, fold, a, p, loss in cells]


def _cell(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _pairs(document: words.Document) -> Pairs | None:
    listed = document.get("pairwise") or ()
    names = [str(row["family"]) for row in words.member_rows(document)]
    if not listed or len(names) < 2:
        return None
    chances: dict[tuple[str, str], float | None] = {}
    for pair in listed:
        first, second = str(pair["first"]), str(pair["second"])
        chances[first, second] = finite(pair.get("p_better"))
        chances[second, first] = finite(pair.get("p_worse"))
    return Pairs(tuple(names), tuple(tuple(chances.get((one, other)) for other in names) for one in names))
