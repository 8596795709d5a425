"""Operands take the declared register types that ptxas takes, for every pair of types."""

from __future__ import annotations

import pytest
from measured import errors, in_kernel, rows

# operand of type-matrix.tsv -> an instruction with it: {t} the type, {r} the register under test,
# {o} a register that fits {t}, {p} a partner in a vector, {s} the space that a 32-bit mapa needs
TEMPLATES = {
    "int add dst": "add{t} {r}, {o}, {o};",
    "int add src": "add{t} {o}, {r}, {o};",
    "float add dst": "add{t} {r}, {o}, {o};",
    "float add src": "add{t} {o}, {r}, {o};",
    "logic and src": "and{t} {o}, {r}, {o};",
    "logic and dst": "and{t} {r}, {o}, {o};",
    "shl src": "shl{t} {o}, {r}, 1;",
    "shl count": "shl{t} {o}, {o}, {r};",
    "mov dst": "mov{t} {r}, {o};",
    "mov src": "mov{t} {o}, {r};",
    "selp dst": "selp{t} {r}, {o}, {o}, %p1;",
    "selp src": "selp{t} {o}, {r}, {o}, %p1;",
    "setp src": "setp.eq{t} %p1, {r}, {o};",
    "ld dst": "ld.global{t} {r}, [gvar];",
    "st src": "st.global{t} [gvar], {r};",
    "ld.param dst": "ld.param{t} {r}, [kp];",
    "ld.v2 dst": "ld.global.v2{t} {{{r},{p}}}, [gvar];",
    "st.v2 elem": "st.global.v2{t} [gvar], {{{r},{p}}};",
    "atom.add dst": "atom.global.add{t} {r}, [gvar], {o};",
    "atom.add src": "atom.global.add{t} {o}, [gvar], {r};",
    "atom.exch src": "atom.global.exch{t} {o}, [gvar], {r};",
    "cvt dst (from s32)": "cvt{t}.s32 {r}, %r1;",
    "cvt dst (from f32)": "cvt.rzi{t}.f32 {r}, %f1;",
    "cvt src (to s32)": "cvt.s32{t} %r1, {r};",
    "cvt src int (to f32)": "cvt.rn.f32{t} %f1, {r};",
    "cvt fdst (from s32)": "cvt.rn{t}.s32 {r}, %r1;",
    "cvt fsrc (to s32)": "cvt.rzi.s32{t} %r1, {r};",
    "cvt bf16 <- int src": "cvt.rn.bf16{t} %h1, {r};",
    "cvt int dst <- bf16": "cvt.rzi{t}.bf16 {r}, %h1;",
    "cvt f16x2 dst": "cvt.rn{t}.f32 {r}, %f1, %f2;",
    "cvt tf32 dst": "cvt.rna{t}.f32 {r}, %f1;",
    "mul.wide dst": "mul.wide{t} {r}, {o}, {o};",
    "popc dst": "popc{t} {r}, {o};",
    "popc src": "popc{t} %r1, {r};",
    "bfe pos": "bfe{t} {o}, {o}, {r}, 1;",
    "bfe src": "bfe{t} {o}, {r}, 1, 1;",
    "prmt src": "prmt{t} %r1, {r}, %r2, %r3;",
    "lop3 src": "lop3{t} %r1, {r}, %r2, %r3, 1;",
    "shfl src": "shfl.sync.idx{t} %r1, {r}, 0, 31, -1;",
    "shfl lane": "shfl.sync.idx{t} %r1, %r2, {r}, 31, -1;",
    "vote mask": "vote.sync.ballot{t} %r1, %p1, {r};",
    "set dst u32": "set.eq{t}.u32 {r}, %r1, %r2;",
    "slct c": "slct{t}.s32 {o}, {o}, {o}, {r};",
    "slct c f32": "slct{t}.f32 {o}, {o}, {o}, {r};",
    "dp4a src": "dp4a{t}{t} %r1, {r}, %r2, %r3;",
    "testp src": "testp.finite{t} %p1, {r};",
    "address shared base": "ld.shared{t} %r1, [{r}];",
    "address global base": "ld.global{t} %r1, [{r}];",
    "address generic base": "ld{t} %r1, [{r}];",
    "cvta dst": "cvta.global{t} {r}, %rd1;",
    "cvta src": "cvta.global{t} %rd1, {r};",
    "mov sreg tid": "mov{t} {r}, %tid.x;",
    "mov sreg clock64": "mov{t} {r}, %clock64;",
    "mov varaddr": "mov{t} {r}, svar;",
    "fma f16 src": "fma.rn{t} {o}, {r}, {o}, {o};",
    "mma f32 acc": "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{%f1,%f2,%f3,%f4}}, "
    "{{%r1,%r2,%r3,%r4}}, {{%r5,%r6}}, {{{r},%f2,%f3,%f4}};",
    "mma f16 A frag": "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{%f1,%f2,%f3,%f4}}, "
    "{{{r},%r2,%r3,%r4}}, {{%r5,%r6}}, {{%f1,%f2,%f3,%f4}};",
    "mma s8 A frag": "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {{%r7,%r8,%r9,%r10}}, "
    "{{{r},%r2,%r3,%r4}}, {{%r5,%r6}}, {{%r7,%r8,%r9,%r10}};",
    "ldmatrix dst": "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {{{r},%r2}}, [svar];",
    "bar id": "bar.sync {r};",
    "tex coord f32": "tex.1d.v4.f32.f32 {{%f1,%f2,%f3,%f4}}, [texr, {{{r}}}];",
    "mapa cta": "mapa{s}{t} {o}, {o}, {r};",
    "mbarrier state": "mbarrier.test_wait.shared.b64 %p1, [%rd1], {r};",
    "mov pack b64 elem": "mov.b64 %rd1, {{{r},%r2}};",
    "mov unpack b64 elem": "mov.b64 {{{r},%r2}}, %rd1;",
    "mov pack b32 elem": "mov.b32 %r1, {{{r},%h2}};",
    "mov unpack b32 elem": "mov.b32 {{{r},%h2}}, %r1;",
}
REGISTERS = {
    "b8": "%c1", "u8": "%uc1", "s8": "%sc1", "b16": "%h1", "u16": "%us1", "s16": "%ss1",
    "f16": "%xh1", "b32": "%r1", "u32": "%u1", "s32": "%s1", "f32": "%f1", "f16x2": "%xhh1",
    "b64": "%rd1", "u64": "%ul1", "s64": "%sl1", "f64": "%d1", "b128": "%q1", "pred": "%p1",
}  # fmt: skip
HOLDERS = {"bf16": "%h1", "bf16x2": "%r1", "tf32": "%r1", "b8": "%h1", "u8": "%h1", "s8": "%h1"}
PARTNERS = {"b8": "%h2", "u8": "%h2", "b16": "%h2", "u16": "%h2", "b32": "%r2", "u32": "%r2"}
# ptxas parses 32-bit addresses of global memory and refuses them in full compilation.
NARROW = {"b32", "u32", "s32"}

MATRIX = rows("type-matrix.tsv")


def _instruction(row: dict[str, str], register: str) -> str:
    type_ = row["instruction type"]
    name = type_.removeprefix(".")
    own = HOLDERS.get(name) or REGISTERS.get(name, "%r1")
    return TEMPLATES[row["operand"]].format(
        t=type_,
        r=REGISTERS[register],
        o=own,
        p=PARTNERS.get(name) or {"b64": "%rd2", "f64": "%d2", "f32": "%f2"}[name]
        if ".v2" in TEMPLATES[row["operand"]]
        else own,
        s=".shared::cluster" if type_ == ".u32" else "",
    )


@pytest.mark.parametrize("number", range(len(MATRIX)))
def test_register_types(number: int) -> None:
    row = MATRIX[number]
    accepted = set(row["register declared types accepted"].split()) & REGISTERS.keys()
    rejected = set(row["register types rejected"].split()) & REGISTERS.keys()
    assert accepted or rejected
    if row["operand"] in ("address global base", "address generic base"):
        accepted -= NARROW
        rejected |= NARROW
    for register in sorted(accepted | rejected):
        text = _instruction(row, register)
        found = errors(in_kernel(text))
        assert bool(found) == (register in rejected), text
