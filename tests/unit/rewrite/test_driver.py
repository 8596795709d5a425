"""The rewriter's engine: patterns, the worklist and its bound, what it keeps."""

from __future__ import annotations

import pytest

from ptxlift import ptx
from ptxlift.ir.builder import Builder
from ptxlift.ir.core import Block, Function, Module, Op, Value
from ptxlift.ir.text import print_module
from ptxlift.ir.verify import verify_function, verify_module
from ptxlift.lifter.module import lift_program
from ptxlift.rewrite.driver import Log, Rewriter
from ptxlift.rewrite.passes import rewrite_module
from ptxlift.rewrite.pattern import Known, Uses, constant_of, match, once, op
from ptxlift.rewrite.rule import Rule, rule
from ptxlift.target import Feature, lookup

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"


def function_of(builder: Builder, result: Value) -> Function:
    """A device function that returns a value."""
    builder.emit("ret", [result])
    function = Function("f", is_kernel=False, blocks=[builder.block])
    function.param_widths = tuple(p.width for p in builder.block.params)
    function.result_widths = (result.width,)
    return function


def words(count: int) -> tuple[Builder, list[Value]]:
    builder = Builder(Block("entry"))
    return builder, [builder.block.add_param(32) for _ in range(count)]


def rewritten(
    function: Function, *rules: Rule, features: frozenset[Feature] = frozenset()
) -> tuple[Function, Log]:
    log = Log()
    result = Rewriter(rules, (), features).rewrite(function, log)
    verify_function(result)
    return result, log


def uses_of(function: Function) -> Uses:
    uses = Uses()
    for each in function.ops():
        for value in each.operands:
            uses.of.setdefault(value, []).append(each)
    return uses


# ---- patterns ----


def test_commutative_operands_fit_in_both_orders() -> None:
    b, (x, y) = words(2)
    total = b.add(b.mul(x, y), x)
    root = total.definition
    assert isinstance(root, Op)
    bound = match(op("add", "a", op("mul", "b", "c")), root, Uses())
    assert bound == {"a": x, "b": x, "c": y}
    assert match(op("sub", "a", op("mul", "b", "c")), root, Uses()) is None


def test_a_name_twice_is_the_same_value() -> None:
    b, (x, y) = words(2)
    pattern = op("xor", op("and_", "a", "b"), "a")
    for other, fits in ((x, True), (y, True), (b.not_(x), False)):
        root = b.xor(b.and_(x, y), other).definition
        assert isinstance(root, Op)
        assert (match(pattern, root, Uses()) is not None) == fits


def test_literals_and_constants() -> None:
    b, (x,) = words(1)
    root = b.and_(x, b.const(32, 0xFFFFFFFF)).definition
    assert isinstance(root, Op)
    assert match(op("and_", "x", -1), root, Uses()) == {"x": x}
    assert match(op("and_", "x", 0), root, Uses()) is None
    assert match(op("and_", "x", Known("k")), root, Uses()) == {"x": x, "k": 0xFFFFFFFF}


def test_once_is_about_all_readers() -> None:
    b, (x, y) = words(2)
    inner = b.mul(x, y)
    pattern = op("add", once(op("mul", "x", "y")), "z")
    total = b.add(inner, x)
    root = total.definition
    assert isinstance(root, Op)
    single = function_of(b, total)
    assert match(pattern, root, uses_of(single)) is not None
    single.blocks[0].ops.insert(-1, Op(root.opdef, [inner, y], (), (32,)))
    assert match(pattern, root, uses_of(single)) is None


# ---- the driver ----

DOUBLED = rule("doubled", op("add", "x", "x"), lambda b, x: b.shl(x, b.const(32, 1)), widths=(32,))
HALVED = rule("halved", op("shl", "x", 1), lambda b, x: b.add(x, x), widths=(32,))
SQUARE = rule("square", op("mul", "x", "x"), lambda b, x: b.umulh(x, x), widths=(32,))


def test_rules_apply_to_what_rules_made() -> None:
    b, (x, y) = words(2)
    undone = b.sub(b.add(x, y), y)
    back = rule("back", op("sub", op("add", "x", "y"), "y"), lambda b, x, y: x, widths=(32,))
    result, log = rewritten(function_of(b, b.add(undone, x)), back, DOUBLED)
    assert log.counts() == {"back": 1, "doubled": 1}
    assert [each.name for each in result.ops()] == ["const", "shl", "ret"]


