"""Video instructions: parts of words, a clamp, a second operation or a merge.

Comes in: an algebra, a form, operands and the selector of each operand ("" is the whole word). Goes
out: the 32-bit value that the PTX manual gives. Scalar operations are done at 64 bits, which is the
full precision that the manual asks for. It must know nothing of how values are represented.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ptxlift.ir.attributes import IntPredicate
from ptxlift.isa import Form
from ptxlift.semantics.algebra import Algebra
from ptxlift.semantics.registry import semantics
from ptxlift.semantics.words import integer_predicate

V = TypeVar("V")

_WIDE = 64
_SHIFTS = {"": 0, "shr7": 7, "shr15": 15}


def _is_signed(form: Form, key: str) -> bool:
    return form.get(key) == "s32"


def _extend(algebra: Algebra[V], a: V, width: int, signed: bool) -> V:
    return algebra.sext(a, width) if signed else algebra.zext(a, width)


def _part(algebra: Algebra[V], a: V, selector: str, signed: bool) -> V:
    """The byte, half or word that a selector names, at full precision."""
    if not selector:
        return _extend(algebra, a, _WIDE, signed)
    width = 8 if selector[0] == "b" else 16
    part = algebra.extract(a, width, width * int(selector[1:]))
    return _extend(algebra, part, _WIDE, signed)


def _clamp(algebra: Algebra[V], a: V, width: int, signed: bool) -> V:
    """A signed value limited to what `width` bits hold."""
    size = algebra.width(a)
    low = -(1 << (width - 1)) if signed else 0
    high = (1 << (width - signed)) - 1
    limit = algebra.const(size, low & ((1 << size) - 1))
    return algebra.smin(algebra.smax(a, limit), algebra.const(size, high))


def _part_width(selector: str) -> int:
    return {"": 32, "b": 8, "h": 16}[selector[:1]]


def _saturated(algebra: Algebra[V], form: Form, a: V, selector: str) -> V:
    """The low 32 bits, clamped before where the form says `.sat`; a merge clamps to its part."""
    if form.get("sat"):
        a = _clamp(algebra, a, _part_width(selector), _is_signed(form, "dtype"))
    return algebra.trunc(a, 32)


def _second(algebra: Algebra[V], form: Form, result: V, c: V) -> V:
    """The secondary operation with c."""
    signed = _is_signed(form, "dtype")
    match form.get("op2"):
        case "add":
            return algebra.add(result, c)
        case "min":
            return algebra.smin(result, c) if signed else algebra.umin(result, c)
        case _:
            return algebra.smax(result, c) if signed else algebra.umax(result, c)


def _merged(algebra: Algebra[V], result: V, c: V, selector: str) -> V:
    """The low part of the result at its place in c."""
    width = _part_width(selector)
    if width == 32:
        return result
    position = algebra.const(32, width * int(selector[1:]))
    return algebra.bfi(result, c, position, algebra.const(32, width))


def _finish(
    algebra: Algebra[V], form: Form, result: V, c: V | None, selectors: tuple[str, ...]
) -> V:
    """Clamp, then the secondary operation or the merge."""
    low = _saturated(algebra, form, result, selectors[0])
    if c is None:
        return low
    if form.get("op2"):
        return _second(algebra, form, low, c)
    return _merged(algebra, low, c, selectors[0])


def _sources(
    algebra: Algebra[V], form: Form, a: V, b: V, selectors: tuple[str, ...]
) -> tuple[V, V]:
    left = _part(algebra, a, selectors[1], _is_signed(form, "atype"))
    return left, _part(algebra, b, selectors[2], _is_signed(form, "btype"))


def _difference(algebra: Algebra[V], a: V, b: V) -> V:
    return algebra.sub(algebra.smax(a, b), algebra.smin(a, b))


@semantics("vadd", "vadd_merge")
def vadd(
    algebra: Algebra[V], form: Form, a: V, b: V, c: V | None = None, *, selectors: tuple[str, ...]
) -> V:
    """Scalar Video Instructions: vadd."""
    left, right = _sources(algebra, form, a, b, selectors)
    return _finish(algebra, form, algebra.add(left, right), c, selectors)


@semantics("vsub", "vsub_merge")
def vsub(
    algebra: Algebra[V], form: Form, a: V, b: V, c: V | None = None, *, selectors: tuple[str, ...]
) -> V:
    """Scalar Video Instructions: vsub."""
    left, right = _sources(algebra, form, a, b, selectors)
    return _finish(algebra, form, algebra.sub(left, right), c, selectors)


@semantics("vabsdiff", "vabsdiff_merge")
def vabsdiff(
    algebra: Algebra[V], form: Form, a: V, b: V, c: V | None = None, *, selectors: tuple[str, ...]
) -> V:
    """Scalar Video Instructions: vabsdiff."""
    left, right = _sources(algebra, form, a, b, selectors)
    return _finish(algebra, form, _difference(algebra, left, right), c, selectors)


@semantics("vmin", "vmin_merge")
def vmin(
    algebra: Algebra[V], form: Form, a: V, b: V, c: V | None = None, *, selectors: tuple[str, ...]
) -> V:
    """Scalar Video Instructions: vmin."""
    left, right = _sources(algebra, form, a, b, selectors)
    return _finish(algebra, form, algebra.smin(left, right), c, selectors)


@semantics("vmax", "vmax_merge")
def vmax(
    algebra: Algebra[V], form: Form, a: V, b: V, c: V | None = None, *, selectors: tuple[str, ...]
) -> V:
    """Scalar Video Instructions: vmax."""
    left, right = _sources(algebra, form, a, b, selectors)
    return _finish(algebra, form, algebra.smax(left, right), c, selectors)


def _shift_amount(algebra: Algebra[V], form: Form, b: V) -> V:
    amount = algebra.trunc(b, 32)
    if form.get("mode") == "wrap":
        return algebra.and_(amount, algebra.const(32, 31))
    return algebra.umin(amount, algebra.const(32, 32))


@semantics("vshl", "vshl_merge")
def vshl(
    algebra: Algebra[V], form: Form, a: V, b: V, c: V | None = None, *, selectors: tuple[str, ...]
) -> V:
    """Scalar Video Instructions: vshl."""
    left, right = _sources(algebra, form, a, b, selectors)
    shifted = algebra.shl(left, _shift_amount(algebra, form, right))
    return _finish(algebra, form, shifted, c, selectors)


@semantics("vshr", "vshr_merge")
def vshr(
    algebra: Algebra[V], form: Form, a: V, b: V, c: V | None = None, *, selectors: tuple[str, ...]
) -> V:
    """Scalar Video Instructions: vshr. The source is extended already, so its sign fills."""
    left, right = _sources(algebra, form, a, b, selectors)
    shifted = algebra.ashr(left, _shift_amount(algebra, form, right))
    return _finish(algebra, form, shifted, c, selectors)


@semantics("vset", "vset_merge")
def vset(
    algebra: Algebra[V], form: Form, a: V, b: V, c: V | None = None, *, selectors: tuple[str, ...]
) -> V:
    """Scalar Video Instructions: vset. The result is 1 or 0."""
    left, right = _sources(algebra, form, a, b, selectors)
    truth = algebra.icmp(left, right, integer_predicate(form.get("cmp"), True))
    return _finish(algebra, form, algebra.zext(truth, _WIDE), c, selectors)


@semantics("vmad")
def vmad(algebra: Algebra[V], form: Form, a: V, b: V, c: V, *, selectors: tuple[str, ...]) -> V:
    """Scalar Video Instructions: vmad.

    Two unsigned words make a product of 64 bits without a sign, so 128 bits hold every sum.
    """
    minus_a, minus_b, minus_c = (word.startswith("-") for word in selectors[1:])
    words = ("", *(word.lstrip("-") for word in selectors[1:3]))
    left, right = _sources(algebra, form, a, b, words)
    signs = _is_signed(form, "atype"), _is_signed(form, "btype")
    wide = 64 if any(signs) else 128
    if wide == 128:
        left, right = algebra.zext(left, 128), algebra.zext(right, 128)
    total = algebra.mul(left, right)
    signed = any(signs) or minus_a != minus_b or minus_c
    addend = _extend(algebra, c, wide, signed)
    zero = algebra.const(wide, 0)
    if form.get("po"):
        addend = algebra.add(addend, algebra.const(wide, 1))
    elif minus_a != minus_b:
        total = algebra.sub(zero, total)
    elif minus_c:
        addend = algebra.sub(zero, addend)
    total = algebra.add(total, addend)
    scaled = algebra.ashr(total, algebra.const(32, _SHIFTS[form.get("scale")]))
    if form.get("sat"):
        scaled = _clamp(algebra, scaled, 32, signed)
    return algebra.trunc(scaled, 32)


# ---- several lanes at once ----


def _lane_sources(
    algebra: Algebra[V], a: V, b: V, selector: str, first: int, count: int, signed: bool
) -> list[V]:
    """Lanes of b:a in the order of a selector, lowest first; by default those from `first` on."""
    width = 32 // count
    digits = [int(digit) for digit in reversed(selector[1:])]
    chosen = digits or list(range(first, first + count))
    lanes = []
    for index in chosen:
        source = a if index < count else b
        lane = algebra.extract(source, width, width * (index % count))
        lanes.append(_extend(algebra, lane, 32, signed))
    return lanes


def _average(algebra: Algebra[V], a: V, b: V) -> V:
    """Rounded up for sums of at least zero, else down to the lower half."""
    total = algebra.add(a, b)
    negative = algebra.icmp(total, algebra.const(32, 0), IntPredicate.SLT)
    one = algebra.select(negative, algebra.const(32, 0), algebra.const(32, 1))
    return algebra.ashr(algebra.add(total, one), algebra.const(32, 1))


def _lane_operation(algebra: Algebra[V], form: Form) -> Callable[[V, V], V]:
    name = form.name[:-1]
    if name == "vset":
        predicate = integer_predicate(form.get("cmp"), True)

        def compare(x: V, y: V) -> V:
            return algebra.zext(algebra.icmp(x, y, predicate), 32)

        return compare

    def operate(x: V, y: V) -> V:
        match name:
            case "vadd":
                return algebra.add(x, y)
            case "vsub":
                return algebra.sub(x, y)
            case "vavrg":
                return _average(algebra, x, y)
            case "vabsdiff":
                return _difference(algebra, x, y)
            case "vmin":
                return algebra.smin(x, y)
            case _:
                return algebra.smax(x, y)

    return operate


def _written(selector: str, count: int) -> list[bool]:
    """Which lanes the destination's mask names; all by default."""
    named = {int(digit) for digit in selector[1:]} or set(range(count))
    return [lane in named for lane in range(count)]


