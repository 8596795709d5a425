"""Random instances of the rows that touch memory, each at places that belong to its thread alone.

Comes in: the instruction table. Goes out: instructions as text, with what they must be led and
followed by. A place is 64 bytes: of shared, global and local memory the thread's own, of const and
param memory the same for all, which nobody writes. Generic addresses name the first three.
"""

from __future__ import annotations

import random
from functools import cache

from ptxlift import PtxError, isa, ptx
from ptxlift.driver.options import Options
from ptxlift.driver.units import Request, emit_unit
from ptxlift.isa.classify import Candidate
from ptxlift.isa.forms import choices, form_of, operand_range
from ptxlift.lifter.module import lift_program
from ptxlift.target import lookup
from tests.fuzz.forms import Written, operand, random_candidate

THREADS = 64
SIZE = 64  # bytes of a thread's place in each space
_PLACES = {
    "shared": ("%own_s",), "global": ("%own_g",), "local": ("%own_l",), "const": ("table",),
    "param": ("block",), "": ("%gen_s", "%own_g", "%gen_l"),
}  # fmt: skip
_WRITABLE = ("shared", "global", "local", "")
_NAMES = frozenset({
    "ld", "ldu", "st", "atom", "atom_vector", "red", "red_vector", "prefetch", "prefetchu",
    "membar", "membar_proxy", "fence", "fence_mbarrier_init", "fence_proxy", "fence_proxy_async",
    "pmevent", "pmevent_mask", "mov_vector",
})  # fmt: skip
_CHIPS = ("gfx942", "gfx1100")
DECLARATIONS = (
    ".reg .b32 %own_s; .reg .b64 %own_g, %own_l, %gen_s, %gen_l, %policy, %state;",
    f".local .align 64 .b8 own[{SIZE}];",
    f".shared .align 64 .b8 places[{SIZE * THREADS}];",
    "proto: .callprototype (.param .b32 _) _ (.param .b32 _);",
)
_TABLE = ", ".join(str(37 * number % 256) for number in range(SIZE))
MODULE = (
    f".const .align 64 .b8 table[{SIZE}] = {{{_TABLE}}};",
    f".global .align 64 .b8 whole[{SIZE * THREADS}];",
    ".func (.param .b32 y) twist(.param .b32 x)",
    "{ .reg .b32 t; ld.param.b32 t, [x]; xor.b32 t, t, 0x5a5a; shf.l.wrap.b32 t, t, t, 7;",
    "st.param.b32 [y], t; ret; }",
)


def _call(text: str) -> str:
    """Around a call with x, which gives y."""
    before = "{{ .param .b32 x; .param .b32 y; st.param.b32 [x], {b};"
    return f"{before} {text} ld.param.b32 {{a}}, [y]; }}}}"


def _object(text: str) -> str:
    """Around what uses an mbarrier that awaits two arrivals."""
    before = "mbarrier.init.shared.b64 [%own_s+56], 2;"
    return f"{before} {text} mbarrier.inval.shared.b64 [%own_s+56]; st.shared.b64 [%own_s+56], 0;"


# What needs more than one instruction, or places of its own.
SEQUENCES = (
    "isspacep.shared {p}, %gen_s;", "isspacep.global {p}, %own_g;", "isspacep.local {p}, %gen_l;",
    "isspacep.const {p}, %own_g;", "isspacep.global {p}, %gen_s;",
    "cvta.to.shared.u64 %state, %gen_s; ld.shared.b32 {a}, [%state+8];",
    "cvta.to.global.u64 %state, %own_g; st.global.b32 [%state+12], {a};",
    "cvta.to.local.u64 %state, %gen_l; ld.local.b32 {a}, [%state+16];",
    "cvta.global.u64 %state, %own_g; ld.b32 {a}, [%state+4];",
    "createpolicy.range.L2::evict_last.b64 %policy, [%own_g], 64, 64;",
    "mapa.u64 %state, %gen_s, 0; ld.b32 {a}, [%state+20];", "getctarank.u64 {a}, %gen_s;",
    "mov.u32 {a}, %laneid;", "mov.u32 {a}, %nctaid.x;", "mov.u32 {a}, %ntid.y;",
    "applypriority.global.L2::evict_normal [%own_g], 128;", "nanosleep.u32 20;",
    "cp.async.ca.shared.global [%own_s+8], [%own_g+16], 8; cp.async.wait_all;",
    "cp.async.cg.shared.global [%own_s+16], [%own_g+32], 16; cp.async.commit_group; "
    "cp.async.wait_group 0;",
    "cp.async.ca.shared.global [%own_s+4], [%own_g+4], 4, 3; cp.async.wait_all;",
    _object("mbarrier.arrive.shared.b64 %state, [%own_s+56]; "
    "mbarrier.pending_count.b64 {a}, %state; "
    "mbarrier.test_wait.shared.b64 {p}, [%own_s+56], %state; "
    "mbarrier.arrive.shared.b64 %state, [%own_s+56]; "
    "mbarrier.try_wait.parity.shared.b64 {q}, [%own_s+56], 0;"),
    _object("mbarrier.arrive_drop.shared.b64 %state, [%own_s+56]; "
    "mbarrier.arrive.shared.b64 %state, [%own_s+56]; "
    "mbarrier.test_wait.parity.shared.b64 {p}, [%own_s+56], 0;"),
    _object("cp.async.ca.shared.global [%own_s+8], [%own_g+16], 8; "
    "cp.async.mbarrier.arrive.noinc.shared.b64 [%own_s+56]; "
    "mbarrier.arrive.shared.b64 %state, [%own_s+56]; cp.async.wait_all; "
    "mbarrier.test_wait.shared.b64 {p}, [%own_s+56], %state;"),
    _call("call (y), twist, (x);"),
    _call("mov.u64 %state, twist; call (y), %state, (x), proto;"),
)  # fmt: skip
# What the threads of a block, or of a warp by its mask, do together.
TOGETHER = (
    "bar.sync 0;", "barrier.sync 1, 64;", "bar.red.popc.u32 {a}, 0, {p};", "bar.warp.sync {m};",
    "bar.red.and.pred {p}, 1, {q};", "barrier.cluster.arrive; barrier.cluster.wait;",
    "elect.sync {a}|{p}, {m};",
    "setp.lt.u32 %t, %s1, 32; @%t bar.arrive 2, 64; @!%t bar.sync 2, 64; "
    "bar.sync 0;",  # else the first warp may arrive for the second one's next phase
    "and.b32 %w, {a}, 1; way{n}: .branchtargets one{n}, two{n}; brx.idx %w, way{n}; "
    "one{n}: add.u32 {b}, {b}, 1; two{n}: bar.warp.sync {m};",
    "redux.sync.min.NaN.f32 {a}, {b}, {m}; testp.notanumber.f32 %t, {a}; "
    "selp.b32 {a}, 0x7fffffff, {a}, %t;",
)  # fmt: skip
PROLOGUE = (
    f"mov.u32 %own_s, places; mad.lo.u32 %own_s, %s1, {SIZE}, %own_s;",
    f"mov.u64 %own_g, whole; mad.wide.u32 %own_g, %s1, {SIZE}, %own_g;",
    "mov.u64 %own_l, own; cvta.local.u64 %gen_l, %own_l;",
    "cvt.u64.u32 %gen_s, %own_s; cvta.shared.u64 %gen_s, %gen_s;",
    "createpolicy.fractional.L2::evict_first.b64 %policy;",
    *(
        f"st.shared.b64 [%own_s+{at}], {at}; st.global.b64 [%own_g+{at}], {3 * at}; "
        f"st.local.b64 [%own_l+{at}], {5 * at};"
        for at in range(0, SIZE, 8)
    ),
)
BLOCK = bytes(101 * i % 256 for i in range(SIZE))  # the parameter's


@cache
def memory_rows() -> tuple[isa.Row, ...]:
    """The rows of this generator."""
    return tuple(row for row in isa.rows() if row.name in _NAMES and not row.removed)


def write_memory(rng: random.Random) -> Written:
    """A random instance that is translated; what it leaves in memory has no NaN of its own."""
    while True:
        found = random_candidate(rng.choice(memory_rows()), rng)
        written = _instance(*found, rng) if found is not None else None
        if written is not None and _is_translated(written.text):
            return written


def _instance(candidate: Candidate, words: list[str], rng: random.Random) -> Written | None:
    low, high = operand_range(candidate)
    ways = choices(candidate, rng.randint(low, high))
    if not ways:
        return None
    form = form_of(candidate, rng.choice(ways))
    space = _space(form)
    place = _place(form, space, rng)
    if place is None:
        return None
    texts: list[str] = []
    results: list[tuple[str, isa.Type]] = []
    for spec in form.operands:
        text = place if spec.kind is isa.OperandKind.ADDRESS else _other(spec, form, rng, results)
        if text is None:
            return None
        texts.append(text)
    if len({name for name, _ in results}) != len(results):
        return None
    text = f"{'.'.join([candidate.row.opcode, *words])} {', '.join(texts)}".rstrip() + ";"
    return Written(text + _mended(form, place), candidate.row.name, tuple(results))


def _space(form: isa.Form) -> str:
    return form.get("ss").split("::")[0]


def _place(form: isa.Form, space: str, rng: random.Random) -> str | None:
    """An aligned address in the place of a thread."""
    if not any(spec.kind is isa.OperandKind.ADDRESS for spec in form.operands):
        return ""
    writes = form.name not in ("ld", "ldu")
    if space not in _PLACES or (writes and space not in _WRITABLE) or "func" in form.get("ss"):
        return None
    count = max((spec.count for spec in form.operands), default=0)
    size = max(form.type.bits, 8) // 8 * max(count, 1)
    if size > 32:
        return None
    return f"[{rng.choice(_PLACES[space])}+{rng.randrange(SIZE // size) * size}]"


def _other(
    spec: isa.OperandSpec, form: isa.Form, rng: random.Random, results: list[tuple[str, isa.Type]]
) -> str | None:
    if spec.name == "cache-policy":
        return "%policy"
    return operand(spec, rng, results)


def _mended(form: isa.Form, place: str) -> str:
    """A float operation leaves a NaN of any payload: zero takes its place."""
    if not place or form.type.name not in _FLOATS or form.name in ("ld", "ldu", "st"):
        return ""
    count = max((spec.count for spec in form.operands), default=0)
    step = form.type.bits // 8
    base, _, offset = place.strip("[]").partition("+")
    opcode = f"st.{_space(form)}".rstrip(".")
    return "".join(
        f" {opcode}.b{form.type.bits} [{base}+{int(offset) + step * number}], 0;"
        for number in range(max(count, 1))
    )


_FLOATS = ("f16", "bf16", "f16x2", "bf16x2", "f32", "f64")


@cache
def _is_translated(text: str) -> bool:
    """Whether the chips of the comparison have it; what is refused is no find."""
    head = ".version 9.0\n.target sm_100a\n.address_size 64\n"
    registers = "".join(
        f".reg .b{bits} {prefix}<9>; "
        for prefix, bits in (("%b", 8), ("%h", 16), ("%r", 32), ("%d", 64))
    )
    body = f"{registers}.reg .pred %p<9>;\n" + "\n".join(DECLARATIONS)
    kernel = (
        f".visible .entry k(.param .align 64 .b8 block[{SIZE}])\n{{\n{body}\n{text}\nret;\n}}\n"
    )
    try:
        module = ptx.parse_module(head + "\n".join(MODULE) + "\n" + kernel)
        lifted = lift_program([module])
        if lifted.failed:
            return False
        for name in _CHIPS:
            emit_unit(
                Request(lifted.module, lookup(name), Options()),
                ["k"],
                "packed",
                owns_variables=True,
            )
    except PtxError:
        return False
    return True
