"""The VS Code extension's own tests, where node is installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "editors" / "vscode"
NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="needs node")
def test_the_extension() -> None:
    pytest.importorskip("pygls")
    command = json.dumps([sys.executable, "-m", "ptxlift"])
    run = subprocess.run(
        [str(NODE), "--test", "test/"],
        cwd=FOLDER,
        env={**os.environ, "PTXLIFT_COMMAND": command},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "# pass 4" in run.stdout
