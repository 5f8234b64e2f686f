import pytest

from venire.errors import UsageError
from venire.tutorial.table_of_contents import LESSONS, find


def test_a_lesson_is_found_by_name_and_by_number():
    assert find("golf") is find("1") is LESSONS[0]


def test_an_unknown_lesson_is_refused_with_those_there_are():
    with pytest.raises(UsageError, match="there is no lesson 'chess'") as found:
        find("chess")
    assert found.value.hint.startswith("choose one of: golf, bayes")
