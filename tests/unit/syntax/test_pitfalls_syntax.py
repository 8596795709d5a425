"""Spellings that real compilers and people write and that have broken other PTX readers."""

from __future__ import annotations

import pytest

from ptxlift.syntax import parse
from ptxlift.syntax.nodes import (
    Address,
    Attribute,
    Block,
    CallPrototype,
    Declaration,
    Function,
    Initializer,
    Instruction,
    Label,
    Literal,
    Loc,
    Name,
    Negated,
    Offset,
    Pair,
    Parens,
    Section,
    Sink,
    Statement,
    SymbolCall,
    Targets,
    Unary,
    Vector,
)

HEADER = ".version 8.7\n.target sm_90\n.address_size 64\n"


def body(text: str) -> tuple[Statement, ...]:
    item = parse(f"{HEADER}.entry k() {{\n{text}\n}}").items[0]
    assert isinstance(item, Function) and item.body is not None
    return item.body.statements


def one(text: str) -> Instruction:
    statements = body(text)
    assert len(statements) == 1
    first = statements[0]
    assert isinstance(first, Instruction)
    return first


def variable(text: str) -> Declaration:
    item = parse(HEADER + text).items[-1]
    assert isinstance(item, Declaration)
    return item


def function(text: str) -> Function:
    item = parse(HEADER + text).items[-1]
    assert isinstance(item, Function)
    return item


# ---- modifiers ----


@pytest.mark.parametrize(
    ("text", "modifiers"),
    [
        ("ld.L2::256B.global.f32 a, [b];", ("L2::256B", "global", "f32")),
        (
            "st.L1::no_allocate.relaxed.sys.global.b32 [a], b;",
            ("L1::no_allocate", "relaxed", "sys", "global", "b32"),
        ),
        ("red.add.u32.gpu.relaxed.global [a], b;", ("add", "u32", "gpu", "relaxed", "global")),
        ("ld.global.L2::cache_hint.b32 a, [b], c;", ("global", "L2::cache_hint", "b32")),
        ("ld.shared::cta.u32 a, [b];", ("shared::cta", "u32")),
        ("ld.global.level::eviction.b8 a, [b];", ("global", "level::eviction", "b8")),
        (
            "cp.async.bulk.mbarrier::complete_tx::bytes [a], [b], c, [d];",
            ("async", "bulk", "mbarrier::complete_tx::bytes"),
        ),
        ("vote.sync.ballot.b32 a, p, m;", ("sync", "ballot", "b32")),
        ("vote.ballot.sync.b32 a, p, m;", ("ballot", "sync", "b32")),
        ("mov .u32 a, 1;", ("u32",)),
        ("ld.const[2].u32 a, [b];", ("const[2]", "u32")),
        ("tex.1d.v4.f32.s32 {a,b,c,d}, [t, {x}];", ("1d", "v4", "f32", "s32")),
    ],
)
def test_modifiers_keep_their_order_and_text(text: str, modifiers: tuple[str, ...]) -> None:
    assert one(text).shape.modifiers == modifiers


# ---- header ----


def test_version_ten() -> None:
    assert parse(".version 8.10\n.target sm_90").version == (8, 10)


def test_target_options_and_comment() -> None:
    module = parse(".version 9.0\n.target sm_90a, debug // comment\n.address_size 64\n")
    assert module.targets == ("sm_90a", "debug")
    assert module.address_size == 64


@pytest.mark.parametrize("options", ["texmode_unified", "texmode_independent, map_f64_to_f32"])
def test_target_lists(options: str) -> None:
    module = parse(f".version 1.4\n.target sm_11, {options}\n")
    assert module.targets == ("sm_11", *options.split(", "))


def test_32_bit_modules_parse() -> None:
    assert parse(".version 2.0\n.target sm_20\n").address_size is None
    assert parse(".version 8.0\n.target sm_50\n.address_size 32\n").address_size == 32


# ---- parameters and declarations ----


def test_pointer_parameters() -> None:
    found = function(
        ".entry k(.param .u64 .ptr .align 1 a, .param .u64 .ptr .global .align 16 b) { ret; }"
    )
    first, second = found.parameters
    assert (first.pointer, first.pointer_space, first.pointer_align) == (True, "", 1)
    assert (second.pointer, second.pointer_space, second.pointer_align) == (True, "global", 16)


