"""Fragments for older LLVMs: newer intrinsics become functions that do the same.

Comes in: the parts of a fragment and the oldest LLVM that must read them. Goes out: parts that it
knows. What cannot be put in older words is refused by name. The numbers say with which LLVM an
intrinsic came, or came to work on AMD GPUs; found with LLVM 19's tools and LLVM's release notes.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ptxlift.diag import PtxError
from ptxlift.llvm.fragment import Pieces
from ptxlift.records import dataclass, replace

_FLOATS = {"f16": ("half", "i16"), "f32": ("float", "i32"), "f64": ("double", "i64")}
_HALVES = "<2 x half>"
_POINTERS = {"p0": "ptr", "p1": "ptr addrspace(1)", "p3": "ptr addrspace(3)"}
_POINTERS["p5"] = "ptr addrspace(5)"


@dataclass(frozen=True, slots=True)
class _Newer:
    """An intrinsic: a pattern of its name, its first LLVM, and what writes a replacement."""

    name: re.Pattern[str]
    since: int
    write: Callable[[re.Match[str], str], str] | None = None


def _extreme(found: re.Match[str], name: str) -> str:
    """Minimum or maximum of numbers: the other operand for a NaN, and -0 below +0."""
    return _scalar_extreme(found[1], found[2], name)


def _scalar_extreme(which: str, suffix: str, name: str) -> str:
    type, integer = _FLOATS[suffix]
    order, join = ("olt", "or") if which == "minimum" else ("ogt", "and")
    return f"""define internal {type} {name}({type} %a, {type} %b) alwaysinline nounwind {{
  %ordered = fcmp {order} {type} %a, %b
  %first = select i1 %ordered, {type} %a, {type} %b
  %equal = fcmp oeq {type} %a, %b
  %x = bitcast {type} %a to {integer}
  %y = bitcast {type} %b to {integer}
  %z = {join} {integer} %x, %y
  %zero = bitcast {integer} %z to {type}
  %second = select i1 %equal, {type} %zero, {type} %first
  %nan = fcmp uno {type} %b, 0.0
  %result = select i1 %nan, {type} %a, {type} %second
  ret {type} %result
}}"""


def _extreme_halves(found: re.Match[str], name: str) -> str:
    """Both halves' minima or maxima of numbers; PTX's NaN, 0x7fff, where neither is a number."""
    scalar = f"{name}.half"
    halves = []
    for index in (0, 1):
        halves += [f"  %{v}{index} = extractelement {_HALVES} %{v}, i32 {index}" for v in "ab"]
        halves.append(f"  %m{index} = call half {scalar}(half %a{index}, half %b{index})")
        halves.append(f"  %n{index} = fcmp uno half %m{index}, 0xH0000")
        halves.append(f"  %r{index} = select i1 %n{index}, half 0xH7FFF, half %m{index}")
    body = "\n".join(halves)
    return f"""{_scalar_extreme(found[1], "f16", scalar)}
define internal {_HALVES} {name}({_HALVES} %a, {_HALVES} %b) alwaysinline nounwind {{
{body}
  %first = insertelement {_HALVES} poison, half %r0, i32 0
  %result = insertelement {_HALVES} %first, half %r1, i32 1
  ret {_HALVES} %result
}}"""


def _first_lane(found: re.Match[str], name: str) -> str:
    return f"""declare i32 @llvm.amdgcn.readfirstlane(i32)
define internal i32 {name}(i32 %a) alwaysinline nounwind convergent {{
  %result = call i32 @llvm.amdgcn.readfirstlane(i32 %a)
  ret i32 %result
}}"""


def _read_lane(found: re.Match[str], name: str) -> str:
    return f"""declare i32 @llvm.amdgcn.readlane(i32, i32)
define internal i32 {name}(i32 %a, i32 %b) alwaysinline nounwind convergent {{
  %result = call i32 @llvm.amdgcn.readlane(i32 %a, i32 %b)
  ret i32 %result
}}"""


def _rows(found: re.Match[str], name: str) -> str:
    """Both flags are always off."""
    intrinsic = f"llvm.amdgcn.{found[1]}"
    operands = "i32 %a, i32 %b, i32 %c, i32 %d"
    return f"""declare i32 @{intrinsic}(i32, i32, i32, i32, i1 immarg, i1 immarg)
define internal i32 {name}({operands}, i1 %e, i1 %f) alwaysinline nounwind convergent {{
  %result = call i32 @{intrinsic}({operands}, i1 false, i1 false)
  ret i32 %result
}}"""


def _cast(found: re.Match[str], name: str) -> str:
    to, source = _POINTERS[found[1]], _POINTERS[found[2]]
    return f"""define internal {to} {name}({source} %a) alwaysinline nounwind {{
  %result = addrspacecast {source} %a to {to}
  ret {to} %result
}}"""


_NEWER = (
    _Newer(re.compile(r"llvm\.(minimum|maximum)num\.(f16|f32|f64)"), 21, _extreme),
    _Newer(re.compile(r"llvm\.(minimum|maximum)num\.v2f16"), 21, _extreme_halves),
    _Newer(re.compile(r"llvm\.(minimum|maximum)num\..*"), 21),
    _Newer(re.compile(r"llvm\.amdgcn\.bitop3\..*"), 20),
    _Newer(re.compile(r"llvm\.amdgcn\.tanh\..*"), 22),
    _Newer(re.compile(r"llvm\.amdgcn\.wave\.shuffle.*"), 22),
    _Newer(re.compile(r"llvm\.readsteadycounter"), 19),
    _Newer(re.compile(r"llvm\.amdgcn\.readfirstlane\.i32"), 19, _first_lane),
    _Newer(re.compile(r"llvm\.amdgcn\.readlane\.i32"), 19, _read_lane),
    _Newer(re.compile(r"llvm\.amdgcn\.(permlanex?16)\.i32"), 19, _rows),
    _Newer(re.compile(r"llvm\.amdgcn\.permlane16\.swap"), 20),
    _Newer(re.compile(r"llvm\.amdgcn\.permlane\.(up|down|xor|bcast)"), 22),
    _Newer(re.compile(r"llvm\.amdgcn\.addrspacecast\.nonnull\.(p[0135])\.(p[0135])"), 19, _cast),
)


def for_llvm(pieces: Pieces, version: int, name: str) -> Pieces:
    """The same fragment in words that an LLVM of this version knows. Raises PTX302 for others."""
    globals_ = dict(pieces.globals)
    declarations = {}
    definition = pieces.definition
    for intrinsic, line in pieces.declarations.items():
        newer = _newer_than(intrinsic, version)
        if newer is None:
            declarations[intrinsic] = line
            continue
        found = newer.name.fullmatch(intrinsic)
        if newer.write is None or found is None:
            raise PtxError.of(
                "PTX302",
                f"{name} needs {intrinsic}, which LLVM has since version {newer.since}",
                hint="use a newer LLVM, or another target",
            )
        own = f"@ptxlift.{intrinsic.removeprefix('llvm.')}"
        globals_[own] = newer.write(found, own)
        definition = definition.replace(f"@{intrinsic}(", f"{own}(")
    return replace(pieces, definition=definition, globals=globals_, declarations=declarations)


def _newer_than(intrinsic: str, version: int) -> _Newer | None:
    return next(
        (n for n in _NEWER if n.since > version and n.name.fullmatch(intrinsic)),
        None,
    )
