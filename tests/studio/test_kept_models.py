"""What is kept beside a run is of one verdict, and of no other."""

from __future__ import annotations

import json
import os
import time

import pytest

from tests.serve.asking import Asked
from tests.studio.conftest import housed
from tests.studio.walking import compared
from venire.studio.kept_models import MODEL, is_of, kept_file, kept_worst


@pytest.fixture
def held(tmp_path):
    house = housed(tmp_path)
    run = compared(house.folder, "flowers.csv", "kind", "flowers")
    return house, run, house.folder / ".venire" / "runs" / run


def test_a_model_of_an_earlier_verdict_is_not_offered(held):
    house, run, folder = held
    assert kept_worst(folder)
    assert house.own(Asked.get(f"/runs/{run}")).body.count(b'data-model="yes"') == 1
    assert b"most wrong" in house.own(Asked.get(f"/runs/{run}/report.html")).body
    kept = json.loads((folder / "verdict.json").read_text())
    assert is_of(folder, kept["document"])
    kept["document"]["chosen"]["setting"] = "another one"
    (folder / "verdict.json").write_text(json.dumps(kept))
    assert kept_file(folder, MODEL) is not None
    assert not is_of(folder, kept["document"])
    assert house.own(Asked.get(f"/runs/{run}")).body.count(b'data-model="no"') == 1
    assert house.own(Asked.get(f"/runs/{run}/model.venire")).status == 404
    assert b"most wrong" not in house.own(Asked.get(f"/runs/{run}/report.html")).body


def test_what_nothing_uses_is_swept_away(held):
    house, _, _ = held
    shop = house.workshop
    sent = house.own(Asked("/api/uploads", b"a,b\n1,2\n", "POST", (), "name=x.csv")).document["file"]
    upload = shop.premises.table(sent)
    shop.premises.predictions.mkdir(parents=True)
    predicted = shop.premises.predictions / "0.csv"
    predicted.write_text("predicted\n")
    shop.sweep()
    assert upload.exists()
    assert predicted.exists()
    assert len(shop.jobs.all()) == 1
    long_ago = time.time() - 2 * 86_400
    for path in (upload, predicted, shop.jobs.all()[0].folder):
        os.utime(path, (long_ago, long_ago))
    waiting = shop.jobs.add({"source": str(upload), "target": "b"}, "x")
    shop.sweep()
    assert [job.key for job in shop.jobs.all()] == [waiting.key]
    assert (upload.exists(), predicted.exists()) == (True, False)
    waiting.delete()
    shop.sweep()
    assert not upload.exists()
    assert len(shop.rows.all()) == 1


def test_an_upload_goes_with_its_last_run(held, tmp_path):
    house, _, _ = held
    shop = house.workshop
    data = (house.folder / "flowers.csv").read_bytes()
    sent = house.own(Asked("/api/uploads", data, "POST", (), "name=x.csv")).document["file"]
    upload = shop.premises.table(sent)
    run = compared(house.folder, str(upload.relative_to(house.folder)), "colour", "sent")
    for job in shop.jobs.all():
        job.delete()
    assert upload.exists()
    assert house.own(Asked(f"/api/runs/{run}", b"", "DELETE", ())).document["deleted"] == run
    assert not upload.exists()
    assert (house.folder / "flowers.csv").exists()
