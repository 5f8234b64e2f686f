"""Models handed over from the command line."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest

import venire as vn


@pytest.fixture
def model_file(venire, tmp_path):
    rng = np.random.default_rng(0)
    lines = [
        f"{x:.3f},{'red' if x > 0 else 'blue'},{'yes' if x + e > 0 else 'no'}" for x, e in rng.normal(size=(80, 2))
    ]
    (tmp_path / "t.csv").write_text("size,colour,y\n" + "\n".join(lines))
    venire("fit", "t.csv", "-t", "y", "--model", "naive_bayes", "--folds", "3", "--save", "m.venire", "-q")
    return tmp_path / "m.venire"


def test_a_model_becomes_a_graph(venire, model_file, tmp_path):
    done = venire("export", model_file, "m.onnx", "--numbers", "float64")
    assert (done.code, done.out.strip()) == (0, "m.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "m.onnx")
    feed = {"size": np.array([[0.5], [np.nan]]), "colour": np.array([["red"], [""]], dtype=object)}
    said = vn.load(model_file).predict_proba(np.array([[0.5, "red"], [np.nan, None]], dtype=object))
    np.testing.assert_allclose(session.run(["probabilities"], feed)[0], said, atol=1e-12)


def test_what_cannot_be_written_is_said_first(venire, model_file):
    refused = venire("export", model_file, "nowhere/m.onnx")
    assert (refused.code, "there is no folder" in refused.err) == (2, True)
    refused = venire("export", model_file, "m.onnx", "--numbers", "float16")
    assert (refused.code, "give float32 or float64" in refused.err) == (2, True)


def test_a_card_is_written_or_printed(venire, model_file, tmp_path):
    shown = venire("card", model_file)
    assert shown.out.startswith("# Model card: y by naive Bayes\n")
    done = venire("card", model_file, "-o", "card.html")
    assert (done.code, done.out.strip()) == (0, "card.html")
    assert "<!doctype html>" in (tmp_path / "card.html").read_text()
    refused = venire("card", model_file, "-o", "card.docx")
    assert (refused.code, "write card.md or card.html" in refused.err) == (2, True)
