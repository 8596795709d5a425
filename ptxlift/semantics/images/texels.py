"""Texels in memory: where they lie, and their channels as a fetch gives them.

A channel is 32 bits: a float, an unsigned or a sign-extended integer, or the f32 that a normalised
integer stands for. Channels that the format lacks are made at the end: 0, 0 and 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from ptxlift.ir.attributes import Format, Rounding
from ptxlift.semantics.images.arithmetic import Arithmetic
from ptxlift.semantics.images.objects import ImageObject, Level

V = TypeVar("V")
CHANNELS = 4
_WORD = 2  # log2 of the bytes of a 32-bit channel


class Texels(Generic[V]):
    """Reads texels of one image."""

    def __init__(self, image: ImageObject[V], channels: Sequence[int] = range(CHANNELS)) -> None:
        self.image = image
        self.math = image.math
        self.wanted = channels

    def row(self, level: Level[V], y: V, z: V, plane: V | None = None) -> V:
        """The address of a row; `plane`: the layer or sample that z counts from."""
        math = self.math
        address = math.a.add(level.base, math.wide_product(y, level.pitch))
        if plane is not None:
            z = math.a.add(plane, z)
        return math.a.add(address, math.wide_product(z, level.slice))

    def place(self, row: V, x: V) -> V:
        """The address of a texel in a row."""
        return self.math.a.add(row, self.math.wide_product(x, self.image.texel_bytes))

    def read(self, places: Sequence[V]) -> list[list[V]]:
        """The wanted channels of each texel."""
        count = len(self.wanted)
        is_word = self.math.equal(self.image.channel_size, _WORD)
        found = self.image.machine.either(
            is_word, lambda: self._words(places), lambda: self._decoded(places)
        )
        return [list(found[i : i + count]) for i in range(0, len(found), count)]

    def _channel_places(self, place: V) -> list[V]:
        """The addresses of the wanted channels; of one that is not there, that of the last."""
        math, image = self.math, self.image
        last = math.a.sub(image.channels, math.number(1))
        found = []
        for channel in self.wanted:
            number = math.a.umin(math.number(channel), last)
            offset = math.a.shl(number, image.channel_size)
            found.append(math.a.add(place, math.a.zext(offset, 64)))
        return found

    def _words(self, places: Sequence[V]) -> list[V]:
        """Channels of 32 bits come as they are, or are normalised integers, which are not made."""
        load = self.image.machine.load
        return [load(at, 32)[0] for place in places for at in self._channel_places(place)]

    def _decoded(self, places: Sequence[V]) -> list[V]:
        decoder = _Decoder(self.image)
        return [decoder.channel(at) for place in places for at in self._channel_places(place)]

    def completed(self, values: Sequence[V]) -> list[V]:
        """The wanted channels with what stands for those that the format lacks."""
        math, image = self.math, self.image
        reads_float = math.a.or_(image.is_float, image.is_normalized)
        one = math.a.select(reads_float, math.real(1.0), math.number(1))
        found = []
        for channel, value in zip(self.wanted, values, strict=True):
            absent = one if channel == CHANNELS - 1 else math.number(0)
            is_there = math.above(image.channels, channel)
            found.append(math.a.select(is_there, value, absent) if channel else value)
        return found


class _Decoder(Generic[V]):
    """Channels of 8 and 16 bits."""

    def __init__(self, image: ImageObject[V]) -> None:
        self.image = image
        self.math = math = image.math
        is_byte = math.equal(image.channel_size, 0)
        self.unused = math.a.select(is_byte, math.number(24), math.number(16))
        signed = image.is_signed
        self.most = _chosen_real(math, signed, is_byte, (127.0, 32767.0, 255.0, 65535.0))
        self.part = _chosen_real(math, signed, is_byte, (1 / 127, 1 / 32767, 1 / 255, 1 / 65535))

    def channel(self, place: V) -> V:
        """The channel at an address, from the aligned dword around it."""
        math, image = self.math, self.image
        low = math.a.and_(math.a.trunc(place, 32), math.number(3))
        aligned = math.a.sub(place, math.a.zext(low, 64))
        word = image.machine.load(aligned, 32)[0]
        shift = math.a.shl(low, math.number(3))
        top = math.a.shl(math.a.lshr(word, shift), self.unused)
        plain = math.a.lshr(top, self.unused)
        signed = math.a.ashr(top, self.unused)
        integer = math.a.select(image.is_signed, signed, plain)
        half = math.a.fconvert(math.a.trunc(plain, 16), Format.F16, Format.F32, Rounding.RN, False)
        number = math.a.select(image.is_float, half, integer)
        return math.a.select(image.is_normalized, self._normalized(integer), number)

    def _normalized(self, integer: V) -> V:
        """integer / most, rounded once: the quotient by the reciprocal is off by less than an ulp,
        and the remainder, which is exact, corrects it. The lowest signed number counts as -1.
        """
        math = self.math
        value = math.to_float(integer, signed=True)
        value = math.fmax(value, math.fneg(self.most))
        quotient = math.fmul(value, self.part)
        rest = math.ffma(math.fneg(quotient), self.most, value)
        return math.ffma(rest, self.part, quotient)


def _chosen_real(
    math: Arithmetic[V], signed: V, is_byte: V, values: tuple[float, float, float, float]
) -> V:
    """Of signed bytes, signed halves, unsigned bytes, unsigned halves."""
    byte, half, unsigned_byte, unsigned_half = map(math.real, values)
    of_signed = math.a.select(is_byte, byte, half)
    return math.a.select(signed, of_signed, math.a.select(is_byte, unsigned_byte, unsigned_half))


def is_filtered(image: ImageObject[V]) -> V:
    """Whether texels are numbers between which a filter makes sense."""
    return image.math.a.or_(image.is_float, image.is_normalized)
