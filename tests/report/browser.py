"""A real browser for the page's tests: finds Chromium, skips with a word without one, fails without one in CI."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--virtual-time-budget=10000",
)


def chromium() -> str:
    """The path of the browser."""
    for name in _NAMES:
        if found := shutil.which(name):
            return found
    words = f"no browser found (looked for {', '.join(_NAMES)}): install Debian's chromium"
    if os.environ.get("CI", "").lower() == "true":
        pytest.fail(words)
    pytest.skip(words)


def screenshot(page: Path, width: int, height: int, *, dark: bool = False) -> Path:
    """A picture of the page, beside it."""
    target = page.with_name(f"{page.stem}-{width}{'-dark' if dark else ''}.png")
    colours = ["--blink-settings=preferredColorScheme=0"] if dark else []
    _run(page, f"--screenshot={target}", f"--window-size={width},{height}", *colours)
    return target


def document_after_scripts(page: Path, width: int = 1200) -> str:
    """The page's HTML once its scripts have run."""
    return _run(page, "--dump-dom", f"--window-size={width},1000")


def _run(page: Path, *arguments: str) -> str:
    profile = page.parent / "profile"
    shutil.rmtree(profile, ignore_errors=True)
    command = [chromium(), *_FLAGS, f"--user-data-dir={profile}", *arguments, page.as_uri()]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout
