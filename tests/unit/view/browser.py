"""A headless Chromium on a pipe, driven by its own protocol: no driver package is needed.

Comes in: a page's path and what a person would do. Goes out: what the page then says of itself.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
CHROMIUM = next((found for name in NAMES if (found := shutil.which(name))), None)
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"),
    *("--disable-dev-shm-usage", "--remote-debugging-pipe", "--window-size=1400,900"),
)
KEYS = {"ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39, "Enter": 13, "Tab": 9}
KEYS |= {"Escape": 27, "/": 191}

_PATIENCE = 30  # seconds


class Browser:
    """One tab. Any: the protocol's answers are JSON."""

    def __init__(self, to: int, back: int) -> None:
        self._to = to
        self._back = back
        self._buffer = b""
        self._count = 0
        self._session = ""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        self.send("Page.enable")

    def send(self, method: str, **params: Any) -> Any:
        """One command and its answer; events in between are dropped."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._count:
                assert "error" not in answer, answer
                return answer["result"]

    def _read(self) -> Any:
        while b"\0" not in self._buffer:
            data = os.read(self._back, 1 << 20)
            assert data, "the browser ended"
            self._buffer += data
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def open(self, path: Path) -> None:
        """Loads a page and waits for its script."""
        self.send("Page.navigate", url=path.as_uri())
        look = "document.documentElement?.dataset.ready === 'yes'"
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            answer = self.send("Runtime.evaluate", expression=look)
            if answer["result"].get("value"):
                return
            time.sleep(0.02)
        raise AssertionError(f"{path} is not ready after {_PATIENCE} s")

    def ask(self, expression: str) -> Any:
        """The value of an expression in the page."""
        answer = self.send(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def point(self, selector: str, click: bool = False) -> None:
        """Moves the mouse to the middle of an element, and clicks."""
        box = self.ask(
            f"(e => {{ e.scrollIntoView({{block: 'center', behavior: 'instant'}});"
            " const b = e.getBoundingClientRect(); return [b.x + 60, b.y + b.height / 2] })"
            f"(document.querySelector({json.dumps(selector)}))"
        )
        at: dict[str, Any] = {"x": box[0], "y": box[1]}
        self.send("Input.dispatchMouseEvent", type="mouseMoved", **at)
        for kind in ("mousePressed", "mouseReleased") if click else ():
            self.send("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **at)

    def press(self, key: str) -> None:
        """One key down and up."""
        code = KEYS[key]
        for kind in ("rawKeyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code)

    def prefer(self, scheme: str) -> None:
        """Light or dark, as the system would ask for."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.send("Emulation.setEmulatedMedia", features=[feature])


@contextlib.contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """A browser with a profile of its own in `folder`."""
    assert CHROMIUM is not None
    child_in, to = os.pipe()
    back, child_out = os.pipe()
    line = f'exec "$@" 3<&{child_in} 4>&{child_out}'
    process = subprocess.Popen(
        ["bash", "-c", line, "bash", CHROMIUM, *FLAGS, f"--user-data-dir={folder}"],
        pass_fds=(child_in, child_out),
        stderr=subprocess.DEVNULL,
    )
    os.close(child_in)
    os.close(child_out)
    try:
        yield Browser(to, back)
    finally:
        process.terminate()
        process.wait(30)
        os.close(to)
        os.close(back)
