"""What raising an `asm` statement gives: IR, LLVM IR, and what a caller must know.

Comes in: the parts that the backend wrote. Goes out: text and bitcode that stand alone.
"""

from __future__ import annotations

from ptxlift.diag import Diagnostic
from ptxlift.inline_asm.model import Effects
from ptxlift.ir import core as ir
from ptxlift.ir.text import print_module
from ptxlift.llvm.context import symbol
from ptxlift.llvm.fragment import Pieces, Signature, module_text
from ptxlift.records import dataclass


@dataclass(frozen=True, slots=True, repr=False)
class Fragment:
    """An `asm` statement as an LLVM function.

    name: of the function. signature: its types. effects: what it does besides its results.
    parameters: the operand's number for each parameter; operands that are read and written come
    last, constants are left out. results: the operand's number for each result; several results
    are the fields of a structure. llvm_version: the oldest LLVM that reads the text. triple: of the
    target. diagnostics:
    warnings and remarks.
    """

    name: str
    signature: Signature
    pieces: Pieces
    module: ir.Module
    effects: Effects
    parameters: tuple[int, ...]
    results: tuple[int, ...]
    llvm_version: int
    triple: str
    diagnostics: tuple[Diagnostic, ...] = ()

    def __repr__(self) -> str:
        return f"<fragment {self.declaration}>"

    @property
    def declaration(self) -> str:
        """The function's type, as a caller declares it."""
        types = ", ".join(form.type for form in self.signature.parameters)
        return f"{self.signature.result_type} {symbol(self.name)}({types})"

    @property
    def needs(self) -> tuple[str, ...]:
        """Attributes that no function may have that this one is inlined into: each says that an
        input of the hardware is not used.
        """
        return self.pieces.needs

    @property
    def ir(self) -> str:
        """The SSA IR as text."""
        return print_module(self.module)

    @property
    def llvm_ir(self) -> str:
        """LLVM IR: a module with the function and nothing but what it needs."""
        return module_text([self.pieces], self.triple)

    @property
    def bitcode(self) -> bytes:
        """The same as LLVM bitcode, of the LLVM that ptxlift uses."""
        from ptxlift.llvm.assembly import to_bitcode

        return to_bitcode(self.llvm_ir, self.name)
