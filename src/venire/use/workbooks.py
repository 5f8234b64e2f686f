"""Writing an Excel workbook (.xlsx) of one sheet, row by row: a zip archive of a few XML files.

Texts are stored as texts inside of their cells, so none is ever a formula. What a workbook needs besides the sheet is
fixed, and no date is in it: the same rows give the same bytes.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

MOST_ROWS = (1 << 20) - 1  # below the names
_EPOCH = (1980, 1, 1, 0, 0, 0)
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_OFFICE = "http://schemas.openxmlformats.org"
_MAIN = f"{_OFFICE}/spreadsheetml/2006/main"
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_OFFICE}/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/xl/workbook.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
    '<Override PartName="/xl/worksheets/sheet1.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_OFFICE}/package/2006/relationships"><Relationship Id="rId1" '
    f'Type="{_OFFICE}/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}/officeDocument/2006/relationships">'
    '<sheets><sheet name="results" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_OFFICE}/package/2006/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument/2006/relationships/worksheet" '
    'Target="worksheets/sheet1.xml"/></Relationships>',
}


def write_workbook(path: Path, names: Sequence[str], batches: Iterable[Sequence[Sequence[Any]]]) -> None:
    """Write one sheet: the names, then the rows of every batch."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in _PARTS.items():
            package.writestr(_entry(name), _XML + content)
        with package.open(_entry("xl/worksheets/sheet1.xml"), "w", force_zip64=True) as sheet:
            sheet.write(f'{_XML}<worksheet xmlns="{_MAIN}"><sheetData>'.encode())
            sheet.write(_row(1, names).encode())
            at = 2
            for batch in batches:
                sheet.write("".join(_row(at + place, row) for place, row in enumerate(batch)).encode())
                at += len(batch)
            sheet.write(b"</sheetData></worksheet>")


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _row(number: int, values: Sequence[Any]) -> str:
    cells = "".join(_cell(f"{_letters(at)}{number}", value) for at, value in enumerate(values))
    return f'<row r="{number}">{cells}</row>'


def _cell(at: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c r="{at}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float):
        return f'<c r="{at}"><v>{value!r}</v></c>'
    text = value.isoformat(sep=" ") if isinstance(value, datetime) else str(value)
    text = escape(_UNWRITABLE.sub("\ufffd", text), {"\r": "&#13;"})
    return f'<c r="{at}" t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'


def _letters(at: int) -> str:
    """The letters of a column, counted from 0.

    >>> _letters(0), _letters(26), _letters(701)
    ('A', 'AA', 'ZZ')
    """
    found, left = "", at + 1
    while left:
        left, digit = divmod(left - 1, 26)
        found = chr(65 + digit) + found
    return found
