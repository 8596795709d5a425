"""`ptxlift inline`: the inline PTX of LLVM modules, and a service for other compilers."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ptxlift.cli.inputs import STDIN, read_bytes
from ptxlift.cli.outputs import write
from ptxlift.diag import PtxError

_BITCODE = (b"BC\xc0\xde", b"\xde\xc0\x17\x0b")


@click.command("inline")
@click.argument("file", required=False)
@click.option(
    "--target", "-t", default="gfx942", show_default=True, help="The AMDGPU or NVIDIA target."
)
@click.option(
    "--output", "-o", default="-", help="File for the new module; standard output if none."
)
@click.option("--sm", help="The NVIDIA architecture the PTX was written for, such as sm_90.")
@click.option(
    "--llvm-version",
    type=click.IntRange(17, 22),
    default=22,
    show_default=True,
    help="The oldest LLVM that must read the module.",
)
@click.option("--serve", is_flag=True, help="Answer JSON requests, one a line, until input ends.")
def command(
    file: str | None, target: str, output: str, sm: str | None, llvm_version: int, serve: bool
) -> None:
    """Replace the inline PTX in FILE, an LLVM module (text or bitcode; `-`: standard input), by
    LLVM IR for AMD GPUs. docs/inline-asm.md describes the requests of --serve.
    """
    if serve:
        if file is not None:
            raise click.UsageError("--serve takes no FILE: requests come from standard input")
        _serve()
        return
    if file is None:
        raise click.UsageError("give a FILE, `-`, or --serve")
    from ptxlift.inline_asm.module import lift_inline_asm

    name = "<stdin>" if file == STDIN else file
    data = read_bytes(file)
    module = data if data.startswith(_BITCODE) else _decoded(data, name)
    made = lift_inline_asm(module, target, sm=sm, llvm_version=llvm_version, name=name)
    if output == STDIN:
        click.echo(made, nl=False)
    else:
        write(Path(output), made.encode())


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        hint = "give LLVM IR as text or bitcode"
        raise PtxError.of("PTX003", f"{name} is no LLVM module", hint=hint) from None


def _serve() -> None:
    """Answers line by line; an answer is written before the next request is read. A fault of our
    own is an answer too: the compiler at the other end goes on.
    """
    from ptxlift.driver.batch import describe_fault
    from ptxlift.inline_asm.requests import answer_line, fault_line

    for line in sys.stdin:
        if not line.strip():
            continue
        try:
            made = answer_line(line)
        except Exception as error:
            made = fault_line(describe_fault(error))
        click.echo(made)
        sys.stdout.flush()
