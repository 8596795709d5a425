"""Recorded verdicts of ptxas 13, and the module text around a snippet in which they were taken."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

from ptxlift import ptx, syntax
from ptxlift.diag import Diagnostic, PtxError

DATA = Path(__file__).parents[2] / "data" / "ptxas"
KERNEL = ".entry k() { ret; }"
HEADER = ".version 9.0\n.target sm_90\n.address_size 64\n"
_BODY = """.version {version}
.target {target}
.address_size 64
.global .align 32 .b8 gvar[256];
.shared .align 32 .b8 svar[256];
.const .align 32 .b8 cvar[256];
.global .texref texr;
{sampler}
.global .surfref surfr;
.func fvoid() {{ ret; }}
.func fone(.param .b32 x) {{ ret; }}
.func (.param .b32 y) fret(.param .b32 x) {{ ret; }}
.func devf() {{ ret; }}
.visible .entry k(.param .align 32 .b8 kp[256], .param .align 8 .b8 kb[64]) {{
.reg .pred %p<9>; .reg .b8 %c<10>; .reg .b16 %h<20>; .reg .b32 %r<300>; .reg .b64 %rd<40>;
.reg .b128 %q<10>; .reg .f32 %f<300>; .reg .f64 %d<40>; .reg .f16 %xh<10>; .reg .f16x2 %xhh<10>;
.reg .u16 %us<10>; .reg .s16 %ss<10>; .reg .u32 %u<10>; .reg .s32 %s<10>; .reg .u64 %ul<10>;
.reg .s64 %sl<10>; .reg .u8 %uc<10>; .reg .s8 %sc<10>;
.local .align 32 .b8 lvar[256];
.param .align 16 .b8 pv[64]; .param .b32 cp; .param .b32 crv;
TLIST: .branchtargets LBL, LBL2;
CTGT: .calltargets fret;
CPROTO: .callprototype (.param .b32 _) _ (.param .b32 _);
CPROTO1: .callprototype _ (.param .b32 _);
CPROTO0: .callprototype _ ();
{body}
LBL: LBL2:
ret;
}}
"""


def rows(name: str) -> list[dict[str, str]]:
    path = DATA / name
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    lines = text.decode().splitlines()
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def in_kernel(
    body: str, version: str = "9.0", target: str = "sm_90", *, sampler: bool = False
) -> str:
    """A module whose kernel holds these statements; `sampler`: with a separate sampler."""
    return _BODY.format(
        version=version,
        target=f"{target}, texmode_independent" if sampler else target,
        sampler=".global .samplerref smpl;" if sampler else "",
        body=body,
    )


def as_module(level: str, snippet: str) -> str:
    """The module that a recorded snippet stands in."""
    snippet = snippet.replace(" ⏎ ", "\n")
    if level == "body":
        return in_kernel(snippet)
    snippet = snippet.replace("<K>", KERNEL)
    return snippet if ".version" in snippet else f"{HEADER}{snippet}\n"


def errors(text: str, *, whole_program: bool = False) -> list[Diagnostic]:
    """What is wrong with a module; empty if it is accepted."""
    try:
        ptx.check(syntax.parse(text, "test.ptx"), whole_program=whole_program)
    except PtxError as error:
        return list(error.diagnostics)
    return []


def covered(diagnostic: Diagnostic) -> str:
    """The source text that a diagnostic points at."""
    span = diagnostic.span
    assert span is not None
    return span.source.text[span.start : span.end]
