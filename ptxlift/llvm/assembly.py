"""LLVM IR between its forms: text checked, text to bitcode, bitcode to text.

Comes in: modules of other compilers or fragments of ours. Goes out: the same in another form, or
PTX304 with LLVM's reason. This module must know nothing of PTX, IR or chips.
"""

from __future__ import annotations

import llvmlite.binding as llvm

from ptxlift.diag import PtxError

MAGIC = (b"BC\xc0\xde", b"\xde\xc0\x17\x0b")  # bitcode, and bitcode in its wrapper


def check_text(text: str, name: str) -> None:
    """Raises PTX304 if LLVM refuses a module."""
    _parse(text, name)


def to_bitcode(text: str, name: str) -> bytes:
    """A module as bitcode."""
    return _parse(text, name).as_bitcode()


def to_text(bitcode: bytes, name: str) -> str:
    """A module's text."""
    try:
        return str(llvm.parse_bitcode(bitcode, llvm.create_context()))
    except RuntimeError as error:
        raise _refused(name, error) from error


def _parse(text: str, name: str) -> llvm.ModuleRef:
    try:
        module = llvm.parse_assembly(text, llvm.create_context())
        module.verify()
    except RuntimeError as error:
        raise _refused(name, error) from error
    return module


def _refused(name: str, error: RuntimeError) -> PtxError:
    return PtxError.of("PTX304", f"LLVM refuses the IR of {name}: {error}")