def test_rules_that_undo_each_other_are_stopped() -> None:
    b, (x,) = words(1)
    result, log = rewritten(function_of(b, b.add(x, x)), DOUBLED, HALVED)
    assert log.stopped == ["f"]
    assert len(log.fires) < 100
    assert result.blocks[0].ops[-1].name == "ret"


def test_what_nothing_fits_is_the_same_object() -> None:
    b, (x, y) = words(2)
    function = function_of(b, b.add(x, y))
    result, log = rewritten(function, DOUBLED, HALVED)
    assert result is function
    assert log.fires == []


def test_rules_that_only_enable_are_no_reason_to_begin() -> None:
    b, (x,) = words(1)
    enabling = rule("doubled", DOUBLED.pattern, DOUBLED.build, widths=(32,), enabling=True)
    function = function_of(b, b.mul(b.add(x, x), b.add(x, x)))
    assert rewritten(function, enabling)[0] is function
    log = rewritten(function, enabling, SQUARE)[1]
    assert log.fires == []  # two sums, so no square


@pytest.mark.parametrize("features", [frozenset[Feature](), frozenset((Feature.V_XOR3,))])
def test_targets(features: frozenset[Feature]) -> None:
    b, (x,) = words(1)
    needs = rule("needs", DOUBLED.pattern, DOUBLED.build, widths=(32,), requires=Feature.V_XOR3)
    lacks = rule("lacks", SQUARE.pattern, SQUARE.build, widths=(32,), lacks=Feature.V_XOR3)
    function = function_of(b, b.sub(b.add(x, x), b.mul(x, x)))
    log = rewritten(function, needs, lacks, features=features)[1]
    assert log.counts() == ({"needs": 1} if features else {"lacks": 1})


def test_widths_and_conditions() -> None:
    b = Builder(Block("entry"))
    x = b.block.add_param(64)
    assert rewritten(function_of(b, b.add(x, x)), DOUBLED)[1].fires == []
    b, (y, z) = words(2)
    known = rule("known", op("add", "x", "y"), lambda b, x, y: b.or_(x, y), when=_second_is_known)
    function = function_of(b, b.add(b.add(y, z), b.const(32, 5)))
    assert rewritten(function, known)[1].counts() == {"known": 1}


def _second_is_known(x: Value, y: Value) -> bool:
    return constant_of(y) is not None


# ---- what is kept ----

LOOP = """.visible .entry k(.param .u64 memory)
{
.reg .b32 %r<8>; .reg .b64 %d<2>; .reg .pred %p;
ld.param.u64 %d0, [memory];
ld.global.v2.u32 {%r1, %r2}, [%d0];
mov.u32 %r3, 0;
again:
shf.l.wrap.b32 %r1, %r1, %r2, %r3;
add.u32 %r3, %r3, 1;
setp.lt.u32 %p, %r3, %r2;
@%p bra again;
shf.l.clamp.b32 %r4, %r1, %r2, %r3;
st.global.u32 [%d0], %r4;
ret;
}
"""


def lifted(body: str) -> Module:
    return lift_program([ptx.parse_module(HEAD + body, "x")]).module


def test_the_lifted_module_stays_and_spans_are_the_roots() -> None:
    module, log = lifted(LOOP), Log()
    before = print_module(module)
    result = rewrite_module(module, lookup("gfx942").target.features, log)
    verify_module(result)
    assert print_module(module) == before
    assert result is not module
    text = HEAD + LOOP
    starts = {text[fire.span :].split()[0] for fire in log.fires if fire.name != "fold"}
    assert starts == {"shf.l.wrap.b32", "shf.l.clamp.b32"}
    spans = {op.span for op in module.functions["k"].ops()}
    assert {op.span for op in result.functions["k"].ops()} <= spans


def test_counts_are_in_the_stats() -> None:
    import ptxlift

    made = ptxlift.lift(HEAD + LOOP, "gfx942")
    assert "rule funnel_left_wrapped" not in made.stats
    assert made.llvm_ir
    assert made.stats["rule funnel_left_wrapped"] == 2
    assert made.stats["rule funnel_left_wide_clamped"] == 1
