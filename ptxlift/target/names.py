"""From a target's name, as users and metadata write it, to its facts.

Comes in: `gfx942`, `gfx942:sramecc+:xnack-`, or the same after `amdgcn-amd-amdhsa--`; or `sm_90`.
Goes out: a `TargetSpec` or `NvidiaSpec`, or PTX301. It must not know any fact of a chip.
"""

from __future__ import annotations

from collections.abc import Sequence

from ptxlift.diag import PtxError
from ptxlift.target.gfx import TARGETS
from ptxlift.target.model import TRIPLE, Setting, Target, TargetSpec
from ptxlift.target.nvidia import NvidiaSpec, is_nvidia, lookup_nvidia

AnySpec = TargetSpec | NvidiaSpec
_SETTINGS = {"+": Setting.ON, "-": Setting.OFF}


def all_targets() -> tuple[Target, ...]:
    """Every known target, in order of generation and number, generics last in each."""
    return TARGETS


def lookup(name: str, extra: Sequence[Target] = ()) -> TargetSpec:
    """The target a name or target id means; `extra` adds rows to the table."""
    parts = name.strip().removeprefix(f"{TRIPLE}--").split(":")
    target = _find(parts[0], extra)
    found: dict[str, Setting] = {}
    for part in parts[1:]:
        feature, setting = _setting(part, target)
        if feature in found:
            raise PtxError.of("PTX301", f"the target id {_quote(name)} says {feature} twice")
        found[feature] = setting
    return TargetSpec(target, **found)


def lookup_any(name: str) -> AnySpec:
    """The AMD or NVIDIA target that a name means."""
    return lookup_nvidia(name) if is_nvidia(name) else lookup(name)


def _find(name: str, extra: Sequence[Target]) -> Target:
    known = {target.name: target for target in (*TARGETS, *extra)}
    if name in known:
        return known[name]
    from difflib import get_close_matches

    near = get_close_matches(name[:40], known, n=3, cutoff=0.6)
    hint = f"did you mean {' or '.join(near)}?" if near else "`ptxlift targets` lists them"
    raise PtxError.of("PTX301", f"there is no AMDGPU target {_quote(name)}", hint=hint)


def _setting(part: str, target: Target) -> tuple[str, Setting]:
    feature, sign = part[:-1], part[-1:]
    allowed = [n for n, yes in (("sramecc", target.sramecc), ("xnack", target.xnack)) if yes]
    if sign not in _SETTINGS or feature not in allowed:
        message = f"the target {target.name} takes no feature {_quote(part)}"
        choices = ", ".join(f"{name}+ or {name}-" for name in allowed)
        raise PtxError.of("PTX301", message, hint=f"it takes {choices or 'no features'}")
    return feature, _SETTINGS[sign]


def _quote(name: str) -> str:
    return repr(name if len(name) <= 60 else name[:60] + "...")
