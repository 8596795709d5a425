"""Where a kernel of lanes that wait runs: what by default, and what only with `--warps-full`."""

from __future__ import annotations

Place = tuple[str, dict[str, str]]  # target or interpreter, options

PLACES: list[Place] = [
    ("interpreter", {}),
    ("gfx942", {}),
    ("gfx90a", {"warp_mapping": "split"}),
    ("gfx1100", {}),
]
MORE_PLACES: list[Place] = [(target, {}) for target in ("gfx950", "gfx1030", "gfx1201", "gfx1250")]
