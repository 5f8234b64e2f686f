"""A job carried out: what it leaves for the page of its run, and how it ends where it cannot be carried out."""

from __future__ import annotations

import pytest

from tests.serve.asking import Asked
from tests.studio.conftest import housed
from tests.studio.walking import compared
from venire.flow.further_explanations import Allowance
from venire.studio import job_process
from venire.studio.job_folders import JOB, Jobs, write_plain
from venire.studio.job_process import main as carry_out
from venire.studio.job_queue import Queue


def test_a_short_run_has_every_picture(tmp_path):
    """The report leaves out what takes more than a tenth of the run; nobody would wait less for so little."""
    house = housed(tmp_path)
    run = house.workshop.run(compared(house.folder, "flowers.csv", "kind", "flowers"))
    pictures = house.workshop.kept(run)["pictures"]
    assert pictures["left_out"] == []
    assert {"importance", "shapley", "learning_curve"} <= set(pictures)


def test_pictures_that_a_budget_had_no_time_for_are_drawn_when_asked_for(tmp_path, monkeypatch):
    """The page of a run that used its whole budget offers them, as a job of its own."""
    monkeypatch.setattr(Allowance, "covers", lambda self, seconds: self.seconds is None)
    monkeypatch.setattr(job_process, "_WORTH_WAITING", 0.0)
    house = housed(tmp_path)
    key = compared(house.folder, "flowers.csv", "kind", "flowers")
    run = house.workshop.run(key)
    assert [one["picture"] for one in house.workshop.kept(run)["pictures"]["left_out"]] == ["shapley", "learning_curve"]
    assert b'id="explain"' in house.own(Asked.get(f"/runs/{key}")).body
    monkeypatch.setattr(Queue, "look", lambda self: None)
    asked = house.own(Asked.json(f"/api/runs/{key}/prepare", {"explain": True}))
    assert asked.status == 201
    job = Jobs(house.folder / ".venire").find(asked.document["id"])
    carry_out(job.folder, house.folder / ".venire")
    assert job.document()["run"] == key
    assert house.workshop.kept(run)["pictures"]["left_out"] == []
    assert b'id="explain"' not in house.own(Asked.get(f"/runs/{key}")).body
    for wrong in ({"explain": "yes"}, {"budget": 1}, {"explain": True, "x": 1}):
        assert house.own(Asked.json(f"/api/runs/{key}/prepare", wrong)).status == 400


@pytest.mark.parametrize("further", [{"cluster": "tcp://evil.example:8786"}, {"shared": "/tmp"}, {"home": "x"}, None])
def test_no_file_of_a_folder_says_where_work_is_sent(tmp_path, further):
    """The folder may have come from somebody else, with jobs that wait in it."""
    house = housed(tmp_path)
    recipe = {"source": str(house.folder / "flowers.csv"), "target": "kind", "models": ["naive_bayes"], "budget": None}
    job = Jobs(house.folder / ".venire").add({**recipe, **(further or {})}, "flowers")
    if further is None:
        write_plain(job.folder / JOB, {"created": "", "called": "x"})
    carry_out(job.folder, house.folder / ".venire")
    document = job.document()
    assert (document["state"], document["error"]["code"]) == ("failed", "bad_job")
    assert house.workshop.runs.all() == []


def test_a_table_that_is_gone_is_said(tmp_path):
    house = housed(tmp_path)
    jobs = Jobs(house.folder / ".venire")
    job = jobs.add({"source": str(house.folder / "flowers.csv"), "target": "kind", "budget": None}, "flowers")
    (house.folder / "flowers.csv").unlink()
    carry_out(job.folder, house.folder / ".venire")
    document = house.own(Asked.get(f"/api/jobs/{job.key}")).document
    assert document["state"] == "failed"
    assert document["error"]["message"] == "there is no such file"


def test_the_page_of_a_run_whose_table_is_gone_or_another_one(tmp_path):
    house = housed(tmp_path)
    path = house.folder / "flowers.csv"
    run = compared(house.folder, "flowers.csv", "kind", "flowers")
    form = Asked.json(f"/api/runs/{run}/ask", {"what": "form", "with": {}})
    assert house.series([form])[0].status == 200
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0].replace("width", "breadth"), *lines[1:]]))
    changed = house.series([form])[0]
    assert (changed.status, changed.document["error"]["code"]) == (400, "table_changed")
    path.unlink()
    page = house.own(Asked.get(f"/runs/{run}")).body
    assert b"is not there any more" in page
    assert b"row-form" not in page
    assert house.own(Asked.get(f"/runs/{run}/report.html")).status == 200
    refused = house.own(Asked.json(f"/api/runs/{run}/prepare", {}))
    assert (refused.status, refused.document["error"]["code"]) == (409, "no_recipe")
