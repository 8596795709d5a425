"""Writes docs/permutes.md: how lanes are wired, and the moves that each constant shuffle becomes.

Comes in: the table of patterns and the search for programs.
"""

from __future__ import annotations

from collections.abc import Sequence

from docs.markdown import table
from ptxlift.ir.attributes import ShuffleMode
from ptxlift.ir.shuffles import shuffled
from ptxlift.target import Feature, all_targets, lookup
from ptxlift.target.lane_search import find
from ptxlift.target.lane_steps import Program, Step
from ptxlift.target.permutes import CHOOSING, FIXED, NOTHING, WARP, Choosing, Pattern, Unit

_INTRODUCTION = """# Permutations of lanes

The moves between lanes that chips have in hardware, and what constant shuffles become. This page is
generated from `ptxlift/target/permutes.py` and the search over it; run `make docs` to write it
anew.

*picture*: for lanes 0 to 31 the lane that each one reads, as a digit to the base 32, a group of
four lanes a word; `.` reads nothing. *fused*: the instruction that uses the value can move it on
the way, at no cost. *waits*: wait states that gfx9 needs after a vector instruction wrote what is
read. A move of some rows and banks of lanes only leaves the others as they are.
"""
_PROGRAMS = """## Shuffles

What a shuffle of whole warps (`c` without segments) by each distance becomes where nothing is known
about which lanes are there, and every lane needs its value. `x` is the value, 1 the result of the
first step, and so on; "else 1" keeps that where a step does not write. *all lanes*: a value passes
through other lanes on its way; the steps are done by all lanes of the wave, unless the kernel's
bounds prove that all are there. `ds_swizzle` goes through the LDS crossbar.
"""
_COLUMNS = (
    ("gfx900, gfx906, gfx908", "gfx900", 64),
    ("gfx90a, gfx942", "gfx942", 64),
    ("gfx950", "gfx950", 64),
    ("gfx10 to gfx12, waves of 32", "gfx1100", 32),
    ("gfx1250", "gfx1250", 32),
)
_DIGITS = "0123456789abcdefghijklmnopqrstuv"
_EXAMPLES = {"quad_perm": 0x1B, "dpp8": 0x053977, "permlane16": 0x0123456789ABCDEF}
_EXAMPLES["permlanex16"] = 0xFEDCBA9876543210


def render() -> str:
    """The page."""
    heads = ("pattern", "instruction", "targets", "cost", "fused", "waits", "example", "picture")
    rows = [_pattern(each) for each in FIXED] + [_choosing(each) for each in CHOOSING]
    programs = table(("shuffle", *(head for head, _, _ in _COLUMNS)), _shuffles())
    return "\n".join([_INTRODUCTION, table(heads, rows), _PROGRAMS, programs])


def _targets(needs: Feature | None) -> str:
    if needs is None:
        return "all"
    return ", ".join(target.name for target in all_targets() if target.has(needs))


def _instruction(unit: Unit) -> str:
    return f"`{unit.value.split(',')[0]}`"


def _picture(sources: Sequence[int]) -> str:
    digits = "".join("." if at == NOTHING else _DIGITS[at] for at in sources[:WARP])
    words = [digits[start : start + 4] for start in range(0, WARP, 4)]
    return f"`{' '.join(words)}`"


def _pattern(each: Pattern) -> tuple[str, ...]:
    number = each.numbers[len(each.numbers) // 4]
    lanes = 2 * WARP if each.unit is Unit.HALVES else WARP
    sources = [at % WARP if lanes > WARP else at for at in each.sources(number, lanes)]
    fused, waits = ("yes" if each.fuses else "no"), str(each.waits or "")
    facts = (_targets(each.needs), f"{each.cost:g}", fused, waits)
    return (f"`{each.name}`", _instruction(each.unit), *facts, str(number), _picture(sources))


def _choosing(each: Choosing) -> tuple[str, ...]:
    control = _EXAMPLES[each.name]
    name = f"`{each.name}`: any in groups of {each.group}"
    name += ", from the other row" if each.across else ""
    facts = (_targets(each.needs), "1", "yes" if each.fuses else "no", str(each.waits or ""))
    picture = _picture(each.sources(control, WARP))
    return (name, _instruction(each.unit), *facts, f"{control:#x}", picture)


def _shuffles() -> list[tuple[str, ...]]:
    rows = []
    for mode in (ShuffleMode.BFLY, ShuffleMode.UP, ShuffleMode.DOWN, ShuffleMode.IDX):
        clamp = 0 if mode is ShuffleMode.UP else WARP - 1
        for b in range(int(mode is not ShuffleMode.IDX), WARP):
            warp = shuffled(mode, b, clamp)[0]
            cells = [_cell(warp, name, wave) for _, name, wave in _COLUMNS]
            rows.append((f"{mode.value} {b}", *cells))
    return rows


def _cell(warp: Sequence[int], name: str, wave: int) -> str:
    wanted = tuple(at + base for base in range(0, wave, WARP) for at in warp)
    program = find(wanted, lookup(name).target.features, all_active=False)
    assert program is not None, "a shuffle of constants is at most a swizzle"
    return _steps(program)


def _steps(program: Program) -> str:
    words = [_step(step, at) for at, step in enumerate(program.steps)]
    return ("all lanes: " if program.relayed else "") + "; ".join(words)


def _step(step: Step, at: int) -> str:
    if step.unit is Unit.CHOICE:
        lanes = f"{step.control & 0xFFFFFFFF:#x}"
        return f"{_value(step.source)} in lanes {lanes}, else {_value(step.old or 0)}"
    text = f"`{_name(step)}`" + ("" if step.source == at else f" of {_value(step.source)}")
    if (step.rows, step.banks) != (15, 15):
        text += f" in rows {step.rows:#x} banks {step.banks:#x}"
    return text + ("" if step.old is None else f", else {_value(step.old)}")


def _value(number: int) -> str:
    return str(number) if number else "x"


def _name(step: Step) -> str:
    """As the assembler or the table of patterns has it."""
    if step.unit is Unit.DPP and step.control < 0x100:
        fields = ",".join(str(step.control >> 2 * lane & 3) for lane in range(4))
        return f"quad_perm:[{fields}]"
    for pattern in FIXED:
        number = step.control - pattern.control
        if pattern.unit is step.unit and number in pattern.numbers:
            return pattern.name.replace(":n", f":{number}").replace(" n", f" {number}")
    if step.unit is Unit.SCALARS:
        return f"v_readlane {step.control} and {step.control + WARP}"
    return f"{step.unit.value} {step.control:#x}"
