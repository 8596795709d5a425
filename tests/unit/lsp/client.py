"""A language client of a hundred lines: speaks the protocol to a server's standard streams."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

URI = "file:///work/kernel.ptx"
_PATIENCE = 60  # seconds


class Client:
    """One session. Any: messages are JSON."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._count = 0
        self._version = 0
        self.diagnostics: list[tuple[int, list[dict[str, Any]]]] = []  # by version

    def _write(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()

    def _read(self) -> dict[str, Any]:
        stream = self._process.stdout
        assert stream is not None
        size = 0
        while (line := stream.readline().strip()) or not size:
            if line.lower().startswith(b"content-length:"):
                size = int(line.split(b":")[1])
            assert self._process.poll() is None, "the server ended"
        message: dict[str, Any] = json.loads(stream.read(size))
        if message.get("method") == "textDocument/publishDiagnostics":
            params = message["params"]
            self.diagnostics.append((params.get("version"), params["diagnostics"]))
        return message

    def notify(self, method: str, params: dict[str, Any]) -> None:
        self._write({"method": method, "params": params})

    def ask(self, method: str, **params: Any) -> Any:
        """A request's result."""
        self._count += 1
        self._write({"id": self._count, "method": method, "params": params})
        while True:
            message = self._read()
            if message.get("id") == self._count and "method" not in message:
                assert "error" not in message, message
                return message["result"]

    def ask_at(self, method: str, line: int, character: int) -> Any:
        """A request about a place, both from 0."""
        place = {"line": line, "character": character}
        return self.ask(f"textDocument/{method}", textDocument={"uri": URI}, position=place)

    def open(self, text: str) -> list[dict[str, Any]]:
        """Opens a text; gives its diagnostics."""
        self._version += 1
        item = {"uri": URI, "languageId": "ptx", "version": self._version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return self._wait()

    def change(self, text: str) -> list[dict[str, Any]]:
        """Replaces the text; gives its diagnostics."""
        self._version += 1
        identifier = {"uri": URI, "version": self._version}
        params = {"textDocument": identifier, "contentChanges": [{"text": text}]}
        self.notify("textDocument/didChange", params)
        return self._wait()

    def _wait(self) -> list[dict[str, Any]]:
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            for version, found in self.diagnostics:
                if version == self._version:
                    return found
            self._read()
        raise AssertionError("no diagnostics came")


@contextlib.contextmanager
def client(*arguments: str) -> Iterator[Client]:
    """A session with a fresh server."""
    process = subprocess.Popen(
        [sys.executable, "-m", "ptxlift", "lsp", "--stdio", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        made = Client(process)
        made.ask("initialize", processId=None, rootUri=None, capabilities={})
        made.notify("initialized", {})
        yield made
        made.ask("shutdown")
        made.notify("exit", {})
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()
