import errno
import json
import os
import re
import tempfile
from html.parser import HTMLParser

import pytest

from tests.report.samples import SAMPLES, binary, many_classes, one_family, only_baseline
from venire.errors import UsageError, VenireError
from venire.report.page.confusion_matrix import Matrix
from venire.report.page.html import MOST_COLUMNS, render, write

_VOID = {"meta", "line", "circle", "link", "br", "rect", "input"}


class Outline(HTMLParser):
    """Collects what a browser without scripts would see, and checks that elements nest."""

    def __init__(self, page):
        super().__init__()
        self.open, self.ids, self.text, self.tags, self.links = [], [], [], [], []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        values = dict(attributes)
        self.ids += [values["id"]] if "id" in values else []
        self.links += [values[name] for name in ("href", "src") if name in values]
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.text.append(data)

    @property
    def words(self):
        return " ".join(" ".join(self.text).split())


@pytest.fixture(scope="module")
def pages():
    return {name: render(*sample()) for name, sample in SAMPLES.items()}


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_page_is_well_formed_and_alone(pages, sample):
    outline = Outline(pages[sample])
    assert len(outline.ids) == len(set(outline.ids))
    assert all(link.startswith("#") and link[1:] in outline.ids for link in outline.links)
    assert not {"img", "link", "iframe", "form"} & set(outline.tags)
    assert "None" not in outline.words
    assert "nan" not in re.sub("[a-z]nan|nan[a-z]", "", outline.words)


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_page_is_small(pages, sample):
    assert len(pages[sample].encode()) < 1_400_000


def test_the_page_answers_first(pages):
    words = Outline(pages["binary"]).words
    assert (
        "Take a random forest (q = 3). Expect it to find 76 % of the 'fraud' rows; 10 % of its alarms are false."
        in words
    )
    for question in ("Which model?", "How good is it really?", "Is the difference real?"):
        assert question in words
    assert "380 rows in 10 folds, each fold tested by models trained on the others" in words
    assert "770 trials, 110 of them kept from an earlier run; this run took 42 s." in words


def test_findings_have_anchors(pages):
    assert {"V001", "V004"} <= set(Outline(pages["binary"]).ids)
    document, pictures = binary()
    document["findings"] *= 2
    assert {"V001", "V001-2"} <= set(Outline(render(document, pictures)).ids)


def test_what_takes_the_meaning_from_all_figures_stands_before_them():
    document, pictures = binary()
    said = "No figure here means what it says."
    document["findings"] = [{"code": "V018", "message": said, "advice": "", "advice_parts": []}, *document["findings"]]
    words = Outline(render(document, pictures)).words
    assert words.index(said) < words.index("Which model?")
    assert words.count(said) == 2  # at the head, and with its advice among the findings


def test_no_name_becomes_markup(pages):
    page = pages["many_classes"]
    outline = Outline(page)
    assert "<script>alert(1)</script>" not in page
    assert "<b>species</b>" not in page
    assert "<script>alert(1)</script>" in outline.words  # shown as text
    assert outline.tags.count("script") == 4
    assert "\x1b" not in page
    assert "tab\\there\\x1b[31m" in outline.words


def test_no_name_ends_the_script_early():
    document, pictures = many_classes()
    pictures["fold_errors"] = {"</script><script>alert(1)</script>": [0.1, 0.2], "<!--": [0.1, 0.2]}
    page = render(document, pictures)
    assert Outline(page).tags.count("script") == 4
    specs = re.search(r'<script type="application/json" id="specs">(.*?)</script>', page, re.DOTALL)
    assert "</script><script>alert(1)</script>" in json.dumps(json.loads(specs[1]))


def test_the_policy_forbids_the_network_and_eval(pages):
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', pages["binary"])[1]
    assert policy.startswith("default-src 'none'")
    assert "unsafe-eval" not in policy


def test_every_table_is_there_without_scripts(pages):
    words = Outline(pages["many_classes"]).words
    assert "Confusion matrix of the procedure" in words
    assert "class 14" in words
    assert (
        Outline(pages["only_baseline"]).words.count("ValueError: Input X contains [bold]NaN[/bold]") == 1
    )  # families that share a reason share a line


