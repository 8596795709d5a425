"""Formatted loads of buffers: texels that follow each other, found by an index.

Comes in: a decoded `buffer_load_format` and the chip's generation. Goes out: a closure over a
`State`. Only what textures of linear memory need is modelled: an index, no offsets.
"""

from __future__ import annotations

import re

import numpy as np

from ptxlift.diag import PtxError
from ptxlift.emulator.images.texels import fetch, select
from ptxlift.emulator.images.unit import MemoryOp, descriptors
from ptxlift.emulator.memory import AccessFault, Memory
from ptxlift.emulator.operands import Const, Inst, Reg, Special
from ptxlift.emulator.profile import count_lines
from ptxlift.emulator.state import State
from ptxlift.emulator.windows import fault
from ptxlift.target.image_words import BUFFER_WORDS, FAMILIES, Select, unpack

_NAME = re.compile(r"buffer_load_format_(xyzw|xyz|xy|x)")


def compile_formatted(inst: Inst, generation: int) -> MemoryOp | None:
    """The action of a formatted load, or None if the mnemonic is no such thing."""
    match = _NAME.fullmatch(inst.mnemonic)
    if match is None:
        return None
    channels = len(match[1])
    target, index, resource, offset = (operand.value for operand in inst.operands)
    plain = offset is Special.NULL or (isinstance(offset, Const) and offset.value == 0)
    known = isinstance(target, Reg) and isinstance(index, Reg) and isinstance(resource, Reg)
    if not (plain and known) or "idxen" not in inst.modifiers or "offset" in inst.modifiers:
        raise PtxError.of("PTX406", "the emulator knows formatted loads by an index only")
    assert isinstance(target, Reg) and isinstance(index, Reg) and isinstance(resource, Reg)
    rows, at, words = target.index, index.index, resource.index
    family = FAMILIES[generation]
    texels = {code: texel for texel, code in family.buffer_formats.items()}

    def run(st: State, memory: Memory) -> None:
        for found, mask in descriptors(st, [range(words, words + BUFFER_WORDS)]):
            fields = unpack(family.buffer, found)
            texel = texels.get(fields["format"])
            if texel is None or fields["type"] or fields["swizzle"]:
                message = "the emulator does not know this buffer resource's format or type"
                raise PtxError.of("PTX406", message)
            numbers = st.v[at][mask].astype(np.int64)
            places = (numbers * fields["stride"] + fields["address"]).view(np.uint64)
            everywhere = np.zeros(mask.shape, np.int64)
            everywhere[mask] = places.view(np.int64)
            count_lines(st, everywhere)
            try:
                raw = fetch(memory, texel, places, np.ones(len(places), np.bool_))
            except AccessFault as error:
                raise fault(st, inst, memory, error, mask) from None
            selects = tuple(Select(fields[f"select_{axis}"]) for axis in "xyzw")
            values = select(texel, selects, raw)
            for channel in range(channels):
                st.v[rows + channel][mask] = values[channel]

    return run
