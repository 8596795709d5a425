"""Other people's test suites on the emulated device.

Comes in: names of test modules in the scratch environment. Goes out: one JSON file a package and
device, an entry a test. Each test module runs in a process of its own, within a time limit.
"""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.scratch import Scratch

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
TIME_LIMIT = 1200  # seconds for one test module
CUDA_HEADERS = ("/usr/local/cuda/include", "/usr/local/cuda/targets/x86_64-linux/include")


@dataclass(frozen=True, slots=True)
class Suite:
    """The tests of one package: the module of ours that runs them, and where they are.

    folder: of the tests in the environment's packages. prefix: what makes a file's name a module's.
    """

    package: str
    runner: str
    folder: str
    prefix: str


SUITES = (
    Suite(
        "numba-cuda", "run_numba", "numba_cuda/numba/cuda/tests/cudapy", "numba.cuda.tests.cudapy"
    ),
)

# What is known of tests that fail, by the end of their names.
REASONS = {
    "TestCudaLocalMem.test_struct_model_type_arr": "it writes ten elements into arrays of one",
    "TestCudaArrayMethods.test_array_copy": "malloc in device code is refused",
    "TestCudaArrayMethods.test_reinterpret_array_type": "free in device code is refused",
}


def build_driver(scratch: Scratch) -> Path:
    """libcuda.so.1 in a folder of its own."""
    folder = scratch.root / "driver"
    folder.mkdir(parents=True, exist_ok=True)
    library = folder / "libcuda.so.1"
    include = [f"-I{path}" for path in CUDA_HEADERS]
    options = ["-O1", "-shared", "-fPIC", "-w", *include, "-ldl"]
    subprocess.run(["gcc", HERE / "libcuda.c", "-o", library, *options], check=True)
    plain = folder / "libcuda.so"
    if not plain.exists():
        plain.symlink_to(library.name)
    return library


def run_suite(suite: Suite, scratch: Scratch, device: str, only: list[str]) -> None:
    """Runs every test module that has no result yet for this device."""
    library = build_driver(scratch)
    (packages,) = (scratch.root / "venv" / "lib").glob("python3*/site-packages")
    folder = scratch.root / "suites" / suite.package / device
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted((packages / suite.folder).glob("test_*.py")):
        results = folder / f"{path.stem}.json"
        if results.exists() or (only and path.stem not in only):
            continue
        found = _run_module(suite, scratch, device, library, path.stem)
        results.write_text(json.dumps(found, indent=1))
        print(f"{suite.package} {device} {path.stem}: {_counts(found['tests'])}", flush=True)


def _run_module(
    suite: Suite, scratch: Scratch, device: str, library: Path, name: str
) -> dict[str, Any]:  # Any: what JSON holds
    log = scratch.root / "suites" / "log.jsonl"
    log.unlink(missing_ok=True)
    saved = scratch.ptx(suite.package)
    saved.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {
        "LD_LIBRARY_PATH": str(library.parent),
        "PYTHONPATH": str(REPOSITORY),
        "PTXLIFT_DRIVER_DEVICE": device,
        "PTXLIFT_DRIVER_LOG": str(log),
        "PTXLIFT_DRIVER_SAVE": str(saved),
    }
    command = [scratch.python, "-m", f"conformance.driver.{suite.runner}", library]
    ended = ""
    try:
        made = subprocess.run(
            [*command, f"{suite.prefix}.{name}"],
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIME_LIMIT,
            check=False,
        )
        output = made.stdout
        if made.returncode:
            ended = f"status {made.returncode}: {made.stderr[-300:]}"
    except subprocess.TimeoutExpired as error:
        output = (error.stdout or b"").decode(errors="replace")
        ended = f"longer than {TIME_LIMIT} s"
    lines = [json.loads(line) for line in output.splitlines() if line.startswith('{"')]
    faults = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    return {
        "module": name,
        "ended": ended,
        "tests": [line for line in lines if "test" in line],
        "launches": sum(line.get("launches", 0) for line in lines),
        "faults": faults,
    }


def _counts(tests: list[dict[str, Any]]) -> str:  # Any: what JSON holds
    kinds = [test["result"] for test in tests]
    return ", ".join(f"{kinds.count(kind)} {kind}" for kind in sorted(set(kinds)))
