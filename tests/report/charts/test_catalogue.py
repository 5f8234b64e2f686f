import json
import subprocess
import sys

import pytest

from tests.report.samples import SAMPLES, binary, only_baseline
from venire.errors import UsageError
from venire.report.charts import catalogue as charts


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_picture_of_every_sample_is_valid(sample):
    document, pictures = SAMPLES[sample]()
    for name in charts.available(document, pictures):
        spec = charts.draw(name, document, pictures).to_dict(validate=True)
        assert spec["description"]
        json.dumps(spec, allow_nan=False)


def test_a_picture_renders_without_a_browser(tmp_path):
    document, pictures = binary()
    charts.draw("roc", document, pictures).save(str(tmp_path / "roc.svg"))
    assert "procedure 0.971" in (tmp_path / "roc.svg").read_text(encoding="utf-8")


def test_an_unknown_picture_lists_those_there_are():
    with pytest.raises(UsageError, match="there is no picture 'rock' of this verdict") as caught:
        charts.draw("rock", *binary())
    assert caught.value.hint.startswith("choose one of: errors, fold_errors, roc")
    with pytest.raises(UsageError, match="there is no picture 'scatter'"):
        charts.draw("scatter", *binary())


def test_what_can_be_drawn_follows_what_is_there():
    assert charts.available(*only_baseline()) == ["errors"]
    assert charts.available({"leaderboard": []}, {}) == []


def test_altair_is_imported_only_to_draw():
    code = (
        "import sys, venire.report.terminal.verdict, venire.report.page.html, venire.report.terminal.progress;"
        "assert not {'altair', 'vl_convert'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
