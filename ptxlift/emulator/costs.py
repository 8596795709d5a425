"""What the instructions of a listing cost, without running them.

Comes in: LLVM's listing of a code object. Goes out: class and cost of each instruction, in order.
"""

from __future__ import annotations

from ptxlift.emulator.blocks import class_of
from ptxlift.emulator.listing import parse_listing
from ptxlift.emulator.operands import parse_inst
from ptxlift.emulator.profile import InstClass, unit_cost


def listed_costs(listing: str, target: str) -> list[tuple[InstClass, float]]:
    """Class, and cost of one execution by one wave, of each instruction. What memory accesses cost
    beyond that depends on their addresses.
    """
    found = parse_listing(listing)
    kinds = [class_of(parse_inst(0, item.text, item.words)) for item in found]
    return [(kind, unit_cost(kind, target)) for kind in kinds]
