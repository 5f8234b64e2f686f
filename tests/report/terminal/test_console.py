from io import BytesIO, TextIOWrapper

import pytest

from venire.report.terminal.console import Plain, encodable, make_console, printable, words


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[2Jb", "a\\x1b[2Jb"),
        ("x\u202ey", "x\\u202ey"),
        ("one\ntwo", "one\\ntwo"),
        ("a\u00a0b", "a b"),
        ("数字 🦊", "数字 🦊"),
    ],
)
def test_nothing_can_steer_the_terminal(text, shown):
    assert printable(text) == shown


def test_signs_fall_back_where_the_encoding_has_none():
    assert encodable("λ × 2…", "latin-1") == "\\u03bb × 2~".replace("×", "x")
    assert encodable("2 × 3", "latin-1") == "2 × 3"
    assert encodable("数", "ascii") == "\\u6570"


def test_markup_and_emoji_codes_are_text():
    console = make_console(TextIOWrapper(BytesIO(), encoding="utf-8"), width=60)
    with console.capture() as capture:
        console.print(Plain(words("[bold red]x[/bold red] :fox: [/nothing]", console)))
    assert capture.get().strip() == "[bold red]x[/bold red] :fox: [/nothing]"
