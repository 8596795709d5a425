"""Lets the tests use the replay of the vector tests and the rounding by fractions."""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TESTS / "vectors"))
sys.path.insert(0, str(TESTS / "unit" / "interp"))
