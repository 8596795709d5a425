"""`lift_inline_asm`: calls of assembly in a module become calls of functions, in place."""

from __future__ import annotations

import llvmlite.binding as llvm
import numpy as np
import pytest
from inline_modules import AMD, NVIDIA, emulate_words, kernel

import ptxlift
from ptxlift import PtxError

ADD = 'call i32 asm "add.s32 $0, $1, $2;", "=r,r,r"(i32 %a, i32 %b)'
CARRY_LOW = 'call i32 asm sideeffect "add.cc.u32 $0, $1, $2;", "=r,r,r"(i32 %a, i32 %b)'
CARRY_HIGH = 'call i32 asm sideeffect "addc.u32 $0, $1, $2;", "=r,r,r"(i32 %a, i32 %b)'


def body(text: str, triple: str = AMD) -> str:
    """A module with one function."""
    return f"{triple}define void @f(ptr %p, i32 %a, i32 %b, i64 %c) {{\n{text}\n  ret void\n}}\n"


def refused(text: str) -> list[str]:
    with pytest.raises(PtxError) as caught:
        ptxlift.lift_inline_asm(text, "gfx942")
    return [d.code for d in caught.value.diagnostics]


def test_module_without_assembly_is_returned_as_it_is() -> None:
    text = body("  store i32 %a, ptr %p ; asm stays in comments\n")
    assert ptxlift.lift_inline_asm(text, "gfx942") == text


@pytest.mark.parametrize("triple", (AMD, NVIDIA))
def test_everything_but_the_call_stays(triple: str) -> None:
    text = body(
        f"  ; odd   spacing\n   %x =  {ADD}, !srcloc !0 ; note\n  store i32 %x, ptr %p", triple
    )
    text += "!0 = !{i32 5}\n"
    made = ptxlift.lift_inline_asm(text, "gfx942")
    replaced = text.replace(ADD, "call i32 @ptxlift.asm.0(i32 %a, i32 %b)")
    assert made.startswith(replaced.replace("%x =  call", "%x = call"))
    assert "asm " not in made.replace("ptxlift.asm", "")


def test_equal_statements_share_a_function() -> None:
    made = ptxlift.lift_inline_asm(body(f"  %x = {ADD}\n  %y = {ADD}"), "gfx942")
    assert made.count("define internal") == 1
    assert made.count("@ptxlift.asm.0(i32 %a, i32 %b)") == 2


def test_debug_locations_and_attributes_stay() -> None:
    text = body(f"  %x = {ADD} #0, !dbg !7").replace(") {", ") !dbg !4 {")
    text += (
        "attributes #0 = { nounwind }\n!llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!2}\n"
        '!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: FullDebug)\n'
        '!1 = !DIFile(filename: "a.cu", directory: "d")\n'
        '!2 = !{i32 2, !"Debug Info Version", i32 3}\n'
        "!4 = distinct !DISubprogram(name: \"f\", file: !1, line: 1, type: !5, unit: !0,"
        " spFlags: DISPFlagDefinition)\n"
        "!5 = !DISubroutineType(types: !6)\n!6 = !{null}\n!7 = !DILocation(line: 3, scope: !4)\n"
    )  # fmt: skip
    made = ptxlift.lift_inline_asm(text, "gfx942")
    assert "@ptxlift.asm.0(i32 %a, i32 %b) #0, !dbg !7\n" in made


def test_new_metadata_takes_free_numbers() -> None:
    load = 'call i32 asm "ld.global.nc.u32 $0, [$1];", "=r,l"(i64 %c)'
    made = ptxlift.lift_inline_asm(body(f"  %x = {load}") + "!m = !{!41}\n!41 = !{}\n", "gfx942")
    assert "!invariant.load !42" in made and "\n!42 = !{}\n" in made


def test_declared_intrinsics_are_not_declared_again() -> None:
    text = body('  %x = call i32 asm "popc.b32 $0, $1;", "=r,r"(i32 %a)')
    text += "declare i32 @llvm.ctpop.i32(i32)\n"
    made = ptxlift.lift_inline_asm(text, "gfx942")
    assert made.count("declare i32 @llvm.ctpop.i32(i32)") == 1


def test_several_results_and_tied_operands() -> None:
    text = """
  %r = call { i32, i32 } asm "add.s32 $0, $0, $3; mov.u32 $1, $3;", "=r,=r,0,r"(i32 %a, i32 %b)
  %x = extractvalue { i32, i32 } %r, 0
  %y = extractvalue { i32, i32 } %r, 1
  %z = mul i32 %x, %y"""
    words = emulate_words(kernel(text, "%z"))
    a, b = np.arange(64), np.arange(64) + 100
    np.testing.assert_array_equal(words, (a + b) * b)


def test_named_structures_as_results() -> None:
    text = """
  %r = call %pair asm "mov.u32 $0, 7; mov.u32 $1, $2;", "=r,=r,r"(i32 %a)
  %x = extractvalue %pair %r, 1"""
    module = kernel(text, "%x").replace(AMD, f"{AMD}%pair = type {{ i32, i32 }}\n")
    words = emulate_words(module)
    np.testing.assert_array_equal(words, np.arange(64))


def test_constants_leave_the_arguments() -> None:
    text = '  %x = call i32 asm "add.s32 $0, $1, $2;", "=r,r,n"(i32 %a, i32 -5)'
    made = ptxlift.lift_inline_asm(body(text), "gfx942")
    assert "@ptxlift.asm.0(i32 %a)" in made and "add i32 %a0, 4294967291" in made


def test_pointers_of_older_text() -> None:
    text = """
  %q = call i32 addrspace(1)* asm "add.u64 $0, $1, 4;", "=l,l"(i32 addrspace(1)* %out)
  %base = ptrtoint ptr addrspace(1) %out to i64
  %d = call i64 asm "sub.u64 $0, $1, $2;", "=l,l,l"(i32 addrspace(1)* nonnull %q, i64 %base)
  %x = trunc i64 %d to i32"""
    np.testing.assert_array_equal(emulate_words(kernel(text, "%x")), 4)


def test_values_narrower_than_registers() -> None:
    text = """
  %n = trunc i32 %b to i8
  %r = call i8 asm "add.u32 $0, $1, $2;", "=r,r,r"(i8 %n, i32 %a)
  %x = zext i8 %r to i32"""
    a = np.arange(64)
    np.testing.assert_array_equal(emulate_words(kernel(text, "%x")), (a + (a + 100)) & 255)


def test_predicates_are_booleans() -> None:
    text = """
  %odd = trunc i32 %a to i1
  %r = call i1 asm "not.pred $0, $1;", "=b,b"(i1 %odd)
  %x = zext i1 %r to i32"""
    np.testing.assert_array_equal(emulate_words(kernel(text, "%x")), 1 - np.arange(64) % 2)


# ---- state that statements share ----


@pytest.mark.parametrize("target", ("gfx942", "gfx1100"))
def test_carry_flag_travels_between_statements(target: str) -> None:
    text = f"""
  %big = sub i32 0, %a
  %lo = {CARRY_LOW.replace("i32 %a", "i32 %big")}
  %other = add i32 %a, 3
  %hi = {CARRY_HIGH.replace("i32 %a", "i32 %other")}"""
    a, b = np.arange(64), np.arange(64) + 100
    carry = ((-a % 2**32) + b) >> 32
    np.testing.assert_array_equal(emulate_words(kernel(text, "%hi"), target), a + 3 + b + carry)


def test_carry_flag_travels_around_a_loop() -> None:
    """Four limbs of (2**32 - 1) + 1: the carry runs through all of them."""
    text = """
  %first = call i32 asm sideeffect "add.cc.u32 $0, $1, 1;", "=r,r"(i32 -1)
  br label %loop
loop:
  %n = phi i32 [ 0, %entry ], [ %m, %loop ]
  %limb = call i32 asm sideeffect "addc.cc.u32 $0, $1, 0;", "=r,r"(i32 -1)
  %m = add i32 %n, 1
  %again = icmp ult i32 %m, 3
  br i1 %again, label %loop, label %done
done:
  %last = call i32 asm sideeffect "addc.u32 $0, 0, 0;", "=r"()"""
    np.testing.assert_array_equal(emulate_words(kernel(text, "%last")), 1)


def test_registers_travel_between_statements() -> None:
    text = """
  call void asm sideeffect ".reg .u32 tmp;\\0A\\09mov.u32 tmp, $0;", "r"(i32 %a)
  call void asm sideeffect "add.u32 tmp, tmp, $0;", "r"(i32 %b)
  %x = call i32 asm sideeffect "mov.u32 $0, tmp;", "=r"()"""
    words = emulate_words(kernel(text, "%x"))
    np.testing.assert_array_equal(words, 2 * np.arange(64) + 100)


def test_shared_state_becomes_registers() -> None:
    text = kernel(f"  %lo = {CARRY_LOW}\n  %hi = {CARRY_HIGH}\n  %x = xor i32 %lo, %hi", "%x")
    assert "alloca" not in optimised(ptxlift.lift_inline_asm(text, "gfx942"))


def test_scopes_keep_their_registers() -> None:
    scope = 'call i32 asm "{ .reg .u32 t; add.u32 t, $1, 1; mov.u32 $0, t; }", "=r,r"(i32 %a)'
    use = 'call i32 asm "mov.u32 $0, t;", "=r"()'
    assert refused(body(f"  %x = {scope}\n  %y = {use}")) == ["PTX104"]


def test_jump_into_another_statement_is_refused() -> None:
    jump = 'call void asm sideeffect "bra there;", ""()'
    label = 'call void asm sideeffect "there: bar.sync 0;", ""()'
    assert refused(body(f"  {jump}\n  {label}")) == ["PTX104"]


def test_carry_of_another_function_is_refused() -> None:
    text = body(f"  %x = {CARRY_HIGH}")
    with pytest.raises(PtxError, match="carry flag"):
        ptxlift.lift_inline_asm(text, "gfx942")


# ---- what is left alone, what is refused ----


@pytest.mark.parametrize(
    "call",
    (
        'call void asm sideeffect "s_nop 0", ""()',
        'call i32 asm "v_add_u32 $0, $1, $2", "=v,v,v"(i32 %a, i32 %b)',
        'call i32 asm "v_mov_b32 $0, $1", "=r,r"(i32 %a)',
        'call i32 asm sideeffect "; just a comment", "=s"()',
        'call i32 asm "loop: s_nop 1\\0A  global_load_dword $0, $1, off", "=&v,v"(i64 %c)',
        'call i32 asm sideeffect "", "=v,0"(i32 %a)',
    ),
)
def test_amd_assembly_is_left_alone(call: str) -> None:
    text = body(f"  {call}" if call.startswith("call void") else f"  %x = {call}")
    assert ptxlift.lift_inline_asm(text, "gfx942") == text


def test_both_assemblies_in_one_function() -> None:
    text = body(f'  %x = {ADD}\n  call void asm sideeffect "s_nop 0", ""()')
    made = ptxlift.lift_inline_asm(text, "gfx942")
    assert 'asm sideeffect "s_nop 0"' in made and "add.s32" not in made


@pytest.mark.parametrize("triple", (AMD, NVIDIA))
def test_empty_statement_is_a_barrier_for_the_compiler(triple: str) -> None:
    text = body('  call void asm sideeffect "", "~{memory}"()', triple)
    made = ptxlift.lift_inline_asm(text, "gfx942")
    assert 'fence syncscope("singlethread")' in made
    stores = kernel(
        '  store i32 1, ptr addrspace(1) %out\n'
        '  call void asm sideeffect "// ptx", "~{memory}"()\n', "%a"
    )  # fmt: skip
    assert optimised(ptxlift.lift_inline_asm(stores, "gfx942")).count("store i32") == 2


def test_asm_goto_is_refused() -> None:
    text = body('  callbr void asm sideeffect "bra $0;", "!i"() to label %a1 [label %a1]\na1:')
    assert refused(text) == ["PTX206"]


def test_module_level_ptx_is_refused() -> None:
    assert refused(NVIDIA + 'module asm ".global .u32 x;"\n') == ["PTX206"]


def test_all_bad_statements_are_reported_with_their_lines() -> None:
    bad = 'call i32 asm "nope.s32 $0, $1;", "=r,r"(i32 %a)'
    worse = 'call i32 asm "add.s32 $0, $1, $7;", "=r,r"(i32 %a)'
    with pytest.raises(PtxError) as caught:
        ptxlift.lift_inline_asm(body(f"  %x = {bad}\n  %y = {worse}"), "gfx942", name="a.ll")
    found = [(d.span.source.name, d.span.column) for d in caught.value.diagnostics if d.span]
    assert sorted(found) == [("a.ll:3, asm", 1), ("a.ll:4, asm", 17)]


@pytest.mark.parametrize(
    "call",
    (
        'call i32 asm "mov.u32 $0, $1;", "=r,r,r"(i32 %a)',
        'call i32 asm "mov.u32 $0, $1;", "=r"(i32 %a)',
        'call i32 asm "mov.u32 $0, $1;", "=r,=r,r"(i32 %a)',
        'call i32 asm "mov.u32 $0, $1;", "=r,r"(i64 %c)',
        'call i32 asm "ld.u32 $0, $1;", "=r,*m"(ptr elementtype(i32) %p)',
    ),
)
def test_operands_that_do_not_fit(call: str) -> None:
    assert refused(body(f"  %x = {call}"))[0] in ("PTX113", "PTX206")


@pytest.mark.parametrize(
    "text", ("", "define", "call i32 asm", 'define void @f() {\n call asm "', "\x00")
)
def test_text_that_is_no_module(text: str) -> None:
    try:
        ptxlift.lift_inline_asm(text, "gfx942")
    except PtxError as error:
        assert error.diagnostics


def test_bitcode_is_read() -> None:
    module = llvm.parse_assembly(body(f"  %x = {ADD}\n  store i32 %x, ptr %p"))
    made = ptxlift.lift_inline_asm(module.as_bitcode(), "gfx942")
    assert "@ptxlift.asm.0" in made and " asm " not in made
    with pytest.raises(PtxError, match="PTX304"):
        ptxlift.lift_inline_asm(b"BC\xc0\xde junk", "gfx942")


def test_promises_that_no_longer_hold_are_dropped() -> None:
    text = body('  %x = call i32 asm "mov.u32 $0, %tid.y;", "=r"()').replace(") {", ") #0 {")
    text += 'attributes #0 = { nounwind "amdgpu-no-workitem-id-x" "amdgpu-no-workitem-id-y" }\n'
    made = ptxlift.lift_inline_asm(text, "gfx942")
    assert 'attributes #0 = { nounwind "amdgpu-no-workitem-id-x" }' in made


def test_local_variables_work_in_a_module_for_nvidia() -> None:
    statement = "{ .local .b32 v[2]; st.local.u32 [v], $1; ld.local.u32 $0, [v]; }"
    text = body(f'  %x = call i32 asm "{statement}", "=r,r"(i32 %a)', NVIDIA)
    assert "alloca [8 x i8]" in ptxlift.lift_inline_asm(text, "gfx942")


def optimised(text: str) -> str:
    """The caller's functions after LLVM's passes."""
    llvm.initialize_all_targets()
    module = llvm.parse_assembly(text)
    machine = llvm.Target.from_triple("amdgcn-amd-amdhsa").create_target_machine(cpu="gfx942")
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return str(module)
