import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from multiprocessing import active_children

import pytest

from tests.cli.conftest import write_table
from venire.cli.signals import Signals, Terminated, unwinding

posix = pytest.mark.skipif(os.name != "posix", reason="process groups are a matter of POSIX")


def test_the_first_signal_unwinds():
    with pytest.raises(KeyboardInterrupt, match=r"^$"):  # it carries no message
        Signals().handle(signal.SIGINT, None)
    with pytest.raises(Terminated, match=str(int(signal.SIGTERM))) as caught:
        Signals().handle(signal.SIGTERM, None)
    assert not isinstance(caught.value, Exception)  # what survives a failing learner does not survive this


def test_a_second_one_is_taken_in_silence_once_we_are_leaving():
    signals = Signals(received=1, leaving=True)
    signals.handle(signal.SIGINT, None)
    assert signals.impatient


def test_handlers_are_put_back():
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with unwinding() as signals:
        assert signal.getsignal(signal.SIGTERM) == signals.handle
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_what_is_ignored_stays_ignored():
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with unwinding():
            assert signal.getsignal(signal.SIGTERM) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def running(tmp_path):
    """A comparison with workers, in a process group of its own, from the moment its trials start."""
    write_table(tmp_path / "big.csv", rows=4000)
    (tmp_path / "tmp").mkdir()
    words = ["compare", "big.csv", "-t", "y", "--models", "svm,neural_net", "--jobs", "2", "--budget", "none"]
    process = subprocess.Popen(
        [sys.executable, "-c", "from venire.cli.main import run; run()", *words],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        for line in process.stderr:
            if "trials to run" in line:
                break
        yield process
    finally:
        process.kill()
        process.communicate()


def all_gone(group, within=20.0):
    """Whether every process of the group ends in time."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@posix
@pytest.mark.parametrize(
    ("signals", "code", "word"),
    [
        ([signal.SIGINT], 130, "interrupted"),
        ([signal.SIGINT, signal.SIGINT], 130, "interrupted"),
        ([signal.SIGTERM], 143, "terminated"),
    ],
    ids=["ctrl-c", "twice", "terminate"],
)
def test_a_run_that_is_told_to_stop_leaves_nothing_behind(tmp_path, signals, code, word):
    with running(tmp_path) as process:
        time.sleep(1.0)  # workers are about to start, or at work
        for number in signals:
            os.killpg(process.pid, number) if number == signal.SIGINT else process.send_signal(number)
            time.sleep(0.1)
        out, err = process.communicate(timeout=60)
        # Python's last moments know no handlers: a second Ctrl-C then kills, which a shell shows as 130 too.
        assert process.returncode in ({code, -signal.SIGINT} if len(signals) > 1 else {code}), err
        assert out == ""
        assert err.splitlines()[-2].startswith(f"error: {word}"), err
        assert err.splitlines()[-1].startswith("hint: ")
        assert "Traceback" not in err
        assert all_gone(process.pid)
        assert list((tmp_path / "tmp").iterdir()) == []
    assert active_children() == []
