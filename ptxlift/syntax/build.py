"""The look of a declaration or directive and its cut come in; the finished node goes out.

Unlike shapes these nodes hold texts and places, so each statement gets its own. This module must
not know the grammar file's terminals, only the rules and their children.
"""

from __future__ import annotations

from collections.abc import Callable

from ptxlift.records import dataclass
from ptxlift.syntax.constants import ConstantError, integer
from ptxlift.syntax.looks import Cut, Look
from ptxlift.syntax.nodes import (
    Alias,
    Attribute,
    Block,
    CallPrototype,
    Declaration,
    Declarator,
    Expression,
    File,
    Function,
    Initializer,
    Item,
    Loc,
    Parameter,
    Pragma,
    Statement,
    Targets,
)
from ptxlift.syntax.printer import integral_text
from ptxlift.syntax.shapes import expression

_RANGE_LIMIT = 1 << 16


@dataclass(slots=True, eq=False)  # not frozen: Python writes to exceptions it raises
class Misfit(Exception):
    """The grammar takes the statement, but a word or number in it cannot stand there."""

    code: str
    message: str
    start: int
    hint: str = ""


def declaration(look: Look, cut: Cut) -> Declaration:
    """A `variable` look."""
    place = look.find("placement")
    assert place is not None, "the grammar gives every variable a placement"
    words = [child[1:] for child in place.children if isinstance(child, str)]
    linkage = look.find("linkage")
    space, _, bank = words[0].partition("[")
    declarators = [c for c in place.children if isinstance(c, Look) and c.rule in _DECLARATORS]
    return Declaration(
        space=space,
        type=words[-1],
        declarators=tuple(_DECLARATORS[d.rule](d, cut) for d in declarators),
        start=cut.start,
        end=cut.end,
        align=_align(place, cut),
        vector=_vector(words),
        linkage=linkage.word() if linkage else "",
        attributes=_attribute_texts(look, cut) + _attribute_texts(place, cut),
        bank=int(bank[:-1]) if bank else None,
    )


def function(look: Look, cut: Cut, body: Block | None, end: int) -> Function:
    """An `entry` or `func` look with the body that was found after it."""
    name = look.slots()[0]
    linkage = look.find("linkage")
    return Function(
        kind=look.rule,
        name=cut.atoms[name],
        returns=_formals(look.find("returns"), cut),
        parameters=_formals(look.find("formals"), cut),
        body=body,
        start=cut.starts[name],
        end=end,
        linkage=linkage.word() if linkage else "",
        attributes=_attributes(look, cut),
        pragmas=tuple(pragma(p, cut) for p in look.all("pragma")),
    )


def prototype(look: Look, cut: Cut) -> CallPrototype:
    """A `prototype` look."""
    label = look.slots()[0]
    return CallPrototype(
        label=cut.atoms[label],
        returns=_formals(look.find("results"), cut),
        parameters=_formals(look.find("anonymous"), cut),
        start=cut.starts[label],
        attributes=_attributes(look, cut),
    )


def targets(look: Look, cut: Cut) -> Targets:
    """A `targets` look; ranges are written out."""
    label = look.slots()[0]
    names: list[str] = []
    for target in look.all("target_name"):
        slots = target.slots()
        base = cut.atoms[slots[0]]
        if len(slots) == 1:
            names.append(base)
            continue
        count = _integer(cut, slots[1])
        if len(names) + count > _RANGE_LIMIT:
            raise Misfit("PTX005", "this range has too many labels", cut.starts[slots[1]])
        names += [f"{base}{number}" for number in range(count)]
    return Targets(cut.atoms[label], look.word(), tuple(names), cut.starts[label])


def pragma(look: Look, cut: Cut) -> Pragma:
    """A `pragma` look."""
    slots = look.slots()
    return Pragma(tuple(cut.atoms[slot][1:-1] for slot in slots), cut.starts[slots[0]])


def alias(look: Look, cut: Cut) -> Alias:
    """An `alias` look."""
    name, target = look.slots()
    return Alias(cut.atoms[name], cut.atoms[target], cut.starts[name])


def file(look: Look, cut: Cut) -> File:
    """A `file` look."""
    index, name, *rest = look.slots()
    numbers = [_integer(cut, slot) for slot in rest]
    time, size, *_ = [*numbers, None, None]
    return File(_integer(cut, index), cut.atoms[name][1:-1], cut.start, time, size)


def loc(look: Look, cut: Cut) -> Loc:
    """A `loc` look."""
    slots = look.slots()
    place = [_integer(cut, slot) for slot in slots[:3]]
    if len(slots) == 3:
        return Loc(place[0], place[1], place[2], cut.start)
    for slot, word in ((3, "function_name"), (len(slots) - 4, "inlined_at")):
        if cut.atoms[slot] != word:
            message = f"unexpected '{cut.atoms[slot]}' in .loc"
            raise Misfit("PTX001", message, cut.starts[slot], f"write {word}")
    offset = _integer(cut, 5) if len(slots) == 10 else 0
    a, b, c = [_integer(cut, slot) for slot in slots[-3:]]
    return Loc(place[0], place[1], place[2], cut.start, cut.atoms[4], offset, (a, b, c))


# ---- parts ----


