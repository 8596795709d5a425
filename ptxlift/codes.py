"""Every diagnostic code with its explanation; `ptxlift explain CODE` prints these.

0xx syntax, 1xx names and types, 2xx valid PTX that is not translated, 3xx target and code generation, 4xx run time.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """`title` in a few words; `text` says what it means and what a person can do."""

    title: str
    text: str


# fmt: off
CODES: dict[str, Code] = {
    "PTX001": Code("syntax error", "The text does not follow the PTX grammar at the marked place."),
    "PTX002": Code("unexpected end of file", "A statement, string, comment or block is still open when the file ends."),
    "PTX003": Code("not PTX text", "The input is binary or wrongly encoded. Give PTX text; for executables and fat binaries use `ptxlift extract`."),
    "PTX004": Code("missing or misplaced header", "A module begins with .version, then .target, then an optional .address_size."),
    "PTX005": Code("bad literal", "A number is malformed or lies outside what PTX allows here."),
    "PTX006": Code("nesting too deep", "Blocks or expressions are nested deeper than any real program needs."),
    "PTX007": Code("too many errors", "Only the first errors are shown; fix them and run again."),
    "PTX008": Code("file not readable", "A file or folder named on the command line cannot be read."),
    "PTX101": Code("unknown instruction", "No instruction of PTX ISA 9.0 has this name."),
    "PTX102": Code("illegal modifier", "The modifier is unknown, repeated, or not allowed together with the others."),
    "PTX103": Code("operand mismatch", "An operand's kind, type or size is not what the instruction takes."),
    "PTX104": Code("unknown name", "The name is not declared in this scope or before this place."),
    "PTX105": Code("duplicate name", "The name is already declared in the same scope."),
    "PTX106": Code("bad declaration", "A variable, parameter or function is declared in a way PTX does not allow."),
    "PTX107": Code("bad initialiser", "The initial value does not fit the variable's type, size or state space."),
    "PTX108": Code("version or target too low", "The instruction needs a newer .version or .target, or was removed from this one."),
    "PTX109": Code("bad directive", "A directive is misplaced, conflicts with another, or has a bad value."),
    "PTX110": Code("bad call", "The call's arguments do not match the function or prototype."),
    "PTX111": Code("unresolved symbol", "A function or variable is declared and used but never defined."),
    "PTX201": Code("instruction not translated", "The instruction is valid PTX; ptxlift has no lowering for it yet."),
    "PTX202": Code("feature not translated", "The directive, state space or operand form is valid PTX; ptxlift has no lowering for it yet."),
    "PTX203": Code("32-bit addresses", "Only 64-bit modules are translated. Compile the source with 64-bit addresses."),
    "PTX204": Code("barrier not uniform", "Two warps of one wave may wait at different barriers, so they cannot share a wave."),
    "PTX205": Code("convergence not provable", "The lanes of a .sync operation cannot be proven to reach it together."),
    "PTX301": Code("unknown target", "The name is not an AMDGPU target; `ptxlift targets` lists them."),
    "PTX302": Code("not on this target", "The target has no instruction, size or mode that this operation needs."),
    "PTX303": Code("too much shared memory", "The kernel needs more LDS than a work-group has on this target."),
    "PTX304": Code("code generation failed", "LLVM stopped while compiling a kernel. The message names the kernel and LLVM's reason."),
    "PTX305": Code("bad object", "An ELF object or code object is malformed."),
    "PTX306": Code("link failed", "Symbols clash or stay undefined."),
    "PTX307": Code("bad option", "An option's value is not one of those allowed."),
    "PTX308": Code("file not writable", "An output file cannot be written."),
    "PTX401": Code("launch failed", "Grid, block, arguments or shared memory do not fit the kernel."),
    "PTX402": Code("memory fault", "A thread accessed memory outside the arrays that were passed, or misaligned."),
    "PTX403": Code("trap", "The kernel executed trap or brkpt."),
    "PTX404": Code("deadlock", "No wave can make progress: barriers or locks wait for each other."),
    "PTX405": Code("step limit", "The kernel ran longer than max_steps."),
    "PTX406": Code("unknown machine instruction", "The emulator does not know an instruction in the code object."),
    "PTX407": Code("hazard", "The checker mode found a register read while a memory operation on it is outstanding."),
}
# fmt: on