@semantics(*(f"{name}{n}" for n in (2, 4) for name in (
    "vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax", "vset")))  # fmt: skip
def by_lanes(algebra: Algebra[V], form: Form, a: V, b: V, c: V, *, selectors: tuple[str, ...]) -> V:
    """SIMD Video Instructions: vadd2, vsub2, vavrg2, vabsdiff2, vmin2, vmax2, vset2 and ...4.

    `.add` sums the lanes of the mask into c; otherwise lanes outside the mask come from c.
    """
    count = int(form.name[-1])
    width = 32 // count
    operate = _lane_operation(algebra, form)
    signs = _is_signed(form, "atype"), _is_signed(form, "btype")
    lefts = _lane_sources(algebra, a, b, selectors[1], 0, count, signs[0])
    rights = _lane_sources(algebra, a, b, selectors[2], count, count, signs[1])
    results = [operate(x, y) for x, y in zip(lefts, rights, strict=True)]
    if form.get("sat"):
        signed = _is_signed(form, "dtype")
        results = [_clamp(algebra, result, width, signed) for result in results]
    written = _written(selectors[0], count)
    if form.get("add"):
        for result, wanted in zip(results, written, strict=True):
            c = algebra.add(c, result) if wanted else c
        return c
    parts = []
    for lane, result in enumerate(results):
        kept = algebra.extract(c, width, width * lane)
        parts.append(algebra.trunc(result, width) if written[lane] else kept)
    return algebra.pack(parts)