def _declarator(look: Look, cut: Cut) -> Declarator:
    slot = look.slots()[0]
    dimensions = look.find("dimensions")
    sizes = _dimensions(dimensions, cut) if dimensions else ()
    initial = next((c for c in look.children if isinstance(c, Look) and c != dimensions), None)
    value = _initializer(initial, cut, cut.starts[slot]) if initial else None
    return Declarator(cut.atoms[slot], cut.starts[slot], sizes, None, value)


def _range(look: Look, cut: Cut) -> Declarator:
    name, count = look.slots()
    return Declarator(cut.atoms[name], cut.starts[name], (), _integer(cut, count))


_DECLARATORS: dict[str, Callable[[Look, Cut], Declarator]] = {
    "declarator": _declarator,
    "range": _range,
}


def _initializer(look: Look, cut: Cut, start: int) -> Initializer:
    if look.rule == "settings":
        settings = tuple(_setting(child, cut) for child in look.all("setting"))
        return Initializer((), cut.atoms, start, settings)
    return Initializer(_initial_value(look, cut), cut.atoms, start)


def _initial_value(look: Look, cut: Cut) -> Expression | tuple[Initializer, ...]:
    if look.rule == "list":
        children = [child for child in look.children if isinstance(child, Look)]
        return tuple(Initializer(_initial_value(child, cut)) for child in children)
    check_calls(look, cut)
    return expression(look)


_CALLEE = {"symbol_call": 0, "mask_call": 1}  # which slot of the rule is a function's name


def check_calls(look: Look, cut: Cut) -> None:
    """Only `generic` is a function of symbols; the grammar takes any name there."""
    index = _CALLEE.get(look.rule)
    if index is not None:
        slot = look.slots()[index]
        if cut.atoms[slot] != "generic":
            message = f"'{cut.atoms[slot]}' cannot be applied to a symbol"
            hint = "only generic(symbol) and byte masks such as 0xff(symbol) are allowed"
            raise Misfit("PTX001", message, cut.starts[slot], hint)
    for child in look.children:
        if isinstance(child, Look):
            check_calls(child, cut)


def _setting(look: Look, cut: Cut) -> tuple[str, str]:
    value = next(child for child in look.children if isinstance(child, Look))
    return cut.atoms[look.slots()[0]], integral_text(expression(value), cut.atoms)


def _dimensions(look: Look, cut: Cut) -> tuple[int | None, ...]:
    sizes: list[int | None] = []
    for child in look.children:
        assert isinstance(child, Look), "dimensions hold dimensions"
        slots = child.slots()
        sizes.append(_integer(cut, slots[0]) if slots else None)
    return tuple(sizes)


def _formals(look: Look | None, cut: Cut) -> tuple[Parameter, ...]:
    if look is None:
        return ()
    return tuple(_formal(child, cut) for child in look.children if isinstance(child, Look))


def _formal(look: Look, cut: Cut) -> Parameter:
    words = [child[1:] for child in look.children if isinstance(child, str)]
    slots = look.slots()
    dimensions = look.find("dimensions")
    pointer = look.find("pointer")
    return Parameter(
        space=words[0],
        type=words[-1],
        name=cut.atoms[slots[0]] if slots else "_",
        start=cut.starts[slots[0]] if slots else cut.start,
        align=_align(look, cut),
        dimensions=_dimensions(dimensions, cut) if dimensions else (),
        vector=_vector(words),
        pointer=pointer is not None,
        pointer_space=pointer.word() if pointer else "",
        pointer_align=_align(pointer, cut) if pointer else None,
    )


def _vector(words: list[str]) -> int:
    return next((int(word[1:]) for word in words if word in ("v2", "v4")), 1)


def _integer(cut: Cut, slot: int) -> int:
    try:
        return integer(cut.atoms[slot])
    except ConstantError as error:
        raise Misfit("PTX005", str(error), cut.starts[slot]) from None


def _align(look: Look, cut: Cut) -> int | None:
    found = look.find("align")
    return _number(found, cut) if found else None


def _number(look: Look, cut: Cut) -> int:
    return _integer(cut, look.slots()[0])


def _attributes(look: Look, cut: Cut) -> tuple[Attribute, ...]:
    found = [a for group in look.all("attributes") for a in group.all("attribute")]
    return tuple(_attribute(child, cut) for child in [*found, *look.all("directive")])


def _attribute(look: Look, cut: Cut) -> Attribute:
    slots = look.slots()
    values = tuple(_integer(cut, slot) for slot in slots)
    start = cut.starts[slots[0]] if slots else cut.start
    return Attribute(look.word(), values, start)


def _attribute_texts(look: Look, cut: Cut) -> tuple[str, ...]:
    texts: list[str] = []
    for attribute in _attributes(look, cut):
        values = ",".join(map(str, attribute.values))
        texts.append(f"{attribute.name}({values})" if values else attribute.name)
    return tuple(texts)


STATEMENT_BUILDERS: dict[str, Callable[[Look, Cut], Statement]] = {
    "variable": declaration,
    "prototype": prototype,
    "targets": targets,
    "pragma": pragma,
    "loc": loc,
}
ITEM_BUILDERS: dict[str, Callable[[Look, Cut], Item]] = {
    "variable": declaration,
    "pragma": pragma,
    "alias": alias,
    "file": file,
}
