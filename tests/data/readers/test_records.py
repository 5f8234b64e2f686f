"""Text is cut into records as its signs say."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.data.readers.records import Cut, most_common_width, split_records, with_escape

FIELDS = st.text(st.sampled_from("ab1 ,;\"\n'"), max_size=6)


@given(st.lists(st.lists(FIELDS, min_size=2, max_size=4), min_size=1, max_size=5), st.sampled_from(",;"))
def test_records_are_cut_as_the_standard_library_cuts_them(records, delimiter):
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(records)
    assert split_records(out.getvalue(), delimiter) == records


@given(st.text(st.sampled_from("ab1 ,;\n\r"), max_size=30), st.sampled_from(",; "))
def test_text_without_quotes_is_cut_as_text_with_one(text, delimiter):
    ended = text if not text or text[-1] in "\r\n" else text + "\n"
    assert split_records(text, delimiter) == split_records(ended + '"quoted"\n', delimiter)[:-1]


@pytest.mark.parametrize(
    ("cut", "text", "records"),
    [
        (Cut(",", '"', '"', complete=True), "a,b\n\n1,2", [["a", "b"], ["1", "2"]]),
        (Cut(",", '"', '"', complete=False), "a,b\n1,2\n3", [["a", "b"], ["1", "2"]]),
        (Cut(" ", '"', '"', complete=True, aligned=True), "  a   b \n 10  2\n", [["a", "b"], ["10", "2"]]),
        (Cut(",", '"', '"', complete=True, comment="#"), "a,b\n# so\n1,2\n", [["a", "b"], ["1", "2"]]),
        (Cut(",", "", "", complete=True), 'a,6" pipe\n', [["a", '6" pipe']]),
    ],
    ids=["blank line", "cut off", "lined up", "comment", "no quotes"],
)
def test_what_is_no_record_is_passed_over(cut, text, records):
    assert cut.records(text) == records


def test_a_backslash_escapes_only_where_that_explains_more():
    cut = Cut(",", '"', '"', complete=True)
    assert with_escape(cut, 'a,b\n1,"x \\"y\\" z"\n2,"z"\n').escape == "\\"
    assert with_escape(cut, 'a,b\n1,"x\\"\n2,"z"\n') == cut


def test_the_commonest_width():
    assert most_common_width([3, 2, 3]) == 3
    assert most_common_width([]) == 1
