from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from venire.disk.locks import held, in_use, marked, signs

SIGN = ".sign"
HOLDING = """
import sys, time
from pathlib import Path
from venire.disk.locks import marked
with marked(Path(sys.argv[1]), ".sign"):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_sign_lasts_as_long_as_its_owner_says(tmp_path: Path) -> None:
    assert not in_use(tmp_path, SIGN)
    with marked(tmp_path, SIGN), marked(tmp_path, SIGN):
        assert in_use(tmp_path, SIGN)
        assert not in_use(tmp_path, ".other")
        assert len(list(tmp_path.iterdir())) == 2
    assert list(tmp_path.iterdir()) == []


def test_a_sign_ends_with_a_process_that_is_killed(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLDING, str(tmp_path)], stdout=subprocess.PIPE) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"held\n"
        assert in_use(tmp_path, SIGN)
        owner.send_signal(signal.SIGKILL)
        owner.wait(10)
    assert list(tmp_path.glob("*.sign"))
    assert not in_use(tmp_path, SIGN)


def test_a_sign_that_is_being_made_counts_for_a_minute(tmp_path: Path) -> None:
    sign = tmp_path / "1-ab.sign"
    sign.touch()
    assert in_use(tmp_path, SIGN)
    past = time.time() - 120
    os.utime(sign, (past, past))
    assert not in_use(tmp_path, SIGN)


def test_a_folder_that_is_gone_has_no_signs(tmp_path: Path) -> None:
    assert signs(tmp_path / "gone", SIGN) == []
    assert not in_use(tmp_path / "gone", SIGN)


def test_a_lock_is_waited_for(tmp_path: Path) -> None:
    order: list[str] = []

    def second() -> None:
        with held(tmp_path / "lock"):
            order.append("second")

    with held(tmp_path / "lock"):
        waiting = threading.Thread(target=second)
        waiting.start()
        time.sleep(0.2)
        order.append("first")
    waiting.join(10)
    assert order == ["first", "second"]
