"""What `raise_inline_asm` gives: types, order of operands, effects, text, bitcode."""

from __future__ import annotations

import pickle

import llvmlite.binding as llvm
import pytest

import ptxlift
from ptxlift import Fragment, Operand


def raised(
    template: str, constraints: str, *operands: str | Operand, volatile: bool = False
) -> Fragment:
    return ptxlift.raise_inline_asm(
        template, constraints, operands, target="gfx942", volatile=volatile, name="ptxlift_asm"
    )


def test_types_are_the_callers() -> None:
    made = raised("fma.rn.f32 %0, %1, %2, %3;", "=f,f,f,f", *["float"] * 4)
    assert made.declaration == "float @ptxlift_asm(float, float, float)"
    assert "call float @llvm.fma.f32(float %x0, float %x1, float %x2)" in made.llvm_ir


@pytest.mark.parametrize(
    ("letter", "type"),
    [
        ("h", "i16"), ("h", "half"), ("h", "bfloat"), ("h", "<2 x i8>"),
        ("r", "i32"), ("r", "<2 x half>"), ("r", "<2 x i16>"), ("r", "<4 x i8>"),
        ("r", "ptr addrspace(3)"), ("l", "ptr addrspace(3)"), ("r", "ptr addrspace(5)"),
        ("l", "i64"), ("l", "ptr"), ("l", "ptr addrspace(1)"), ("l", "<2 x float>"),
        ("q", "i128"), ("q", "<4 x i32>"), ("f", "float"), ("d", "double"), ("b", "i1"),
    ],
)  # fmt: skip
def test_every_type_passes_through_a_register(letter: str, type: str) -> None:
    template = "mov.pred %0, %1;" if letter == "b" else f"mov.b{8 * size(letter)} %0, %1;"
    made = raised(template, f"={letter},{letter}", type, type)
    assert made.declaration == f"{type} @ptxlift_asm({type})"
    llvm.parse_assembly(made.llvm_ir).verify()


def size(letter: str) -> int:
    return {"h": 2, "r": 4, "l": 8, "q": 16, "f": 4, "d": 8}[letter]


def test_parameters_and_results_name_their_operands() -> None:
    made = raised("add.u32 %0, %0, %3; mov.b64 %1, %2;", "+r,=l,l,r", "i32", "i64", "i64", "i32")
    assert (made.results, made.parameters) == ((0, 1), (2, 3, 0))
    assert made.declaration == "{ i32, i64 } @ptxlift_asm(i64, i32, i32)"


def test_constants_are_no_parameters() -> None:
    constants = Operand("i32", -1), Operand("ptr", "and")
    made = raised("%3.b32 %0, %1, %2;", "=r,r,n,C", "i32", "i32", *constants)
    assert made.parameters == (1,)
    assert "and i32 %a0, 4294967295" in made.llvm_ir


def test_operands_by_name() -> None:
    template = "sub.u32 %[difference], %[left], %[right];"
    names = ("difference", "left", "right")
    made = raised(template, "=r,r,r", *(Operand("i32", name=name) for name in names))
    assert "sub i32 %a0, %a1" in made.llvm_ir


@pytest.mark.parametrize(
    "constraints",
    [
        "=r,r,~{memory}",
        "=r : r : memory",
        ["=r", "r", "memory"],
        ['"=r"', '"r"', '"memory"'],
        "=&r,r,memory",
    ],
)
def test_forms_of_constraints(constraints: str | list[str]) -> None:
    made = ptxlift.raise_inline_asm("mov.u32 %0, %1;", constraints, ["i32"] * 2, target="gfx942")
    assert made.declaration.endswith("(i32)")
    assert made.effects.memory.value == "any" and made.effects.side_effects


