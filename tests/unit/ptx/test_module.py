"""What the checker makes: objects, types, layouts, constants, flat bodies; worked out by hand."""

from __future__ import annotations

import pickle
from typing import TypeVar

import pytest
from measured import HEADER, in_kernel

from ptxlift import isa, ptx
from ptxlift.ptx import inst_span

T = TypeVar("T")


def _module(text: str) -> ptx.Module:
    return ptx.parse_module(HEADER + text)


def _body(text: str) -> list[ptx.Inst]:
    """The instructions of a kernel with this body, without the final `ret`."""
    function = ptx.parse_module(in_kernel(text)).functions["k"]
    assert function.body is not None
    return [s for s in function.body if isinstance(s, ptx.Inst)][:-1]


def _operand(text: str, index: int, kind: type[T]) -> T:
    operand = _body(text)[0].operands[index]
    assert isinstance(operand, kind)
    return operand


# ---- layout ----


def test_kernel_parameters_lie_at_their_natural_offsets() -> None:
    text = """.entry k(.param .u8 a, .param .u64 b, .param .u16 c, .param .align 16 .b8 s[20],
        .param .f32 d) { ret; }"""
    params = _module(text).functions["k"].params
    found = [(p.name, p.offset, p.size) for p in params if isinstance(p, ptx.Variable)]
    assert found == [("a", 0, 1), ("b", 8, 8), ("c", 16, 2), ("s", 32, 20), ("d", 52, 4)]


def test_pointer_parameters_say_space_and_alignment() -> None:
    text = ".entry k(.param .u64 .ptr .global .align 16 a, .param .u64 .ptr b) { ret; }"
    first, second = _module(text).functions["k"].params
    assert isinstance(first, ptx.Variable) and isinstance(second, ptx.Variable)
    assert (first.pointer_space, first.pointer_align) == (ptx.Space.GLOBAL, 16)
    assert second.pointer and second.pointer_space is None


def test_arrays_and_vectors_have_sizes() -> None:
    text = """.global .u32 a[2][3]; .global .v4 .f32 v[2]; .shared .align 32 .b8 s[100];
        .extern .shared .align 16 .b8 d[]; .global .u16 n[] = {1, 2, 3};"""
    variables = _module(text).variables
    found = {n: (v.dims, v.size, v.align) for n, v in variables.items()}
    assert found == {
        "a": ((2, 3), 24, 4),
        "v": ((2,), 32, 16),
        "s": ((100,), 100, 32),
        "d": ((0,), 0, 16),
        "n": ((3,), 6, 2),
    }


# ---- initial values ----


def _initial(text: str, name: str = "x") -> ptx.Initial:
    found = _module(text).variables[name].initializer
    assert found is not None
    return found


def test_initial_values_are_little_endian_and_filled_with_zeros() -> None:
    assert _initial(".global .u16 x[4] = {1, -2, 0x10203};").data.hex() == "0100feff03020000"
    assert _initial(".global .f32 x[2] = {1.0, 0fBF800000};").data.hex() == "0000803f000080bf"
    assert _initial(".global .u8 x[2][3] = {{1}, {2, 3}};").data.hex() == "010000020300"
    assert _initial(".global .v2 .u16 x[2] = {{1, 2}, {3, 4}};").data.hex() == "0100020003000400"


def test_symbols_in_initial_values_become_relocations() -> None:
    text = ".global .u32 y; .func f() { ret; } .global .u64 x[4] = {y, y+4, generic(y)+8, f};"
    module = _module(text)
    found = module.variables["x"].initializer
    assert found is not None
    assert found.data == bytes(32)
    places = [(r.offset, r.size, str(r.symbol), r.addend, r.generic) for r in found.relocations]
    assert places == [
        (0, 8, "y", 0, False),
        (8, 8, "y", 4, False),
        (16, 8, "y", 8, True),
        (24, 8, "f", 0, False),
    ]


def test_byte_masks_select_bytes_of_an_address() -> None:
    text = ".global .u32 y; .global .u8 x[3] = {0xff(y), 0xff00(y), 0xff0000(y)};"
    found = _initial(text).relocations
    assert [(r.offset, r.size, r.shift) for r in found] == [(0, 1, 0), (1, 1, 8), (2, 1, 16)]


# ---- scopes ----


def test_blocks_are_flattened_and_names_are_objects() -> None:
    text = """.entry k() { .reg .u32 a; mov.u32 a, 1; { .reg .u32 a; mov.u32 a, 2; bra L; L: }
        mov.u32 a, 3; bra L; L: ret; }"""
    function = _module(text).functions["k"]
    assert function.body is not None
    outer, inner, jump, inner_mark, again, outer_jump, mark, _ = function.body
    assert isinstance(outer, ptx.Inst) and isinstance(inner, ptx.Inst)
    assert isinstance(again, ptx.Inst) and isinstance(jump, ptx.Inst)
    assert outer.operands[0] is again.operands[0]
    assert outer.operands[0] is not inner.operands[0]
    assert isinstance(mark, ptx.LabelMark) and isinstance(inner_mark, ptx.LabelMark)
    assert isinstance(jump.operands[0], ptx.LabelRef)
    assert jump.operands[0].label is inner_mark.label is not mark.label
    assert isinstance(outer_jump, ptx.Inst) and isinstance(outer_jump.operands[0], ptx.LabelRef)
    assert outer_jump.operands[0].label is mark.label
    assert [(r.name, r.index) for r in function.registers] == [("a", 0), ("a", 1)]


def test_declared_names_shadow_special_registers() -> None:
    inst = _body(".reg .u32 %tid; mov.u32 %tid, 1;")[0]
    assert isinstance(inst.operands[0], ptx.Register)


# ---- operands ----


@pytest.mark.parametrize(
    ("text", "bits", "type_name"),
    [
        ("mov.u16 %h1, 70000;", 70000 - 65536, "u16"),
        ("mov.s32 %r1, -1;", 0xFFFFFFFF, "s32"),
        ("mov.b32 %r1, 0f3F800000;", 0x3F800000, "b32"),
        ("mov.f32 %f1, 1.5;", 0x3FC00000, "f32"),
        ("mov.f32 %f1, 0d3FF8000000000000;", 0x3FC00000, "f32"),
        ("mov.f64 %d1, 1.5;", 0x3FF8000000000000, "f64"),
        ("mov.u64 %rd1, (1 << 40) | 7;", (1 << 40) | 7, "u64"),
        ("mov.u32 %r1, WARP_SZ - 1;", 31, "u32"),
        ("mov.pred %p1, 1;", 1, "pred"),
    ],
)
def test_constants_have_the_bits_of_their_type(text: str, bits: int, type_name: str) -> None:
    constant = _operand(text, 1, ptx.Immediate)
    assert (constant.bits, constant.type) == (bits, isa.type_of(type_name))


def test_addresses() -> None:
    assert _operand("ld.global.u32 %r1, [%rd1+-8];", 1, ptx.Memory).offset == -8
    assert _operand("ld.global.u8 %h1, gvar[3];", 1, ptx.Memory).offset == 3
    based = _operand("ld.shared.u32 %r1, [svar+4*2];", 1, ptx.Memory)
    assert isinstance(based.base, ptx.Variable)
    assert (based.base.name, based.offset) == ("svar", 8)
    assert _operand("ld.local.u32 %r1, [16];", 1, ptx.Memory).base is None


def test_elements_of_a_larger_type_are_counted_in_elements() -> None:
    text = ".global .u32 a[2][3]; .entry k() { .reg .u32 r; ld.global.u32 r, a[1]; ret; }"
    body = _module(text).functions["k"].body
    assert body is not None and isinstance(body[0], ptx.Inst)
    memory = body[0].operands[1]
    assert isinstance(memory, ptx.Memory)
    assert memory.offset == 12


def test_vectors_pairs_and_sinks() -> None:
    vector = _operand("ld.global.v4.u32 {%r1,_,%r3,_}, [%rd1];", 0, ptx.VectorOperand)
    assert vector.elements[1] is ptx.SINK and vector.elements[3] is ptx.SINK
    pair = _operand("setp.eq.u32 %p1|_, %r1, %r2;", 0, ptx.PairOperand)
    assert str(pair.first) == "%p1" and pair.second is ptx.SINK
    whole = ".reg .v2 .f32 v; ld.global.v2.f32 v, [%rd1];"
    parts = _operand(whole, 0, ptx.VectorOperand).elements
    assert [p.index for p in parts if isinstance(p, ptx.RegisterComponent)] == [0, 1]
    component = _operand(".reg .v4 .f32 v; mov.f32 %f1, v.w;", 1, ptx.RegisterComponent)
    assert component.index == 3


