"""Raised statements optimise like the code around them: the machine code that is left."""

from __future__ import annotations

import re

import pytest
from inline_modules import compiled, kernel

import ptxlift

LOADS = """
  %p = getelementptr <4 x i32>, ptr addrspace(1) %out, i32 %a
  %w = load <4 x i32>, ptr addrspace(1) %p
  %x0 = extractelement <4 x i32> %w, i32 0
  %x1 = extractelement <4 x i32> %w, i32 1
  %x2 = extractelement <4 x i32> %w, i32 2
"""


def machine_code(body: str, result: str, target: str) -> list[str]:
    """The vector instructions of a kernel that do arithmetic: mnemonics without suffix."""
    text = compiled(kernel(LOADS + body, result), target).asm
    words = re.findall(r"^\s+(v_\w+)", text, re.MULTILINE)
    return [re.sub(r"_e(32|64)$", "", word) for word in words]


def added(body: str, result: str, target: str) -> list[str]:
    """What a body adds to the kernel that loads three words and stores the first."""
    rest = machine_code(body, result, target)
    for word in machine_code("", "%x0", target):
        if word in rest:
            rest.remove(word)
    return rest


def asm(name: str, template: str, constraints: str, *arguments: str) -> str:
    return f'  %{name} = call i32 asm "{template}", "{constraints}"({", ".join(arguments)})\n'


@pytest.mark.parametrize(
    ("lut", "target", "most"),
    [
        ("0x96", "gfx1100", 1),  # v_xor3
        ("0x96", "gfx942", 2),
        ("0xEA", "gfx942", 1),  # v_and_or
        ("0xEA", "gfx1100", 1),
        ("0xFE", "gfx942", 1),  # v_or3
        ("0xCA", "gfx942", 1),  # v_bfi
        ("0xE8", "gfx942", 2),  # v_xor, v_bfi
        ("0xE8", "gfx1100", 2),
        ("0x96", "gfx950", 1),  # v_bitop3
        ("0xE8", "gfx950", 1),
        ("0x1B", "gfx950", 1),
    ],
)
def test_three_input_logic_takes_one_or_two_instructions(lut: str, target: str, most: int) -> None:
    inputs = "=r,r,r,r", "i32 %x0", "i32 %x1", "i32 %x2"
    statement = asm("x", f"lop3.b32 $0, $1, $2, $3, {lut};", *inputs)
    assert 1 <= len(added(statement, "%x", target)) <= most


def test_constants_fold_through_a_statement() -> None:
    folded = asm("x", "mad.lo.u32 $0, $1, $2, $3;", "=r,r,r,r", "i32 6", "i32 7", "i32 58")
    text = compiled(kernel(folded, "%x"), "gfx942").asm
    assert "0x64" in text and "v_mul" not in text and "v_mad" not in text  # 6 * 7 + 58


def test_adjacent_statements_fold() -> None:
    there = asm("t", "xor.b32 $0, $1, 0x5a5a5a5a;", "=r,r", "i32 %x0")
    back = asm("x", "xor.b32 $0, $1, 0x5a5a5a5a;", "=r,r", "i32 %t")
    assert added(there + back, "%x", "gfx942") == []


def test_statement_folds_with_the_code_around_it() -> None:
    shifted = "  %s = shl i32 %x0, 3\n"
    use = asm("x", "add.u32 $0, $1, $2;", "=r,r,r", "i32 %s", "i32 %x1")
    assert added(shifted + use, "%x", "gfx942") == ["v_lshl_add_u32"]


def test_unused_statement_disappears() -> None:
    assert added(asm("x", "popc.b32 $0, $1;", "=r,r", "i32 %x1"), "%x0", "gfx942") == []


def test_packing_halves_is_one_permutation() -> None:
    pack = "{ .reg .b16 l, h; cvt.u16.u32 l, $1; cvt.u16.u32 h, $2; mov.b32 $0, {l, h}; }"
    statement = asm("x", pack, "=r,r,r", "i32 %x0", "i32 %x1")
    assert len(added(statement, "%x", "gfx942")) <= 2  # the selector may need a register


def test_wide_pointers_stay_pointers() -> None:
    """The address keeps its base and offset: no 64-bit integer arithmetic is left."""
    load = '  %x = call i32 asm "ld.global.nc.u32 $0, [$1+16];", "=r,l"(ptr addrspace(1) %place0)\n'
    body = "  %place0 = getelementptr i32, ptr addrspace(1) %out, i32 %a\n" + load
    text = compiled(kernel(body, "%x"), "gfx942").asm
    assert re.search(r"global_load_dword v\d+, v\d+, s\[\d+:\d+\] offset:16", text)


def test_convergence_is_stated_only_where_lanes_meet() -> None:
    def definition(template: str, constraints: str) -> str:
        made = ptxlift.raise_inline_asm(template, constraints, ["i32", "i32"], target="gfx942")
        return next(line for line in made.llvm_ir.splitlines() if line.startswith("define"))

    assert " convergent" not in definition("add.u32 %0, %1, 1;", "=r,r")
    shuffle = "shfl.sync.bfly.b32 %0, %1, 1, 31, -1;"
    assert " convergent" in definition(shuffle, "=r,r")
    barrier = "bar.sync 0; mov.u32 %0, %1;"
    assert " convergent" in definition(barrier, "=r,r")
