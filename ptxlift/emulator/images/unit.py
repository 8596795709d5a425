"""Image instructions: loads, stores, atomics, samples, gathers and questions about size.

Comes in: a decoded instruction and the chip's generation. Goes out: a closure over a `State`. The
waves of a batch may hold different descriptors; each descriptor is served once for all its waves.
It must not know how descriptors or texels are encoded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlift.diag import PtxError
from ptxlift.emulator.atomics import CHANGES
from ptxlift.emulator.images.descriptors import LAYERED, Image, Sampler, read_image, read_sampler
from ptxlift.emulator.images.sampling import addresses, dimensions, gather, sample
from ptxlift.emulator.images.texels import Words, fetch, put, select
from ptxlift.emulator.memory import AccessFault, Memory
from ptxlift.emulator.operands import File, Inst, Operand, Reg, Regs
from ptxlift.emulator.profile import count_lines
from ptxlift.emulator.state import State
from ptxlift.emulator.windows import fault
from ptxlift.records import dataclass
from ptxlift.target.image_words import IMAGE_WORDS, SAMPLER_WORDS, ImageType, Numbers

MemoryOp: TypeAlias = Callable[[State, Memory], None]
Bools: TypeAlias = NDArray[np.bool_]
Work: TypeAlias = Callable[["Access"], None]

_NAME = re.compile(r"image_(load|store|atomic_\w+|sample|gather4|get_resinfo)((?:_[a-z0-9]+)*)")
_LEVELS = frozenset({"l", "lz", "d", "o", "g16"})
"""Suffixes that are modelled: a level, level 0, gradients, texel offsets, gradients of f16."""

_ATOMICS = {
    "add_uint": "add",
    "sub_uint": "sub",
    "min_int": "smin",
    "min_uint": "umin",
    "max_int": "smax",
    "max_uint": "umax",
    "inc_uint": "inc",
    "dec_uint": "dec",
}
"""gfx12's names of what was named as other atomics are before."""

_TYPES = {
    "SQ_RSRC_IMG_1D": (ImageType.D1,),
    "SQ_RSRC_IMG_2D": (ImageType.D2,),
    "SQ_RSRC_IMG_3D": (ImageType.D3,),
    "SQ_RSRC_IMG_CUBE": (ImageType.CUBE,),
    "SQ_RSRC_IMG_1D_ARRAY": (ImageType.D1_ARRAY,),
    "SQ_RSRC_IMG_2D_ARRAY": (ImageType.D2_ARRAY, ImageType.CUBE),
}
"""The images that an instruction's `dim` fits."""

_NOT_MODELLED = ("tfe", "lwe", "r128")


