"""The folder is the only place where files are opened, and uploads stay small and harmless."""

from __future__ import annotations

import asyncio

import pyarrow as pa
import pytest

from tests.serve.asking import Asked
from tests.studio.conftest import flowers, housed
from venire.serve.refused import Refusal
from venire.studio.premises import TABLES, Premises


def test_tables_below_the_folder_are_listed_and_links_are_not(house):
    assert [one["path"] for one in house.workshop.premises.tables()] == ["flowers.csv"]


def test_a_table_is_looked_at_and_kinds_are_corrected(house):
    seen = house.own(Asked.json("/api/look", {"file": "flowers.csv", "target": "kind"})).document
    assert (seen["rows"], seen["target"]["task"], seen["source"]) == (150, "classification", "flowers.csv")
    kinds = {"length": "categorical", "width": "left out"}
    again = house.own(Asked.json("/api/look", {"file": "flowers.csv", "target": "kind", "kinds": kinds})).document
    assert {one["name"]: one["kind"] for one in again["columns"]} == {"length": "categorical", "colour": "categorical"}


def test_an_upload_gets_a_name_of_ours(house):
    data = flowers(20).to_csv(index=False).encode()
    asked = Asked("/api/uploads", data, "POST", (), "name=..%2F..%2Fmy%20flowers%3B.csv", parts=7)
    name = house.own(asked).document["file"]
    path = house.workshop.premises.table(name)
    assert path.read_bytes() == data
    assert path.is_relative_to(house.folder / ".venire" / "studio" / "uploads")
    assert house.workshop.premises.shown(str(path)) == "my flowers_.csv"
    path.unlink()


def test_a_large_upload_ends_at_the_limit(tmp_path):
    premises = Premises(tmp_path, tmp_path / ".venire", 1000)
    read = []

    async def endless():
        while True:
            read.append(1)
            yield b"a" * 300

    with pytest.raises(Refusal, match="more than 1,000 bytes"):
        asyncio.run(premises.kept("x.csv", endless()))
    assert len(read) == 4
    assert not list((tmp_path / ".venire" / "studio" / "uploads").iterdir())


@pytest.mark.parametrize("ending", TABLES)
def test_every_ending_that_is_offered_is_read(tmp_path, ending):
    house = housed(tmp_path)
    path = house.folder / f"sent{ending}"
    frame, plain = flowers(30), ending.removesuffix(".gz").removesuffix(".zst")
    written = {
        ".parquet": lambda: frame.to_parquet(path),
        ".xlsx": lambda: frame.to_excel(path, index=False),
        ".json": lambda: frame.to_json(path, orient="records"),
    }
    if plain in written:
        written[plain]()
    else:
        csv = frame.to_csv(index=False, sep="\t" if plain == ".tsv" else ",")
        text = frame.to_json(orient="records", lines=True) if plain in (".jsonl", ".ndjson") else csv
        packed = {".gz": "gzip", ".zst": "zstd"}.get(path.suffix)
        with pa.output_stream(path, compression=packed) as stream:
            stream.write(text.encode())
    assert {"path": path.name} in [{"path": one["path"]} for one in house.workshop.premises.tables()]
    found = house.own(Asked.json("/api/look", {"file": path.name, "target": "kind"}))
    assert (found.status, found.document["rows"]) == (200, 30)