def test_special_registers() -> None:
    special = _operand("mov.u32 %r1, %ctaid.y;", 1, ptx.SpecialRegister)
    assert (special.name, special.component, special.type.name) == ("%ctaid", "y", "u32")
    assert _operand("mov.u64 %rd1, %clock64;", 1, ptx.SpecialRegister).component == ""


def test_predicates() -> None:
    assert str(_operand("selp.b32 %r1,%r2,%r3,!%p4;", 3, ptx.Negated).register) == "%p4"
    inst = _body("@!%p2 add.u32 %r1, %r2, %r3;")[0]
    assert str(inst.guard) == "%p2" and inst.guard_negated


def test_video_selectors() -> None:
    selected = _operand("vmad.s32.s32.s32 %r1, -%r2.b1, %r3.h0, %r4;", 1, ptx.Selected)
    assert (str(selected.register), selected.selector, selected.negated) == ("%r2", "b1", True)


def test_calls() -> None:
    inst = _body("call (%r1), fret, (7);")[0]
    assert [type(o).__name__ for o in inst.operands] == ["ArgList", "FunctionRef", "ArgList"]
    arguments = inst.operands[2]
    assert isinstance(arguments, ptx.ArgList)
    assert arguments.elements[0] == ptx.Immediate(7, isa.type_of("b32"))
    indirect = _body("call (%r1), %rd1, (%r2), CPROTO;")[0]
    assert indirect.form.name == "call_indirect"
    assert isinstance(indirect.operands[3], ptx.PrototypeRef)
    jump = _body("brx.idx %r1, TLIST;")[0].operands[1]
    assert isinstance(jump, ptx.TargetsRef)
    assert [str(label) for label in jump.labels] == ["LBL", "LBL2"]


# ---- forms ----


def test_form_names_its_modifiers() -> None:
    form = _body("cvt.f32.s32.rn %f1, %r1;")[0].form
    assert form.name == "cvt_int_float"
    assert (form.get("rnd"), form.get("dtype"), form.get("atype")) == ("rn", "f32", "s32")
    assert (form.get("ftz"), form.get("nothing")) == ("", "")
    assert (form.type.name, [t.name for t in form.types]) == ("f32", ["f32", "s32"])


def test_forms_are_shared() -> None:
    first, second = _body("add.u32 %r1, %r2, %r3; add.u32 %r4, %r5, 6;")
    assert first.form is second.form


def test_operands_of_a_form_are_those_that_are_present() -> None:
    without, given = _body("bar.sync 0; bar.sync 0, 64;")
    assert [s.name for s in without.form.operands] == ["a"]
    assert [s.name for s in given.form.operands] == ["a", "b"]


# ---- places ----


def test_spans_of_instructions_and_operands() -> None:
    module = ptx.parse_module(in_kernel("@%p1 ld.global.v2.f32 {%f1, %f2}, [gvar+8];"))
    body = module.functions["k"].body
    assert body is not None and isinstance(body[0], ptx.Inst)
    text = module.source.text
    spans = [inst_span(module, body[0], n) for n in (None, 0, 1)]
    assert [text[s.start : s.end] for s in spans] == [
        "@%p1 ld.global.v2.f32 {%f1, %f2}, [gvar+8]",
        "{%f1, %f2}",
        "[gvar+8]",
    ]


def test_prototypes_and_definitions_are_one_function() -> None:
    text = (
        ".func f(.param .b32 x); .entry k() { call f, (1); ret; } .func f(.param .b32 y) { ret; }"
    )
    module = _module(text)
    body = module.functions["k"].body
    assert body is not None and isinstance(body[0], ptx.Inst)
    callee = body[0].operands[0]
    assert isinstance(callee, ptx.FunctionRef)
    assert callee.function is module.functions["f"]
    assert callee.function.body is not None


def test_modules_pickle_and_types_stay_unique() -> None:
    module = pickle.loads(
        pickle.dumps(ptx.parse_module(in_kernel("bar.sync 0; not.b32 %r1, %r2;")))
    )
    body = module.functions["k"].body
    assert body[1].form.type is isa.type_of("b32")
    assert body[0].form.name == "bar_sync"
