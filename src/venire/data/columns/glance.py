"""Columns of very many different texts, as far as DuckDB can tell what they are without handing each text over.

Two kinds are common, and as Python objects dear: points in time in ISO notation, and names, numbers of customers or
sentences that hardly repeat, which are left out anyway. Whatever is not surely one of them is nothing here, and is then
decided on its texts.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from venire.data.columns.missing import Missing

_SAMPLE = 1000  # texts that are looked at first: one of them settles it for most columns
# What numpy and DuckDB read alike, in the notation of `columns.dates`: fractions to the microsecond, hours to 23.
_ISO = r"\d{4}-\d{2}-\d{2}([T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?)?"
# All that could be a number in any notation, and more: digits with marks, a currency, per cent, infinity.
_LIKE_NUMBER = r"(?i)[+-]?\s?\$?\s?[+-]?([0-9.,' ]*(e[+-]?[0-9]+)?|inf(inity)?)\s?%?"
# What `columns.dates.looks_like_date` says yes to.
_LIKE_DATE = r"^(\d{1,4}[-/. ]\w{1,9}[-/. ]+\d{1,4}|[A-Za-z]{3,9}\.? \d{1,2},? \d{4}|\d{4}-\d{2}$)"
# Not of printable ASCII alone, spaces at an end, or several together: what a text is without them is Python's to say.
_UNUSUAL = r"[^ -~]|^ | $|  "


class Look:
    """One column of a table in DuckDB, looked at with the texts that mean missing in it."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, table: str, column: str, name: str, missing: Missing
    ) -> None:
        self._connection = connection
        self._table, self._column = table, column
        self._markers = sorted(missing.texts_for(name))
        self._weak = sorted(missing.in_numbers)

    def moments(self) -> NDArray[np.datetime64] | None:
        """All values as points in time, NaT where missing; None where one of them is no ISO date."""
        c, absent = self._column, _listed({*self._markers, *self._weak})
        if not self._sample(f"bool_and(regexp_full_match({c}, '{_ISO}')) FILTER (NOT {c} IN ({absent}))"):
            return None
        moment = f"CASE WHEN regexp_full_match({c}, '{_ISO}') THEN TRY_CAST({c} AS TIMESTAMP) END"
        found = self._connection.execute(
            f"SELECT {moment} AS k, {c} IS NULL OR {c} IN ({absent}) AS missing FROM {self._table}"
        ).fetchnumpy()
        values = np.ma.filled(found["k"], np.datetime64("NaT", "us")).astype("datetime64[us]", copy=False)
        missing = np.asarray(found["missing"], dtype=bool)
        return values if bool((np.isnat(values) == missing).all()) else None

    def hardly_repeats(self) -> tuple[int, int, int, int] | None:
        """Rows with a text, different texts, and of these all words and all characters; None where one might be a
        number, a date or anything else that asks for more than counting.
        """
        c, weak = self._column, _listed(self._weak)
        doubtful = (
            f"regexp_matches({c}, '{_UNUSUAL}') OR regexp_full_match({c}, '{_quoted(_LIKE_NUMBER)}') "
            f"OR regexp_matches({c}, '{_LIKE_DATE}')" + (f" OR {c} IN ({weak})" if self._weak else "")
        )
        present = f"{c} IS NOT NULL AND NOT {c} IN ({_listed(self._markers)})"
        if self._sample(f"bool_or({doubtful}) FILTER ({present})") is not False:
            return None
        said = self._connection.execute(
            f"SELECT sum(n), count(*), sum(1 + length({c}) - length(replace({c}, ' ', ''))), sum(length({c})), "
            f"bool_or({doubtful}) FROM (SELECT {c}, count(*) AS n FROM {self._table} WHERE {present} GROUP BY {c})"
        ).fetchone()
        if said is None or said[4] is not False:
            return None
        return int(said[0]), int(said[1]), int(said[2]), int(said[3])

    def _sample(self, what: str) -> Any:
        query = f"SELECT {what} FROM (SELECT {self._column} FROM {self._table} LIMIT {_SAMPLE})"
        said = self._connection.execute(query).fetchone()
        return said[0] if said else None


def _listed(texts: Collection[str] | Sequence[str]) -> str:
    return ", ".join(f"'{_quoted(text)}'" for text in sorted(texts))


def _quoted(text: str) -> str:
    return text.replace("'", "''")