def test_what_is_read_off_the_matrix_is_beside_it(pages):
    words = Outline(pages["binary"]).words
    assert "of all folds together: 380 rows in 10 folds, each fold tested by models trained on the others" in words
    assert "Accuracy 96.8 %, error 3.2 %, balanced accuracy (mean sensitivity) 87.4 %: over these 380 rows" in words
    assert "fraud positive 75.7 % 99.1 % 90.3 % 87.0 % 82.4 % 78.2 %" in words  # 28 of 37, 340 of 343, 28 of 31
    assert words.count("sensitivity (recall)") == 1
    assert "class 14 97.9 %" in Outline(pages["many_classes"]).words


def test_a_verdict_of_before_has_its_matrix_alone():
    document, pictures = binary()
    del document["confusion"], pictures["precision_recall"], pictures["cost_curve"]
    words = Outline(render(document, pictures)).words
    assert "Confusion matrix of the procedure" in words
    assert "sensitivity" not in words


def test_a_page_without_charts_carries_no_chart_library():
    document, _ = only_baseline()
    page = render(document | {"leaderboard": []})
    assert len(page) < 60_000
    assert "vegaEmbed" not in page


def test_ten_thousand_columns_are_counted_not_listed():
    document, _ = only_baseline()
    columns = [{"name": f"x{i}", "kind": "numeric", "missing": 0, "categories": 0} for i in range(10_000)]
    words = Outline(render(document | {"columns": columns})).words
    assert f"The first {MOST_COLUMNS} of 10,000 columns (10,000 numeric)" in words


def test_a_bare_document_still_makes_a_page():
    bare = {"source": "a.csv", "target": "y", "rows": 20, "folds": 5, "chosen": None, "leaderboard": []}
    assert "There is no verdict: nothing could be measured." in Outline(render(bare)).words


def test_the_same_document_gives_the_same_bytes(pages):
    assert render(*binary()) == pages["binary"]


def test_the_file_is_written_whole(tmp_path):
    target = write(*binary(), tmp_path / "bank.html")
    assert target.read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert [path.name for path in tmp_path.iterdir()] == ["bank.html"]


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UsageError, match=r"nowhere/a\.html: the report cannot be written: No such file") as caught:
        write(*only_baseline(), tmp_path / "nowhere" / "a.html")
    assert caught.value.code == "cannot_write"


def test_a_device_or_a_pipe_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe.html")
    with pytest.raises(VenireError, match="this is a device or a pipe, not a file") as caught:
        write(*only_baseline(), tmp_path / "pipe.html")
    assert (caught.value.exit_code, caught.value.code) == (1, "cannot_write")
    assert (tmp_path / "pipe.html").is_fifo()


def test_a_full_disk_is_no_misuse(tmp_path, monkeypatch):
    def full(**_: object) -> tuple[int, str]:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(tempfile, "mkstemp", full)
    with pytest.raises(VenireError, match="the report cannot be written: No space left") as caught:
        write(*only_baseline(), tmp_path / "a.html")
    assert (caught.value.exit_code, caught.value.hint) == (1, "make room, or give a file on another disk")


def test_matrix_totals():
    matrix = Matrix(("a", "b"), ((6954, 46), (412, 2588)))
    assert matrix.actual == (7000, 3000)
    assert matrix.predicted == (7366, 2634)
    assert matrix.total == 10_000
    assert matrix.share(1, 1) == 0.8627
    assert Matrix(("a",), ((0,),)).share(0, 0) == 0.0


