import inspect

import typer

from venire.cli.reading import reading, reads_a_table
from venire.data import read_table


class Given(dict):
    def __missing__(self, key):
        return None


def test_the_options_of_reading_are_those_of_read_table():
    asked = reading(Given(drop=["a,b"], missing=["-9"], only_missing=True))
    assert asked["drop"] == ("a", "b")
    assert asked["missing"] == ("-9",)
    assert asked["default_missing"] is False
    assert set(asked) <= set(inspect.signature(read_table).parameters)


def test_a_command_has_them_after_its_own_and_finds_them_in_its_context():
    heard = {}

    @reads_a_table
    def command(ctx: typer.Context, source: str) -> None:
        """What it does."""
        heard.update(source=source, drop=ctx.params["drop"])

    assert list(inspect.signature(command).parameters)[:3] == ["ctx", "source", "drop"]
    assert command.__doc__ == "What it does."
    command(ctx=type("Context", (), {"params": {"drop": ["id"]}})(), source="t.csv", drop=["id"], header=None)
    assert heard == {"source": "t.csv", "drop": ["id"]}