@dataclass(slots=True)
class Access:
    """The lanes of the waves that hold the same descriptors."""

    st: State
    memory: Memory
    image: Image
    sampler: Sampler | None
    mask: Bools  # (waves, lanes)

    def get(self, row: int) -> NDArray[np.uint32]:
        """A vector register of the lanes."""
        found: NDArray[np.uint32] = self.st.v[row][self.mask]
        return found

    def put(self, first: int, values: Words, halves: bool = False) -> None:
        """Write vector registers from `first` on; with `halves` f32 go in as pairs of f16."""
        if halves:
            self._put_halves(first, values)
            return
        for row, value in enumerate(values, first):
            self.st.v[row][self.mask] = value

    def _put_halves(self, first: int, values: Words) -> None:
        integer = self.image.texel.numbers in (Numbers.UINT, Numbers.SINT)
        narrow = values if integer else values.view(np.float32).astype(np.float16).view(np.uint16)
        for at, value in enumerate(narrow.astype(np.uint32)):
            row = self.st.v[first + at // 2]
            below = row[self.mask] & np.uint32(0xFFFF) if at % 2 else np.uint32(0)
            row[self.mask] = below | (value & np.uint32(0xFFFF)) << np.uint32(16 * (at % 2))

    def integer(self, rows: list[int], number: int, halves: bool) -> NDArray[np.int64]:
        """A component of the address, unsigned; with `halves` two lie in a register."""
        if not halves:
            return self.get(rows[number]).astype(np.int64)
        word = self.get(rows[number // 2]).astype(np.int64)
        found: NDArray[np.int64] = word >> 16 * (number % 2) & 0xFFFF
        return found

    def real(self, rows: list[int], number: int, halves: bool) -> NDArray[np.float32]:
        """A component of the address, a float."""
        bits = self.integer(rows, number, halves)
        if halves:
            return bits.astype(np.uint16).view(np.float16).astype(np.float32)
        return bits.astype(np.uint32).view(np.float32)

    def count(self, places: NDArray[np.uint64], inside: Bools) -> None:
        """Count the cache lines that are touched."""
        everywhere = np.zeros(self.mask.shape, np.int64)
        everywhere[self.mask] = np.where(inside, places, 0).astype(np.int64)
        count_lines(self.st, everywhere)


def compile_image(inst: Inst, generation: int) -> MemoryOp | None:
    """The action of an image instruction, or None if the mnemonic is no such thing."""
    match = _NAME.fullmatch(inst.mnemonic)
    if match is None:
        return None
    for flag in _NOT_MODELLED:
        if flag in inst.modifiers:
            raise PtxError.of("PTX406", f"the emulator's image unit does not model {flag}")
    action = match[1]
    suffixes = [part for part in match[2].split("_") if part]
    if action in ("sample", "gather4"):
        return _serve(inst, generation, _sample(inst, action, suffixes), with_sampler=True)
    if action.startswith("atomic_"):
        return _serve(inst, generation, _atomic(inst, action.removeprefix("atomic_")))
    if suffixes not in ([], ["mip"]):
        return None
    work = {"load": _load, "store": _store, "get_resinfo": _answer}[action]
    return _serve(inst, generation, work(inst))


def _serve(inst: Inst, generation: int, work: Work, with_sampler: bool = False) -> MemoryOp:
    """Do the work for each descriptor that waves hold."""
    resource = _scalar(inst.operands[2], IMAGE_WORDS)
    rows = [range(resource, resource + IMAGE_WORDS)]
    if with_sampler:
        sampler = _scalar(inst.operands[3], SAMPLER_WORDS)
        rows.append(range(sampler, sampler + SAMPLER_WORDS))
    fits = _TYPES.get(str(inst.modifiers["dim"])) if "dim" in inst.modifiers else None
    if fits is None and generation > 9:
        raise PtxError.of("PTX406", f"{inst.modifiers.get('dim')} is not modelled")

    def run(st: State, memory: Memory) -> None:
        for words, mask in descriptors(st, rows):
            image = read_image(words[:IMAGE_WORDS], generation)
            if fits is not None and image.shape not in fits:
                raise PtxError.of(
                    "PTX402",
                    f"kernel {st.kernel}: {inst.text!r} has a resource of type {image.shape.name}",
                )
            how = read_sampler(words[IMAGE_WORDS:], generation) if with_sampler else None
            try:
                work(Access(st, memory, image, how, mask))
            except AccessFault as error:
                raise fault(st, inst, memory, error, mask) from None

    return run


def descriptors(st: State, rows: list[range]) -> Iterator[tuple[tuple[int, ...], Bools]]:
    """What the executing waves hold in scalar rows, each once, and the lanes that hold it."""
    columns = [row for part in rows for row in part]
    groups: dict[tuple[int, ...], list[int]] = {}
    for wave in np.flatnonzero(st.mask.any(axis=1)).tolist():
        groups.setdefault(tuple(st.scalars[wave, columns].tolist()), []).append(wave)
    for words, waves in groups.items():
        mask = np.zeros(st.mask.shape, np.bool_)
        mask[waves] = st.mask[waves]
        yield words, mask


def _scalar(operand: Operand, count: int) -> int:
    value = operand.value
    if not isinstance(value, Reg) or value.file is not File.S or value.count != count:
        raise PtxError.of("PTX406", f"descriptor {value} is not understood")
    return value.index


def _vectors(operand: Operand) -> list[int]:
    """Register numbers of a range, or of a list in brackets."""
    value = operand.value
    regs = value.regs if isinstance(value, Regs) else (value,)
    found: list[int] = []
    for reg in regs:
        if not isinstance(reg, Reg) or reg.file is not File.V:
            raise PtxError.of("PTX406", f"image operand {reg} is not understood")
        found += range(reg.index, reg.index + reg.count)
    return found


def _mask_of(inst: Inst) -> list[int]:
    """The channels of dmask, whose registers follow each other."""
    dmask = int(str(inst.modifiers.get("dmask", 0)), 0)
    return [channel for channel in range(4) if dmask >> channel & 1]


def _data(inst: Inst) -> int:
    """The first data register."""
    return _vectors(inst.operands[0])[0]


# --- access by texel numbers


def _locate(access: Access, rows: list[int], halves: bool) -> tuple[NDArray[np.uint64], Bools]:
    """Addresses of texels by unsigned coordinates, and which of them exist."""
    image = access.image
    filtered = dimensions(image.shape)
    indices = [access.integer(rows, axis, halves) for axis in range(filtered)]
    inside = np.ones(len(indices[0]), np.bool_)
    for index, size in zip(indices, image.size, strict=False):
        inside &= index < size
    layer = np.zeros(len(inside), np.int64)
    if image.shape in LAYERED:
        layer = access.integer(rows, filtered, halves)
        inside &= layer < image.layers
    places = addresses(image, indices, layer)
    access.count(places, inside)
    return places, inside


def _load(inst: Inst) -> Work:
    """A texel by its number; what is outside of the image reads as zeros."""
    rows = _vectors(inst.operands[1])
    channels = _mask_of(inst)
    target = _data(inst)
    halves, narrow = "a16" in inst.modifiers, "d16" in inst.modifiers

    def work(access: Access) -> None:
        image = access.image
        places, inside = _locate(access, rows, halves)
        raw = fetch(access.memory, image.texel, places, inside)
        found = select(image.texel, image.selects, raw)
        found[:, ~inside] = 0
        access.put(target, found[channels], narrow)

    return work


def _store(inst: Inst) -> Work:
    """A store outside of the image does nothing. A channel that dmask lacks is not written on some
    chips and zero on others: all that the format has must be there.
    """
    rows = _vectors(inst.operands[1])
    channels = _mask_of(inst)
    source = _data(inst)
    halves = "a16" in inst.modifiers
    if "d16" in inst.modifiers:
        raise PtxError.of("PTX406", "the emulator's image unit does not model stores of d16")

    def work(access: Access) -> None:
        texel = access.image.texel
        if channels[: texel.channels] != list(range(texel.channels)):
            raise PtxError.of("PTX406", "an image store of some of a texel's channels")
        places, inside = _locate(access, rows, halves)
        sources = range(source, source + texel.channels)
        values = np.stack([access.get(row) for row in sources])[:, inside]
        if values.size:
            put(access.memory, texel, places[inside], values)

    return work


def _atomic(inst: Inst, name: str) -> Work:
    """The data registers are also the destination, if the old value is wanted."""
    change = CHANGES.get(_ATOMICS.get(name, name))
    if change is None:
        raise PtxError.of("PTX406", f"the emulator does not know {inst.mnemonic!r}")
    rows = _vectors(inst.operands[1])
    words = len(_mask_of(inst))
    count = 2 if name == "cmpswap" else 1
    size = 4 * words // count
    first = _data(inst)
    data = range(first, first + words)
    halves = "a16" in inst.modifiers
    flags = {"glc", "sc0"} & inst.modifiers.keys()
    returns = bool(flags) or "TH_ATOMIC_RETURN" in str(inst.modifiers.get("th", ""))

    def work(access: Access) -> None:
        if access.image.texel.size != size:
            raise PtxError.of("PTX406", f"an image atomic of {size} bytes on other texels")
        places, inside = _locate(access, rows, halves)
        values = [_wide([access.get(row)[inside] for row in part]) for part in _parts(data, count)]
        old = np.zeros(len(inside), np.uint32 if size == 4 else np.uint64)
        if inside.any():
            old[inside] = access.memory.update(places[inside], size, change, *values)
        if returns:
            access.put(first, old.view(np.uint32).reshape(-1, size // 4).T)

    return work


def _parts(rows: range, count: int) -> list[range]:
    each = len(rows) // count
    return [rows[start : start + each] for start in range(0, len(rows), each)]


def _wide(words: list[NDArray[np.uint32]]) -> NDArray[Any]:
    """One word, or two as 64 bits."""
    if len(words) == 1:
        return words[0]
    return np.ascontiguousarray(np.stack(words, axis=-1)).view(np.uint64)[:, 0]


def _answer(inst: Inst) -> Work:
    """Width, height, depth or layers, and levels, of level 0."""
    channels = _mask_of(inst)
    target = _data(inst)

    def work(access: Access) -> None:
        image = access.image
        width, height, depth = image.size
        layered = image.shape in LAYERED
        found = np.array([width, height, image.layers if layered else depth, 1], np.uint32)
        lanes = int(np.count_nonzero(access.mask))
        access.put(target, np.repeat(found[channels][:, None], lanes, axis=1))

    return work


# --- access by sampling


def _sample(inst: Inst, action: str, suffixes: list[str]) -> Work:
    """The address is: offsets, gradients, coordinates, layer, level; there is one level only."""
    for suffix in suffixes:
        if suffix not in _LEVELS:
            raise PtxError.of("PTX406", f"the emulator's image unit does not model _{suffix}")
    rows = _vectors(inst.operands[1])
    channels = _mask_of(inst)
    gathers = action == "gather4"
    target = _data(inst)
    halves, narrow = "a16" in inst.modifiers, "d16" in inst.modifiers
    packs = "g16" in suffixes or (halves and "dim" not in inst.modifiers)  # gfx9: a16 is both

    def work(access: Access) -> None:
        assert access.sampler is not None, "sample instructions name one"
        filtered = dimensions(access.image.shape)
        offsets: tuple[NDArray[np.int64], ...] = ()
        rest = rows
        if "o" in suffixes:
            offsets, rest = _offsets(access.get(rows[0])), rows[1:]
        if "d" in suffixes:  # of no use where there is one level
            rest = rest[2 * ((filtered + 1) // 2 if packs else filtered) :]
        count = filtered + (access.image.shape in LAYERED)
        values = [access.real(rest, at, halves) for at in range(count)]
        if "unorm" in inst.modifiers and access.sampler.normalized:
            raise PtxError.of("PTX406", "the unorm flag with a sampler of normalised coordinates")
        arguments = (access.memory, access.image, access.sampler, values, offsets)
        if gathers:
            access.put(target, gather(*arguments, channels[0]), narrow)
        else:
            access.put(target, sample(*arguments)[channels], narrow)

    return work


def _offsets(words: NDArray[np.uint32]) -> tuple[NDArray[np.int64], ...]:
    """Signed texel offsets of 6 bits, 8 bits apart."""
    signed = words.astype(np.int64)
    return tuple((signed >> shift & 63 ^ 32) - 32 for shift in (0, 8, 16))
