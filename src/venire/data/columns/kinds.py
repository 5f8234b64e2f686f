"""What each column is, decided on all of its values, and the attributes it gives.

The rules, in order; the caller may overrule each of them:

* texts that mean missing (see `missing`) are missing, and so are infinite numbers;
* no value at all, or one and the same in every row: **constant**, left out;
* texts that are all numbers are **numeric**; if nine in ten are (three in four, when there are ten different numbers to
  each different word) and more than ten are different, the words count as missing, with a note; otherwise the column
  is one of words;
* 0 and 1, yes and no, t and f, …: **boolean**;
* texts that all fit one way of writing dates: **date**, turned into those parts that vary;
* whole numbers that are all different: **identifier** when the name says so (`customer_id`) or when they count the rows
  (1, 2, 3, …); left out;
* texts of which at least half are different: **text** when they are long or have several words, otherwise an
  **identifier**; both left out;
* other texts are **categorical**, other numbers **numeric**.
"""

from __future__ import annotations

from venire.data.columns.interpreted import TELLING_ROWS, Interpreted, Rules, dated, leave_out
from venire.data.columns.numeric import NumberColumn, finite, number_texts
from venire.data.columns.raw import Dates, Numbers, Raw, Seldom, Texts
from venire.data.columns.text import SELDOM, TextColumn, date_texts, tidy, unrepeated_texts
from venire.data.table import Kind


def unrepeated(seen: Seldom) -> bool:
    """Whether these texts are left out, unless nothing else is there."""
    return seen.rows >= TELLING_ROWS and seen.present > 1 and seen.levels >= SELDOM * seen.present


def interpret(name: str, raw: Raw | Seldom, rules: Rules, forced: Kind | None = None) -> Interpreted:
    """Decide the kind of a column (or take the forced one) and give its attributes."""
    if forced in (Kind.IDENTIFIER, Kind.TEXT, Kind.CONSTANT):
        return leave_out(name, forced, f"declared {forced} by the caller")
    match raw:
        case Dates():
            if forced in (Kind.NUMERIC, Kind.CATEGORICAL, Kind.BOOLEAN):
                return TextColumn(name, date_texts(raw), rules).interpret(forced)
            return dated(name, raw.values, "", ())
        case Numbers():
            values, notes = finite(name, raw, rules)
            if forced is Kind.CATEGORICAL:
                return TextColumn(name, number_texts(values), rules, notes).interpret(forced)
            return NumberColumn(name, values, notes, rules).interpret(forced)
        case Seldom():
            if forced is None and rules.spare and unrepeated(raw):
                return unrepeated_texts(name, raw.levels, raw.present, raw.words, raw.characters)
            return interpret(name, raw.texts(), rules, forced)
        case Texts():
            return TextColumn(name, tidy(name, raw, rules.missing), rules).interpret(forced)
