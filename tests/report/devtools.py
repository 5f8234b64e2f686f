"""A page in a real browser, driven over the DevTools protocol through a pipe: keys, widths, console, requests."""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.report.browser import chromium

_WAIT = 120.0  # seconds for an answer, on a machine with other work to do


class Tab:
    """One tab: what it is asked, what it logged, and what it tried to load."""

    def __init__(self, orders: int, answers: int) -> None:
        self._orders, self._answers = orders, answers
        self._number, self._rest = 0, b""
        self._session: str | None = None
        self.logged: list[str] = []
        self.requested: list[str] = []

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Give an order, and wait for its answer."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._orders, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                found: dict[str, Any] = answer["result"]
                return found
            self._note(answer)

    def open(
        self, page: Path, *, width: int = 1280, height: int = 900, dark: bool = False, scripts: bool = True
    ) -> None:
        """Load a page in a window of that size, and wait until every chart is drawn."""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        self.send("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.go(page.as_uri(), scripts=scripts)

    def go(self, address: str, *, scripts: bool = True) -> None:
        """Load an address in the tab that is open, and wait until every chart is drawn."""
        self.send("Page.navigate", url=address)
        ready = "document.readyState === 'complete' && !document.querySelector('[data-chart]:not([data-drawn])')"
        self.until(ready if scripts else "document.readyState === 'complete'")

    def choose_file(self, selector: str, file: Path) -> None:
        """Give a file to an input, as its dialog would."""
        document = self.send("DOM.getDocument")["root"]["nodeId"]
        node = self.send("DOM.querySelector", nodeId=document, selector=selector)["nodeId"]
        self.send("DOM.setFileInputFiles", nodeId=node, files=[str(file)])

    def picture(self, *, whole: bool = False, clip: tuple[float, float, float, float] | None = None) -> bytes:
        """What is seen, as PNG: the window, the whole page, or a part of it (x, y, width, height)."""
        part = (
            {}
            if clip is None
            else {"clip": {**dict(zip(("x", "y", "width", "height"), clip, strict=True)), "scale": 1}}
        )
        found = self.send(
            "Page.captureScreenshot", format="png", captureBeyondViewport=whole or clip is not None, **part
        )
        return b64decode(found["data"])

    def ask(self, expression: str) -> Any:
        """The value of an expression in the page."""
        found = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def until(self, expression: str) -> None:
        """Wait until an expression holds."""
        end = time.monotonic() + _WAIT
        while not self.ask(expression):
            assert time.monotonic() < end, f"it never came true: {expression}"
            time.sleep(0.05)

    def press(self, key: str, times: int = 1) -> None:
        """Press a key, as a keyboard does."""
        codes = {
            "ArrowLeft": 37,
            "ArrowRight": 39,
            "Home": 36,
            "End": 35,
            "Tab": 9,
            "Enter": 13,
            " ": 32,
            "ArrowDown": 40,
            "ArrowUp": 38,
            "Backspace": 8,
        }
        for _ in range(times):
            text = {"Enter": "\r", " ": " "}.get(key)  # a key that types something acts as one that does
            for kind in ("keyDown", "keyUp"):
                typed = {} if text is None or kind == "keyUp" else {"text": text}
                code = "Space" if key == " " else key
                self.send(
                    "Input.dispatchKeyEvent", type=kind, key=key, code=code, windowsVirtualKeyCode=codes[key], **typed
                )

    def type(self, text: str) -> None:
        """Put a text into the field that has the focus."""
        self.send("Input.insertText", text=text)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._answers], [], [], _WAIT)
            assert ready, "the browser does not answer"
            self._rest += os.read(self._answers, 1 << 20)
        message, _, self._rest = self._rest.partition(b"\0")
        answer: dict[str, Any] = json.loads(message)
        return answer

    def _note(self, event: dict[str, Any]) -> None:
        method, facts = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.logged.append(str(facts["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and facts["type"] in ("error", "warning", "assert"):
            self.logged.append(str(facts["args"]))
        elif method == "Log.entryAdded" and facts["entry"]["level"] in ("error", "warning"):
            self.logged.append(str(facts["entry"]["text"]))
        elif method == "Network.requestWillBeSent":
            self.requested.append(str(facts["request"]["url"]))


@contextmanager
def browser(folder: Path) -> Iterator[Tab]:
    """A browser with a profile of its own, ended with the block."""
    their_orders, orders = os.pipe()
    answers, their_answers = os.pipe()
    command = [
        chromium(), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--remote-debugging-pipe",
        f"--user-data-dir={folder / 'profile'}", "about:blank",
    ]  # fmt: skip

    def places() -> None:  # the protocol reads from 3 and writes to 4
        kept = os.dup(their_orders), os.dup(their_answers)
        os.dup2(kept[0], 3)
        os.dup2(kept[1], 4)

    process = subprocess.Popen(
        command, close_fds=False, preexec_fn=places, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    os.close(their_orders)
    os.close(their_answers)
    try:
        yield Tab(orders, answers)
    finally:
        process.terminate()
        process.wait(timeout=30)
        os.close(orders)
        os.close(answers)
