"""Inline PTX of other compilers: one `asm` statement, or every one of an LLVM module.

Comes in: what a compiler knows of an `asm` statement: template, constraints, operand types. Goes
out: an LLVM function that does the same and is inlined where it is called. The PTX takes the same
road as any other: parser, checker, lifter, backend.
"""
