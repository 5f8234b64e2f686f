"""A figure shows itself in a notebook: a drawing inside the page, with nothing that runs or is asked for."""

import base64
import re

from tests.report.samples import binary
from venire.report.page.panels import figure


def test_a_notebook_gets_one_drawing_that_asks_for_nothing():
    shown = figure("roc", *binary())._repr_html_()
    assert not re.search(r"<script|https?:|cdn", shown)
    drawn = base64.b64decode(re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', shown).group(1)).decode()
    assert drawn.startswith("<svg")
    assert "procedure 0.971" in drawn
    assert "380 held-out rows in 10 folds" in shown


def test_names_are_escaped():
    document, pictures = binary()
    document["positive"] = '"><script>alert(1)</script>'
    shown = figure("precision_recall", document, pictures)._repr_html_()
    assert "<script" not in shown


def test_it_is_saved_by_its_ending(tmp_path):
    drawn = figure("errors", *binary())
    assert drawn.save(tmp_path / "errors.png").read_bytes().startswith(b"\x89PNG")
    assert drawn.save(tmp_path / "errors.svg").read_text(encoding="utf-8").startswith("<svg")
    assert repr(drawn).startswith("<Figure errors: The error rate of every family")