def test_further_answers_have_their_place_on_the_page():
    document = binary()[0]
    names = [row["family"] for row in document["leaderboard"][1:]]
    document |= {
        "practical_difference": 0.01,
        "pairwise": [
            {"first": one, "second": other, "p_better": 0.7, "p_equal": 0.1, "p_worse": 0.2}
            for i, one in enumerate(names)
            for other in names[i + 1 :]
        ],
        "more_rows": {"error": 0.03, "gain": 0.01, "twice": 0.02, "gain_interval": [0.0, 0.015], "p_helps": 0.8},
        "certificates": [{"family": "forest", "status": "certified", "reason": ""}],
        "calibration": [{"family": "forest", "calibration_error": 0.0123, "slope": 0.9, "intercept": None}],
        "costs": {"per_thousand": [{"name": "procedure", "cost": 210.0, "interval": [150.0, 270.0]}]},
    }
    page = render(document, {})
    assert page.count("0.70</td>") >= 66
    assert page.count("0.20</td>") >= 66
    assert "Twice the rows might lower" in page
    assert page.count("✓<span") == 1
    assert '<td class="n">0.012</td>' in page
    assert "[150, 270]" in page
    assert "matrix pairs many" in page  # names above narrow columns: a dozen fit beside each other
    for anchor in ("pairs", "costs"):
        assert f'id="{anchor}"' in page
        assert f'href="#{anchor}"' in page


def test_what_is_not_known_has_no_section():
    page = render(binary()[0], {})
    for anchor in ("pairs", "costs"):
        assert f'id="{anchor}"' not in page
    assert "✓" not in page


def test_the_legend_keeps_who_is_certified_apart_from_who_was_not_checked():
    document = binary()[0]
    document["certificates"] = [{"family": "svm", "status": "not checked", "reason": "no time"}]
    page = render(document, {})
    assert "✓ certified</dt>" not in page
    assert "<dt>not checked</dt> <dd>svm (no time).</dd>" in page
    document["certificates"].append({"family": "forest", "status": "certified", "reason": ""})
    page = render(document, {})
    assert "<dt>✓ certified</dt> <dd>1 model was trained again" in page
    certified = page.partition("<dt>✓ certified</dt>")[2].partition("</div>")[0]
    assert "not checked" not in certified
    assert "<dt>not checked</dt> <dd>svm (no time).</dd>" in page


def test_a_combination_that_is_no_rival_is_explained():
    document, pictures = binary()
    member = next(row for row in document["leaderboard"] if row["family"] == "tree")
    vote = member | {"family": "vote", "kind": "combination", "p_best": None, "p_as_good": None}
    rows = [row for row in document["leaderboard"] if row["family"] != "vote"]
    words = Outline(render(document | {"leaderboard": [*rows, vote]}, pictures)).words
    assert (
        "the differences in each row (vote has the same error as tree in every row, so only tree has a probability)."
        in words
    )
    assert "no rival" not in Outline(render(document, pictures)).words
    stack = vote | {"family": "stack", "setting": "forest alone", "weights": {"forest": 1.0}, "error": 0.5}
    words = Outline(render(document | {"leaderboard": [*rows, stack]}, pictures)).words
    assert "(stack gives all its weight to forest, so only forest has a probability)" in words


def test_the_column_of_times_is_explained_where_there_are_times():
    document, pictures = one_family()
    assert "<dt>time</dt>" in render(document, pictures)
    assert "<dt>time</dt>" not in render(document | {"timing": {}}, pictures)


def test_no_table_collapses_its_borders():
    """A name that sticks while its table is scrolled would leave the line above it behind."""
    page = render(*binary())
    assert "position: sticky" in page
    assert "border-collapse: separate" in page
    assert not re.search(r"border-collapse:\s*collapse", page)


def test_percent_signs_and_options_are_not_torn_off(pages):
    page = pages["binary"]
    answers = page[page.index("<h1>") : page.index("<nav")]
    assert "95\N{NO-BREAK SPACE}% interval" in answers
    assert " %" not in answers
    assert '<span class="option">--metric</span> balanced_error' in page


def test_the_procedure_s_dot_beside_the_curve_is_explained():
    document, pictures = binary()
    pictures["operating"] |= {"pooled": False}
    assert "It lies beside the curve: each fold decides for itself." in render(document, pictures)
    assert "It lies beside the curve" not in render(*binary())
