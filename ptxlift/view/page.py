"""The page: one HTML file with everything in it.

Comes in: a translation with debug lines, and what a launch of it counted, if there was one. Goes
out: HTML. It must not know what an instruction does.
"""

from __future__ import annotations

import html
import json
from importlib import resources
from typing import TypeAlias

from ptxlift import __version__
from ptxlift.diag import Diagnostic
from ptxlift.driver.kernels import Kernel
from ptxlift.driver.translation import Translation
from ptxlift.emulator import InstClass, listed_costs
from ptxlift.view.lines import Line, Listings, listings_of

# A line as the page's script reads it: text, its PTX line, then for assembly: class, cost of one
# execution, executions (absent where nothing ran).
Row: TypeAlias = tuple[str | float, ...]
Costs: TypeAlias = list[tuple[InstClass, float]]


def render(made: Translation, executed: tuple[int, ...] = (), ran: str = "") -> str:
    """The page of a translation.

    executed: how many waves ran each instruction (`RunResult.executed`). ran: the launch in words.
    Raises what code generation raises.
    """
    listings = listings_of(made)
    remarks = [_remark(d) for d in (*made.diagnostics, *made.remarks)]
    data = {
        "ptx": [[line.text, line.line] for line in listings.ptx],
        "ir": [[line.text, line.line] for line in listings.ir],
        "assembly": _assembly(made, listings, executed),
        "remarks": remarks,
        "kernels": [_kernel(kernel) for kernel in made.kernels.values()],
        "ran": ran if executed else "",
    }
    title = f"{made.source.name} for {made.target}"
    return _fill(
        {
            "TITLE": html.escape(title),
            "NAME": html.escape(made.source.name),
            "TARGET": html.escape(made.target),
            "VERSION": html.escape(__version__),
            "STYLE": _asset("page.css"),
            "SCRIPT": _asset("page.js"),
            "DATA": json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
        }
    )


def _assembly(made: Translation, listings: Listings, executed: tuple[int, ...]) -> list[Row]:
    chip = made.target.split(":")[0]
    costs = listed_costs(made.listing, chip)
    return [_row(line, costs, executed) for line in listings.assembly]


def _row(line: Line, costs: Costs, executed: tuple[int, ...]) -> Row:
    if line.number < 0:
        return (line.text, line.line)
    kind, cost = costs[line.number]
    row: Row = (line.text, line.line, kind.value, cost)
    return (*row, executed[line.number]) if executed else row


def _remark(found: Diagnostic) -> dict[str, str | int]:
    line = found.span.line if found.span is not None else 0
    message = f"{found.message}; {found.hint}" if found.hint else found.message
    return {"severity": found.severity.value, "code": found.code, "text": message, "line": line}


def _kernel(kernel: Kernel) -> dict[str, str | int]:
    return {
        "name": kernel.name,
        "vector registers": kernel.vgprs,
        "scalar registers": kernel.sgprs,
        "accumulation registers": kernel.agprs,
        "spills": kernel.spills,
        "shared bytes": kernel.shared_bytes,
        "scratch bytes": kernel.private_bytes,
        "code bytes": kernel.code_bytes,
        "wave": kernel.wave_size,
        "warps": kernel.warp_mapping,
    }


def _asset(name: str) -> str:
    return resources.files(__package__).joinpath("assets", name).read_text("utf-8")


def _fill(values: dict[str, str]) -> str:
    """The template with its marks replaced, in one pass: values may contain marks."""
    parts = _asset("page.html").split("%%")
    return "".join(values[part] if index % 2 else part for index, part in enumerate(parts))
