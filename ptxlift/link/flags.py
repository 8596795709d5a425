"""The target of a link: ELF header flags of all inputs against each other and the target id.

Comes in: inputs and a target. Goes out: the flags of the code object, or PTX306. It must not know
sections or symbols.
"""

from __future__ import annotations

from collections.abc import Sequence

from ptxlift.diag import PtxError
from ptxlift.link.chunks import InputObject
from ptxlift.target import TargetSpec

_MACH = 0xFF
_VERSION = 0xFF000000
_ANY = {0x300: 0x100, 0xC00: 0x400}  # field -> the value that goes with on and off
_FIELDS = {0x300: "xnack", 0xC00: "sramecc"}


def merge_flags(inputs: Sequence[InputObject]) -> int:
    """The flags that all inputs can run under."""
    first = inputs[0]
    flags = first.flags
    for other in inputs[1:]:
        if other.flags & _MACH != flags & _MACH:
            raise _mismatch(first, other, "targets")
        if other.abi_version != first.abi_version:
            raise _mismatch(first, other, "code object versions")
        for mask, name in _FIELDS.items():
            flags = flags & ~mask | _merged(flags & mask, other, mask, name, first)
        version = max(flags & _VERSION, other.flags & _VERSION)
        flags = flags & ~_VERSION | version
    return flags


def check_target(flags: int, spec: TargetSpec, name: str) -> None:
    """PTX306 where the objects are not for this target."""
    if flags != spec.e_flags:
        message = f"{name} is not for {spec.target_id}: its flags are {flags:#x}"
        hint = f"objects for {spec.target_id} have the flags {spec.e_flags:#x}"
        raise PtxError.of("PTX306", message, hint=hint)


def _merged(mine: int, other: InputObject, mask: int, name: str, first: InputObject) -> int:
    theirs = other.flags & mask
    if mine == theirs or theirs == _ANY[mask]:
        return mine
    if mine != _ANY[mask]:
        raise _mismatch(first, other, f"{name} settings")
    return theirs


def _mismatch(first: InputObject, second: InputObject, what: str) -> PtxError:
    return PtxError.of("PTX306", f"{first.name} and {second.name} have different {what}")
