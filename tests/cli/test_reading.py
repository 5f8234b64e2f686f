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


def test_a_command_has_them_where_a_reader_looks_for_them_and_finds_them_in_its_context():
    found = {}

    @reads_a_table
    def command(ctx: typer.Context, source: str, target: str, stratified: bool = False, as_json: bool = False) -> None:
        """What it does."""
        found.update(source=source, target=target, drop=ctx.params["drop"])

    asked = list(inspect.signature(command).parameters)
    assert asked[:5] == ["ctx", "source", "target", "positive", "task"]
    assert asked[5:11] == ["groups", "time", "weights", "stratified", "as_json", "drop"]
    assert command.__doc__ == "What it does."
    context = type("Context", (), {"params": {"drop": ["id"]}})()
    command(ctx=context, source="t.csv", target="y", positive=None, drop=["id"], header=None)
    assert found == {"source": "t.csv", "target": "y", "drop": ["id"]}