def test_several_names_in_one_declaration() -> None:
    (registers,) = body(".reg .b32 a, b<4>;")
    assert isinstance(registers, Declaration)
    assert [(d.name, d.count) for d in registers.declarators] == [("a", None), ("b", 4)]
    found = variable(".global .u32 x = 1, y[2];")
    assert [(d.name, d.dimensions) for d in found.declarators] == [("x", ()), ("y", (2,))]
    assert found.declarators[0].initializer is not None


def test_nested_initialisers() -> None:
    found = variable(".global .u32 x[][3] = {{1,2,3},{0}};").declarators[0]
    assert found.dimensions == (None, 3)
    assert found.initializer is not None
    rows = found.initializer.value
    assert isinstance(rows, tuple)
    assert [len(row.value) if isinstance(row.value, tuple) else 0 for row in rows] == [3, 1]


def test_symbol_initialisers() -> None:
    found = variable(".global .u64 x[3] = {generic(y), y+4, 0xff(y)};").declarators[0].initializer
    assert found is not None and isinstance(found.value, tuple)
    atoms = found.atoms
    generic, offset, mask = (child.value for child in found.value)
    assert isinstance(generic, SymbolCall)
    assert (atoms[generic.function], atoms[generic.symbol]) == ("generic", "y")
    assert isinstance(mask, SymbolCall) and atoms[mask.function] == "0xff"
    assert offset.__class__.__name__ == "Binary"


def test_fields_of_a_texture_reference() -> None:
    found = variable(".global .texref t = { width = 8+1, addr_mode_0 = wrap };")
    assert found.declarators[0].initializer == Initializer(
        (),
        ("t", "width", "8", "1", "addr_mode_0", "wrap"),
        found.declarators[0].start,
        (("width", "8 + 1"), ("addr_mode_0", "wrap")),
    )


def test_linkage_attributes_and_alignment() -> None:
    found = variable(".visible .global .attribute(.managed) .align 8 .v2 .u32 x;")
    assert (found.linkage, found.attributes, found.align, found.vector) == (
        "visible",
        ("managed",),
        8,
        2,
    )
    assert variable(".common .global .u32 x;").linkage == "common"
    assert variable(".weak .const[3] .u32 x;").bank == 3


# ---- names, labels, scopes ----


@pytest.mark.parametrize("name", ["$x", "%x", "_x", "%tid", "a$b_9", "%_", "add", "ret", "$L__x"])
def test_names(name: str) -> None:
    assert one(f"mov.u32 {name}, {name};").atoms == (name, name)


def test_label_before_a_brace() -> None:
    statements = body("{ bra L; L: } M:")
    block, last = statements
    assert isinstance(block, Block) and isinstance(last, Label)
    assert isinstance(block.statements[1], Label)
    assert (block.statements[1].name, last.name) == ("L", "M")


def test_several_statements_and_a_scope_on_one_line() -> None:
    text = (
        "{ .reg .u32 r0; .reg .pred p; shfl.sync.down.b32 r0|p, a, 1, 31, -1; "
        "@p add.u32 r0, r0, a; mov.u32 a, r0; } { .reg .u32 r0; mov.u32 r0, 1; }"
    )
    first, second = body(text)
    assert isinstance(first, Block) and isinstance(second, Block)
    shuffle = first.statements[2]
    assert isinstance(shuffle, Instruction)
    assert shuffle.shape.operands[0] == Pair(Name(0), Name(1))
    guarded = first.statements[3]
    assert isinstance(guarded, Instruction)
    assert guarded.shape.guard == 0 and guarded.atoms[0] == "p"


def test_component_of_a_name() -> None:
    assert one("mov.u32 %r1, %tid.x;").shape.operands[1] == Name(1, "x")
    assert one("mov.u32 %r1, %tid .x;").shape is one("mov.u32 %r2, %ctaid .x;").shape
    assert one("vadd.u32.u32.u32 a, b.b3, c.h1, d;").shape.operands[1:3] == (
        Name(1, "b3"),
        Name(2, "h1"),
    )


# ---- operands ----


def test_sinks() -> None:
    assert one("ld.v4.u32 {a,_,b,_}, [c];").shape.operands[0] == Vector(
        (Name(0), Sink(), Name(1), Sink())
    )
    assert one("shfl.sync.idx.b32 a|_, b, 1, 2, 3;").shape.operands[0] == Pair(Name(0), Sink())
    assert one("atom.add.u32 _, [a], 1;").shape.operands[0] == Sink()


@pytest.mark.parametrize("text", ["ld.u32 a, [ %r23 + 0 ];", "ld.u32 a, [%r23+0];"])
def test_blanks_in_addresses(text: str) -> None:
    assert one(text).shape.operands[1] == Address(Name(1), Literal(2))


def test_negative_offset() -> None:
    address = one("ld.u32 a, [%rd2+-4];").shape.operands[1]
    assert address == Address(Name(1), Unary("-", Literal(2)))


def test_other_operands() -> None:
    assert one("mov.u64 a, g+8;").shape.operands[1] == Offset(Name(1), Literal(2))
    assert one("ld.u32 a, g[2];").shape.operands[1] == Address(Name(1), Literal(2), True)
    assert one("setp.lt.and.f32 p0,r1,r0,!p0;").shape.operands[3] == Negated(Name(3))
    assert one("mov.pred %p4, -1;").shape.operands[1] == Unary("-", Literal(1))
    assert one("mov.u32 a, (5);").shape.operands[1] == Parens((Literal(1),))


def test_call_split_over_lines() -> None:
    call = one("call.uni (retval0),\n\tfoo,\n\t(\n\tparam0,\n\tparam1\n\t);")
    assert call.atoms == ("retval0", "foo", "param0", "param1")
    assert call.shape.operands == (
        Parens((Name(0),)),
        Name(1),
        Parens((Name(2), Name(3))),
    )


@pytest.mark.parametrize("opcode", ["bra L", "ret", "exit", "call f", "bar.sync 0"])
@pytest.mark.parametrize(("guard", "negated"), [("@%p", False), ("@!%p", True), ("@! %p", True)])
def test_guards(opcode: str, guard: str, negated: bool) -> None:
    found = one(f"{guard} {opcode};")
    assert found.atoms[0] == "%p"
    assert (found.shape.guard, found.shape.guard_negated) == (0, negated)


@pytest.mark.parametrize(
    "literal",
    ["0f3F800000", "0D3ff0000000000000", "0777", "0b101", "5U", "1.5e-3", "1.", ".5", "WARP_SZ"],
)
def test_literals(literal: str) -> None:
    found = one(f"foo {literal}, {literal};")
    assert found.atoms == (literal, literal)
    assert found.shape.operands == (Literal(0), Literal(1))


def test_constant_expressions() -> None:
    assert one("mov.s64 a, -(1<<3)+97;").atoms == ("a", "1", "3", "97")
    assert one("mov.s64 a, 1 ? 5 : 6;").atoms == ("a", "1", "5", "6")


# ---- directives ----


def test_loc_and_file() -> None:
    text = (
        '.file 1 "a//b.cu", 12345, 77\n.entry k() {\n.loc 1 2 3\n'
        ".loc 1 4 5, function_name info+2, inlined_at 1 2 3\nret; }"
    )
    module = parse(HEADER + text)
    kernel = module.items[1]
    assert isinstance(kernel, Function) and kernel.body is not None
    plain, inlined = kernel.body.statements[:2]
    assert isinstance(plain, Loc) and (plain.file, plain.line, plain.column) == (1, 2, 3)
    assert isinstance(inlined, Loc)
    assert (inlined.function_name, inlined.function_offset) == ("info", 2)
    assert inlined.inlined_at == (1, 2, 3)


def test_debug_sections() -> None:
    lines = "\n".join(f".b8 {number % 256},1,0x2" for number in range(100_000))
    section = f".section\t.debug_info\n{{\n.b32 .debug_loc+40\n.b64 $L__a\n{lines}\nend:\n}}\n"
    found = parse(HEADER + section + ".section .debug_loc { }").items
    assert [item.name for item in found if isinstance(item, Section)] == [
        ".debug_info",
        ".debug_loc",
    ]


def test_long_tables() -> None:
    values = ", ".join(str(number % 256) for number in range(100_000))
    found = variable(f".global .align 1 .b8 x[100000] = {{{values}}};").declarators[0].initializer
    assert found is not None and isinstance(found.value, tuple)
    assert len(found.value) == 100_000
    last = found.value[-1].value
    assert isinstance(last, Literal) and found.atoms[last.slot] == str(99_999 % 256)


def test_function_directives() -> None:
    found = function(
        ".visible .entry k() .maxntid 16, 16 .maxnreg 32 .minnctapersm 2 .explicitcluster "
        '.reqnctapercluster 2, 1, 1 .pragma "nounroll"; { ret; }'
    )
    assert [(a.name, a.values) for a in found.attributes] == [
        ("maxntid", (16, 16)),
        ("maxnreg", (32,)),
        ("minnctapersm", (2,)),
        ("explicitcluster", ()),
        ("reqnctapercluster", (2, 1, 1)),
    ]
    assert found.pragmas[0].strings == ("nounroll",)


def test_pragma_in_a_body() -> None:
    text = '.pragma "used_bytes_mask 0xfff"; ld.u32 a, [b]; .pragma "nounroll";'
    assert [statement.__class__.__name__ for statement in body(text)] == [
        "Pragma",
        "Instruction",
        "Pragma",
    ]


@pytest.mark.parametrize("text", [".func f() .noreturn { trap; }", ".extern .func f() .noreturn;"])
def test_noreturn(text: str) -> None:
    assert [a.name for a in function(text).attributes] == ["noreturn"]


def test_abi_preserve() -> None:
    found = function(".func f() .abi_preserve 16 .abi_preserve_control 2 { ret; }")
    assert [(a.name, a.values) for a in found.attributes] == [
        ("abi_preserve", (16,)),
        ("abi_preserve_control", (2,)),
    ]


def test_function_attribute() -> None:
    found = function(".func .attribute(.unified(1,2)) (.param .b32 r) f() { ret; }")
    assert found.attributes == (Attribute("unified", (1, 2), found.attributes[0].start),)
    assert found.returns[0].name == "r"


def test_call_tables() -> None:
    first, second, third = body(
        "prototype_0 : .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 _[8])"
        " .noreturn;\nT: .branchtargets A, B<2>;\nC: .calltargets f, g;"
    )
    assert isinstance(first, CallPrototype) and first.label == "prototype_0"
    assert [p.name for p in first.parameters] == ["_", "_"]
    assert first.parameters[1].dimensions == (8,)
    assert isinstance(second, Targets) and second.names == ("A", "B0", "B1")
    assert isinstance(third, Targets) and third.kind == "calltargets"


def test_variadic_call_in_the_manner_of_vprintf() -> None:
    found = function(
        ".extern .func (.param .b32 r) vprintf\n(\n.param .b64 a,\n.param .b64 b\n)\n;"
    )
    assert found.body is None and found.linkage == "extern"
    assert [p.type for p in found.parameters] == ["b64", "b64"]


def test_alias_and_weak() -> None:
    items = parse(HEADER + ".visible .func g(); .weak .func f() { ret; } .alias g, f;").items
    assert [item.__class__.__name__ for item in items] == ["Function", "Function", "Alias"]


# ---- text ----

SMALL = HEADER + ".entry k()\n{\n\tret;\n}"


@pytest.mark.parametrize(
    "data",
    [
        SMALL.encode(),
        SMALL.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + SMALL.encode(),
        SMALL.encode() + b"\n\0",
        SMALL.encode() + b"\0\0\0",
        ("// Größe, 大きさ\n" + SMALL).encode(),
        ("// Größe\n" + SMALL).encode("latin-1"),
        ("/* two\nlines */" + SMALL + "// at the end").encode(),
        ('# 1 "a.cu"\n' + SMALL).encode(),
        (SMALL + '\n.file 1 "Größe.cu"').encode(),
    ],
)
def test_encodings(data: bytes) -> None:
    function_items = [i for i in parse(data).items if isinstance(i, Function)]
    assert [item.name for item in function_items] == ["k"]


def test_old_debug_lines() -> None:
    debug = "@@DWARF .section .debug_info\n@@DWARF .byte 1\n"
    text = ".version 1.4\n.target sm_10\n.entry k { exit; }\n" + debug
    assert len(parse(text).items) == 1


def test_long_lines() -> None:
    many = " ".join(f"add.s32 %r{n}, %r{n}, {n};" for n in range(40_000))
    assert len(body(many)) == 40_000
    registers = ", ".join(f"%r{n}" for n in range(1_000))
    assert len(one(f"foo {{{registers}}}, [a];").atoms) == 1_001
