"""Lowerings of additions with carry: a chain of them is one statement of `add.cc`, `addc.cc`.

PTX's carry flag does not live from one inline statement to the next, so the ops whose carry goes
straight into the next op are written together, where the last of them stands.
"""

from __future__ import annotations

from ptxlift.ir.core import Block, Function, Op, Value
from ptxlift.llvm.nvptx.emitter import Emitter
from ptxlift.llvm.nvptx.registry import lowers

_WORDS = {"add_carry": ("add.cc", "addc.cc", "addc"), "sub_borrow": ("sub.cc", "subc.cc", "subc")}
_WIDTHS = (32, 64)
Readers = dict[Value, list[Op]]


@lowers("add_carry", "sub_borrow")
def _carry(e: Emitter, op: Op) -> None:
    if op.operands[0].width not in _WIDTHS:
        _wide(e, op)
        return
    if e.chains is None:
        e.chains = find_chains(e.function)
    chain = e.chains.get(op)
    if chain:  # no chain: a later op takes this one along
        _write(e, chain)


def find_chains(function: Function) -> dict[Op, list[Op]]:
    """For the last op of each chain the whole of it, from the first on."""
    readers: dict[Value, list[Op]] = {}
    for op in function.ops():
        for value in {*op.operands, *(v for given in op.arguments for v in given)}:
            readers.setdefault(value, []).append(op)
    chains: dict[Op, list[Op]] = {}
    for block in function.blocks:
        _chains_of(block, readers, chains)
    return chains


def _chains_of(block: Block, readers: Readers, chains: dict[Op, list[Op]]) -> None:
    places = {op: index for index, op in enumerate(block.ops)}
    last_of: dict[Op, Op] = {}
    for op in reversed(block.ops):
        if op.name not in _WORDS or op.operands[0].width not in _WIDTHS:
            continue
        after = _successor(op, readers)
        last = last_of.get(after) if after is not None else None
        if last is not None:
            sums = readers.get(op.results[0], [])
            if all(places.get(reader, len(places)) > places[last] for reader in sums):
                last_of[op] = last
                chains[last].append(op)
                continue
        last_of[op] = op
        chains[op] = [op]
    for op in set(last_of.values()):
        chains[op].reverse()


def _successor(op: Op, readers: Readers) -> Op | None:
    """The op that may take this one's carry as the flag: the only reader of it, in the right
    place.
    """
    found = readers.get(op.results[1], [])
    if len(found) != 1:
        return None
    (after,) = found
    if after.name != op.name or after.operands[0].width != op.operands[0].width:
        return None
    return None if op.results[1] in after.operands[:2] else after


def _write(e: Emitter, chain: list[Op]) -> None:
    width, (first, middle, last) = chain[0].operands[0].width, _WORDS[chain[0].name]
    carry_in = chain[0].operands[2]
    wants_carry = e.is_read(chain[-1].results[1])
    results = [op.results[0] for op in chain]
    operands: list[Value | str] = [value for op in chain for value in op.operands[:2]]
    outputs = len(chain) + wants_carry
    lines = []
    if e.constant(carry_in) != 0:
        operands.append(e.let(f"zext i1 {e.bits(carry_in)} to i32"))
        lines += _set_flag(chain[0].name, f"${outputs + len(operands) - 1}")
        first = middle
    for index in range(len(chain)):
        word = first if index == 0 else middle
        if index == len(chain) - 1 and not wants_carry:
            word = last if index or first is middle else first.removesuffix(".cc")
        a = outputs + 2 * index
        lines.append(f"{word}.u{width} ${index}, ${a}, ${a + 1};")
    if wants_carry:
        lines.append(f"{last}.u32 ${len(chain)}, 0, 0;")
    text = f"{{ {' '.join(lines)} }}"
    widths = [width] * len(chain) + [32] * wants_carry
    call = e.ptx(text, widths, operands, early=True)
    _take(e, chain, results, call, wants_carry)


def _set_flag(name: str, carry: str) -> list[str]:
    """Sets the flag to a 0 or 1: 1 + 0xffffffff carries, 0 - 1 borrows."""
    if name == "add_carry":
        return [".reg .u32 t;", f"add.cc.u32 t, {carry}, 0xffffffff;"]
    return [".reg .u32 t;", f"sub.cc.u32 t, 0, {carry};"]


def _take(e: Emitter, chain: list[Op], results: list[Value], call: str, carries: bool) -> None:
    if not carries:
        e.define(results, call)
        return
    types = ", ".join([f"i{value.width}" for value in results] + ["i32"])
    whole = e.let(call)
    for index, value in enumerate(results):
        e.set_bits(value, f"extractvalue {{ {types} }} {whole}, {index}")
    word = e.let(f"extractvalue {{ {types} }} {whole}, {len(results)}")
    e.set_bits(chain[-1].results[1], f"icmp ne i32 {word}, 0")


def _wide(e: Emitter, op: Op) -> None:
    """Narrow words by a sum of twice the width; its next bit is the carry."""
    a, b, carry = op.operands
    narrow, wide = f"i{a.width}", f"i{2 * a.width}"
    instruction = "add" if op.name == "add_carry" else "sub"
    x, y = (e.let(f"zext {narrow} {e.bits(v)} to {wide}") for v in (a, b))
    c = e.let(f"zext i1 {e.bits(carry)} to {wide}")
    whole = e.let(f"{instruction} {wide} {e.let(f'{instruction} {wide} {x}, {y}')}, {c}")
    e.set_bits(op.results[0], f"trunc {wide} {whole} to {narrow}")
    shifted = e.let(f"lshr {wide} {whole}, {a.width}")
    e.set_bits(op.results[1], f"trunc {wide} {shifted} to i1")
