"""How large each nibble of a value can be: enough to see that a byte selector asks for no signs.

Comes in: an IR value. Goes out: a bound for each of its eight nibbles, found in a few steps back.
It must know no target.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ptxlift.ir.core import Op, Value

Bounds = tuple[int, ...]  # the lowest nibble first
_COUNT, _BITS, _MOST = 8, 4, 15
_ANY = (_MOST,) * _COUNT
_STEPS = 6
_SELECTORS, _PLAIN = 4, 7  # nibbles of a selector; above that they ask for a sign


def largest_nibbles(value: Value, steps: int = _STEPS) -> Bounds:
    """The largest that each nibble of the low word can be."""
    definition = value.definition
    if not isinstance(definition, Op) or value.width > _COUNT * _BITS or steps == 0:
        return _ANY
    name, operands = definition.opdef.name, definition.operands
    if name == "const":
        return _of_constant(int(str(definition.attrs[1])))
    if name == "shl":
        return _shifted(largest_nibbles(operands[0], steps - 1), operands[1])
    combine = _COMBINE.get(name)
    if combine is None:
        return _ANY
    if name == "select":
        operands = operands[1:]
    return combine([largest_nibbles(operand, steps - 1) for operand in operands])


def varying_nibbles(selector: Value) -> int:
    """Of a byte selector that asks for no signs and is the sum of a constant and something: how
    many nibbles are not known. Four where that is not so.
    """
    definition = selector.definition
    if not isinstance(definition, Op) or definition.opdef.name not in ("add", "or_"):
        return _SELECTORS
    parts = [v for v in definition.operands if not _is_constant(v)]
    if len(parts) != 1 or max(largest_nibbles(selector)[:_SELECTORS]) > _PLAIN:
        return _SELECTORS
    return sum(most > 0 for most in largest_nibbles(parts[0])[:_SELECTORS])


def _is_constant(value: Value) -> bool:
    definition = value.definition
    return isinstance(definition, Op) and definition.opdef.name == "const"


def _of_constant(bits: int) -> Bounds:
    return tuple(bits >> _BITS * place & _MOST for place in range(_COUNT))


def _and(parts: Sequence[Bounds]) -> Bounds:
    return tuple(map(min, *parts))


def _choice(parts: Sequence[Bounds]) -> Bounds:
    return tuple(map(max, *parts))


def _or(parts: Sequence[Bounds]) -> Bounds:
    return tuple((1 << most.bit_length()) - 1 for most in _choice(parts))


def _add(parts: Sequence[Bounds]) -> Bounds:
    """Without a carry out of any nibble."""
    sums = tuple(map(int.__add__, *parts))
    return sums if max(sums) <= _MOST else _ANY


def _shifted(bounds: Bounds, amount: Value) -> Bounds:
    """Shifted up by a known number of nibbles."""
    definition = amount.definition
    if not isinstance(definition, Op) or definition.opdef.name != "const":
        return _ANY
    places, rest = divmod(int(str(definition.attrs[1])), _BITS)
    return ((0,) * min(places, _COUNT) + bounds)[:_COUNT] if rest == 0 else _ANY


def _product(parts: Sequence[Bounds]) -> Bounds:
    """Of two values one of which has a single nibble: each nibble of the other by itself."""
    for one, other in (parts, parts[::-1]):
        products = tuple(one[0] * nibble for nibble in other)
        if not any(one[1:]) and max(products) <= _MOST:
            return products
    return _ANY


_COMBINE: dict[str, Callable[[Sequence[Bounds]], Bounds]] = {
    "and_": _and,
    "or_": _or,
    "xor": _or,
    "add": _add,
    "mul": _product,
    "select": _choice,
}
