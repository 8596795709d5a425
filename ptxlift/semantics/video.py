"""Video instructions: parts of words, a clamp, a second operation or a merge.

Comes in: an algebra, a form, operands and the selector of each operand ("" is the whole word). Goes
out: the 32-bit value. No chip of today has the scalar ones; ptxas writes them as 64-bit sequences,
and where those differ from the manual they are followed here, for they are what programs get. It
must know nothing of how values are represented.
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


def _saturated(algebra: Algebra[V], form: Form, a: V, selector: str, above: bool) -> V:
    """The value at 64 bits, clamped where the form says `.sat`.

    ptxas writes these clamps itself, and not as the manual says: a sum for a whole .u32 is clamped
    at 0 only (unless `above`), and a part that is merged takes its largest value for everything
    that does not fit, negative values too.
    """
    if not form.get("sat"):
        return a
    signed = _is_signed(form, "dtype")
    width = _part_width(selector)
    if width < 32:
        return algebra.umin(a, algebra.const(_WIDE, (1 << (width - signed)) - 1))
    if signed or above:
        return _clamp(algebra, a, 32, signed)
    return algebra.smax(a, algebra.const(_WIDE, 0))


def _second(algebra: Algebra[V], form: Form, result: V, c: V, signed: bool) -> V:
    """The secondary operation with c; min and max compare 64 bits, with the sign of the result."""
    if form.get("op2") == "add":
        return algebra.add(algebra.trunc(result, 32), c)
    other = _extend(algebra, c, _WIDE, signed)
    if form.get("op2") == "min":
        chosen = algebra.smin(result, other) if signed else algebra.umin(result, other)
    else:
        chosen = algebra.smax(result, other) if signed else algebra.umax(result, other)
    return algebra.trunc(chosen, 32)


def _merged(algebra: Algebra[V], result: V, c: V, selector: str) -> V:
    """The low part of the result at its place in c."""
    width = _part_width(selector)
    if width == 32:
        return result
    position = algebra.const(32, width * int(selector[1:]))
    return algebra.bfi(result, c, position, algebra.const(32, width))


def _finish(
    algebra: Algebra[V],
    form: Form,
    result: V,
    c: V | None,
    selectors: tuple[str, ...],
    above: bool = False,
) -> V:
    """Clamp, then the secondary operation or the merge."""
    result = _saturated(algebra, form, result, selectors[0], above)
    low = algebra.trunc(result, 32)
    if c is None:
        return low
    if not form.get("op2"):
        return _merged(algebra, low, c, selectors[0])
    # A sum is taken at 32 bits before it is compared.
    if form.name in ("vadd", "vsub"):
        result = algebra.sext(low, _WIDE)
    kind = "atype" if form.name == "vset" else "dtype"
    return _second(algebra, form, result, c, _is_signed(form, kind))


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
    if form.get("sat"):  # ptxas keeps 34 bits
        spare = algebra.const(32, _WIDE - 34)
        shifted = algebra.ashr(algebra.shl(shifted, spare), spare)
    return _finish(algebra, form, shifted, c, selectors, above=True)


@semantics("vshr", "vshr_merge")
def vshr(
    algebra: Algebra[V], form: Form, a: V, b: V, c: V | None = None, *, selectors: tuple[str, ...]
) -> V:
    """Scalar Video Instructions: vshr. The source is extended already, so its sign fills."""
    left, right = _sources(algebra, form, a, b, selectors)
    shifted = algebra.ashr(left, _shift_amount(algebra, form, right))
    return _finish(algebra, form, shifted, c, selectors, above=True)


@semantics("vset", "vset_merge")
def vset(
    algebra: Algebra[V], form: Form, a: V, b: V, c: V | None = None, *, selectors: tuple[str, ...]
) -> V:
    """Scalar Video Instructions: vset. The result is 1 or 0."""
    left, right = _sources(algebra, form, a, b, selectors)
    truth = algebra.icmp(left, right, integer_predicate(form.get("cmp"), True))
    return _finish(algebra, form, algebra.zext(truth, _WIDE), c, selectors)


def _factor(algebra: Algebra[V], a: V, selector: str, signed: bool) -> V:
    """A factor of vmad: whole words are signed whatever their type says."""
    return _part(algebra, a, selector, signed or not selector)


@semantics("vmad")
def vmad(algebra: Algebra[V], form: Form, a: V, b: V, c: V, *, selectors: tuple[str, ...]) -> V:
    """Scalar Video Instructions: vmad.

    ptxas multiplies words as signed ones and extends c by its sign, for every type. The result is
    unsigned where neither type is signed and nothing is negated; then the scaling shifts in zeros.
    """
    minus_a, minus_b, minus_c = (word.startswith("-") for word in selectors[1:])
    words = [word.lstrip("-") for word in selectors[1:3]]
    signs = _is_signed(form, "atype"), _is_signed(form, "btype")
    signed = any(signs) or minus_a != minus_b or minus_c
    total = algebra.mul(
        _factor(algebra, a, words[0], signs[0]), _factor(algebra, b, words[1], signs[1])
    )
    addend = algebra.sext(c, _WIDE)
    zero, one = algebra.const(_WIDE, 0), algebra.const(_WIDE, 1)
    if form.get("po"):
        addend = algebra.add(addend, one)
    elif minus_a != minus_b:
        total = algebra.sub(zero, total)
    elif minus_c:
        # The complement is taken at 32 bits.
        addend = algebra.add(algebra.sext(algebra.not_(c), _WIDE), one)
    total = algebra.add(total, addend)
    shift = algebra.const(32, _SHIFTS[form.get("scale")])
    scaled = algebra.ashr(total, shift) if signed else algebra.lshr(total, shift)
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
