"""Runs test modules of numba-cuda on the emulated device and prints JSON: one entry a test.

numba links PTX to machine code before it loads it; here the linker only puts the texts one behind
the other.
"""

from __future__ import annotations

import json
import os
import sys
import time
import unittest
from typing import Any

from conformance.driver.device import NEXT_MODULE, Device, install


def link_texts() -> None:
    """numba's linker hands its PTX on."""
    from numba.cuda.cudadrv import driver

    def complete(linker: Any) -> Any:  # Any: numba is untyped
        if linker._has_ltoir:
            return driver.ObjectCode.from_cubin(linker.get_linked_ptx() + b"\0")
        kinds = {code.code_type for code in linker._object_codes}
        if kinds != {"ptx"}:
            raise unittest.SkipTest(f"links {kinds}, which hold machine code")
        texts = [code.code for code in linker._object_codes]
        joined = NEXT_MODULE.encode().join(text.rstrip(b"\0") for text in texts)
        linker._complete, linker.linker = True, True
        linker._info_log = linker._error_log = ""
        return driver.ObjectCode.from_cubin(joined + b"\0")

    driver._Linker.complete = complete


class Results(unittest.TestResult):
    """Writes what became of every test, one line of JSON each."""

    def __init__(self, device: Device) -> None:
        super().__init__()
        self.device = device
        self.start = 0.0
        self.kept: set[str] = set()

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self.start = time.monotonic()
        self.device.deadline = self.start + SECONDS

    def _keep(self, test: unittest.TestCase, result: str, text: str = "") -> None:
        if test.id() in self.kept:
            return
        self.kept.add(test.id())
        took = time.monotonic() - self.start
        if time.monotonic() > self.device.deadline and result != "passed":
            result = "time"
        entry = {
            "test": test.id(),
            "result": result,
            "text": text[-900:],
            "seconds": round(took, 1),
        }
        print(json.dumps(entry), file=OUT, flush=True)

    def addSuccess(self, test: unittest.TestCase) -> None:
        self._keep(test, "passed")

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        self._keep(test, "skipped", reason)

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        self._keep(test, "failed", self._exc_info_to_string(err, test))

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        self._keep(test, "error", self._exc_info_to_string(err, test))

    def addExpectedFailure(self, test: unittest.TestCase, err: Any) -> None:
        self._keep(test, "passed")

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        if err is not None:
            self._keep(test, "failed", self._exc_info_to_string(err, test))


OUT = os.fdopen(os.dup(1), "w")
SECONDS = 60.0  # for one test


def main(library: str, modules: list[str]) -> int:
    device = install(library)
    from numba import cuda

    link_texts()
    assert cuda.is_available(), "the driver does not answer"
    for module in modules:
        unittest.defaultTestLoader.loadTestsFromName(module).run(Results(device))
    print(json.dumps({"launches": device.launches}), file=OUT)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
