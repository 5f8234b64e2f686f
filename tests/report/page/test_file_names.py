from __future__ import annotations

from pathlib import Path

import pytest

from venire.errors import UsageError
from venire.report.page.file_names import refuse_other_formats


@pytest.mark.parametrize("name", ["report.html", "REPORT.HTM", "report"])
def test_a_page_may_be_called_a_page(name: str) -> None:
    refuse_other_formats(Path(name))


@pytest.mark.parametrize("name", ["report.pdf", "report.docx", "v1.2"])
def test_another_format_is_refused_with_a_name_that_is_right(name: str) -> None:
    with pytest.raises(UsageError, match="is another format") as refused:
        refuse_other_formats(Path(name))
    assert f"{Path(name).stem}.html" in str(refused.value.hint)
