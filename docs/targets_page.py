"""Writes docs/targets.md: every AMDGPU target and what it has. Comes in: the target table."""

from __future__ import annotations

from docs.markdown import table
from ptxlift.target import (
    NVIDIA_TARGETS,
    Feature,
    NvidiaFeature,
    NvidiaTarget,
    Target,
    all_targets,
)

_INTRODUCTION = """# Targets

*LDS*: the most shared memory of a block. *settings*: what a target id may say, such as
`gfx942:sramecc+:xnack-`. A generic target's code runs on a family of chips and is always code
object version 6. This page is generated from `ptxlift/target/gfx.py`; run `make docs` to write it
anew.
"""
_HEADS = ("target", "waves", "LDS", "VGPRs", "AGPRs", "SGPRs", "8-bit floats", "settings")
_FEATURES = """## Features

What some targets have and others lack, by the instruction or mode that shows it.
"""
_NVIDIA = """## NVIDIA targets

Their output is PTX text ([nvidia-targets.md](nvidia-targets.md)). *PTX from*: the first `.version`
that has the target. Only instructions that decide how ptxlift writes something are listed; every
other one is checked against the instruction table. Generated from `ptxlift/target/nvidia.py`.
"""


def render() -> str:
    """The page."""
    targets = all_targets()
    features = table(("feature", "targets"), [_feature(feature, targets) for feature in Feature])
    sizes = table(_HEADS, [_target(target) for target in targets])
    heads = ("target", "PTX from", *(f"`{feature.value}`" for feature in NvidiaFeature))
    nvidia = table(heads, [_nvidia(target) for target in NVIDIA_TARGETS])
    return "\n".join([_INTRODUCTION, sizes, _FEATURES, features, _NVIDIA, nvidia])


def _nvidia(target: NvidiaTarget) -> tuple[str, ...]:
    major, minor = target.least
    having = ("yes" if target.has(feature) else "" for feature in NvidiaFeature)
    return (f"`{target.name}`", f"{major}.{minor}", *having)


def _target(target: Target) -> tuple[str, ...]:
    settings = [n for n, yes in (("sramecc", target.sramecc), ("xnack", target.xnack)) if yes]
    return (
        f"`{target.name}`",
        ", ".join(str(size) for size in target.wave_sizes),
        f"{target.lds_bytes // 1024} KiB",
        str(target.vgprs),
        str(target.agprs),
        str(target.sgprs),
        target.fp8.value,
        ", ".join(settings) or "none",
    )


def _feature(feature: Feature, targets: tuple[Target, ...]) -> tuple[str, str]:
    having = ", ".join(target.name for target in targets if target.has(feature))
    return f"`{feature.value}`", having or "none"