@pytest.mark.parametrize(
    ("template", "constraints", "types", "memory", "convergent", "kept"),
    [
        ("add.u32 %0, %1, 1;", "=r,r", ["i32"] * 2, "none", False, False),
        ("ld.global.u32 %0, [%1];", "=r,l", ["i32", "i64"], "read", False, False),
        ("st.global.u32 [%1], %0;", "r,l", ["i32", "i64"], "any", False, True),
        ("atom.global.add.u32 %0, [%1], 1;", "=r,l", ["i32", "i64"], "any", False, True),
        ("mov.u32 %0, %clock;", "=r", ["i32"], "any", False, True),
        ("bar.sync 0;", "", [], "any", True, True),
        ("shfl.sync.idx.b32 %0, %1, 0, 31, -1;", "=r,r", ["i32"] * 2, "none", True, False),
        ("trap;", "", [], "none", False, True),
        ("{ .local .b32 v; st.local.u32 [v], %1; ld.local.u32 %0, [v]; }", "=r,r", ["i32"] * 2,
         "none", False, False),
    ],
)  # fmt: skip
def test_effects(
    template: str, constraints: str, types: list[str], memory: str, convergent: bool, kept: bool
) -> None:
    effects = raised(template, constraints, *types).effects
    assert (effects.memory.value, effects.convergent, effects.side_effects) == (
        memory, convergent, kept,
    )  # fmt: skip


def test_volatile_accesses_keep_their_order() -> None:
    load = ("ld.global.cg.u32 %0, [%1];", "=r,l", "i32", "i64")
    assert "fence" not in raised(*load).llvm_ir
    assert raised(*load, volatile=True).llvm_ir.count('fence syncscope("singlethread")') == 1


def test_needs_of_the_hardware_are_told() -> None:
    assert raised("add.u32 %0, %1, 1;", "=r,r", "i32", "i32").needs == ()
    assert raised("mov.u32 %0, %tid.y;", "=r", "i32").needs == ("amdgpu-no-workitem-id-y",)
    assert raised("mov.u32 %0, %ntid.x;", "=r", "i32").needs == ("amdgpu-no-implicitarg-ptr",)


def test_shared_variables_of_a_statement_are_its_own() -> None:
    template = "{ .shared .b32 v[4]; st.shared.u32 [v], %1; ld.shared.u32 %0, [v]; }"
    text = raised(template, "=r,r", "i32", "i32").llvm_ir
    assert "@ptxlift_asm.v = internal addrspace(3) global [16 x i8]" in text


def test_fragments_pickle_and_have_bitcode() -> None:
    made = raised("add.u32 %0, %1, 1;", "=r,r", "i32", "i32")
    copy = pickle.loads(pickle.dumps(made))
    assert copy.llvm_ir == made.llvm_ir and copy.ir == made.ir
    module = llvm.parse_bitcode(made.bitcode)
    assert [function.name for function in module.functions] == ["ptxlift_asm"]
    assert repr(made) == "<fragment i32 @ptxlift_asm(i32)>"


@pytest.mark.parametrize("sm", (None, 80, "sm_80", "80", "sm_90a"))
def test_architectures(sm: str | int | None) -> None:
    made = ptxlift.raise_inline_asm("mov.u32 %0, 1;", "=r", ["i32"], target="gfx942", sm=sm)
    assert "ret i32 1" in made.llvm_ir


def test_instructions_of_different_ages_without_an_architecture() -> None:
    for old_or_new in ("vote.ballot.b32 %0, 1;", "activemask.b32 %0;"):
        assert raised(old_or_new, "=r", "i32").effects.convergent


def test_wave_size_is_chosen() -> None:
    lane = ("mov.u32 %0, %laneid;", "=r", ["i32"])
    wide = ptxlift.raise_inline_asm(*lane, target="gfx1100", wave_size=64).llvm_ir
    narrow = ptxlift.raise_inline_asm(*lane, target="gfx1100").llvm_ir
    assert "mbcnt.hi" in wide and "mbcnt.hi" not in narrow


def test_only_equal_statements_have_the_same_name() -> None:
    def name(template: str, constraints: str = "=r,r", target: str = "gfx942") -> str:
        return ptxlift.raise_inline_asm(template, constraints, ["i32"] * 2, target=target).name

    first = name("add.u32 %0, %1, 1;")
    assert first == name("add.u32 %0, %1, 1;") and first.startswith("ptxlift.asm.")
    others = {
        name("add.u32 %0, %1, 2;"),
        name("add.u32 %0, %1, 1;", "=r,r,~{memory}"),
        name("add.u32 %0, %1, 1;", target="gfx1100"),
    }
    assert len(others | {first}) == 4
