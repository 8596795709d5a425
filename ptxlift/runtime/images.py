"""What a caller says of textures and surfaces: arrays, their geometry, how they are sampled.

An array's axes are, slowest first: layer, cube, face or sample; depth; height; width; and then the
channels of a texel, 1 (which may be left out), 2 or 4. The dtype is the channels' type.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import isfinite

import numpy as np

from ptxlift.diag import PtxError
from ptxlift.runtime.buffers import Array
from ptxlift.target.image_object import AddressMode, ChannelKind

FACES = 6
_ADDRESS_MODES = {
    "wrap": AddressMode.WRAP,
    "mirror": AddressMode.MIRROR,
    "clamp": AddressMode.CLAMP,
    "border": AddressMode.BORDER,
}
_FILTERS = ("point", "linear")
_KINDS = {"u": ChannelKind.UNSIGNED, "i": ChannelKind.SIGNED, "f": ChannelKind.FLOAT}
_AXES = {  # the planes' axes, and those of one plane
    "1d": ((), 1),
    "2d": ((), 2),
    "3d": (("depth",), 2),
    "a1d": (("layer",), 1),
    "a2d": (("layer",), 2),
    "cube": (("face",), 2),
    "acube": (("cube", "face"), 2),
    "2dms": (("sample",), 2),
    "a2dms": (("layer", "sample"), 2),
}
_CHANNELS = (1, 2, 4)
_MOST_AXES = 3
_LARGEST_FLOAT = float(np.finfo(np.float32).max)


def _refused(message: str, hint: str = "") -> PtxError:
    return PtxError.of("PTX401", message, hint=hint)


def _check_numbers(what: str, given: object, count: int) -> None:
    """Refuses all but `count` numbers that f32 can hold."""
    values = tuple(given) if isinstance(given, Iterable) else ()
    for value in values:
        is_real = isinstance(value, int | float | np.integer | np.floating)
        if not is_real or (isfinite(value) and abs(value) > _LARGEST_FLOAT):
            raise _refused(f"{what} has {value!r:.40}, which is no float32")
    if len(values) != count:
        raise _refused(f"{what} is {count} numbers, not {given!r:.40}")


def _check_flag(what: str, given: object) -> None:
    if not isinstance(given, bool | np.bool_):
        raise _refused(f"{what} is {given!r:.40}", "True or False")


@dataclass(frozen=True, kw_only=True, eq=False)
class Sampler:
    """How a texture is read: a `.samplerref` of independent mode, and a part of `Texture`.

    address_mode: "clamp", "border", "wrap" or "mirror", one for all axes or one an axis; the last
    two need normalised coordinates. filter_mode, mipmap_filter: "point" or "linear". normalized:
    coordinates of [0, 1) instead of texels. border: the four channels outside.
    """

    address_mode: str | Sequence[str] = "clamp"
    filter_mode: str = "point"
    normalized: bool = False
    border: Sequence[float] = (0, 0, 0, 0)
    mipmap_filter: str = "point"
    lod_bias: float = 0.0
    lod_range: tuple[float, float] = (0.0, 255.0)

    def __post_init__(self) -> None:
        for mode in self.address_modes:
            assert isinstance(mode, AddressMode)
        for chosen in (self.filter_mode, self.mipmap_filter):
            if chosen not in _FILTERS:
                raise _refused(f"filter {chosen!r}", f"one of {', '.join(_FILTERS)}")
        _check_flag("normalized", self.normalized)
        _check_numbers("a border of four channels", self.border, 4)
        _check_numbers("a level-of-detail bias", (self.lod_bias,), 1)
        _check_numbers("a level-of-detail range", self.lod_range, 2)

    @property
    def address_modes(self) -> tuple[AddressMode, AddressMode, AddressMode]:
        """Of x, y and z."""
        given = self.address_mode
        known = isinstance(given, str) or (isinstance(given, Sequence) and len(given) <= _MOST_AXES)
        if not known:
            raise _refused(f"address mode {given!r:.40}", "a word, or one for each axis")
        words = (given,) * 3 if isinstance(given, str) else (*given, *("clamp",) * 3)[:3]
        for word in words:
            if not isinstance(word, str) or word not in _ADDRESS_MODES:
                raise _refused(f"address mode {word!r}", f"one of {', '.join(_ADDRESS_MODES)}")
        x, y, z = (_ADDRESS_MODES[word] for word in words)
        return x, y, z


@dataclass(frozen=True, slots=True)
class LevelShape:
    """One level: `planes` are all layers, slices, faces or samples; sizes in texels."""

    planes: int
    height: int
    width: int


@dataclass(frozen=True, eq=False)
class Image:
    """An array that is a texture or a surface. geometry: PTX's word, such as "2d" or "acube"."""

    array: Array
    geometry: str = "2d"

    def __post_init__(self) -> None:
        if not isinstance(self.geometry, str) or self.geometry not in _AXES:
            raise _refused(f"geometry {self.geometry!r}", f"one of {', '.join(_AXES)}")
        for array in self.arrays:
            self._check(array)

    @property
    def arrays(self) -> tuple[Array, ...]:
        """The levels, level 0 first."""
        return (self.array,)

    def _check(self, array: object) -> None:
        if not isinstance(array, np.ndarray):
            raise _refused(f"an image is made of a numpy array, not of {array!r:.40}")
        if array.dtype.kind not in _KINDS or array.dtype.itemsize not in (1, 2, 4):
            hint = "8, 16 or 32 bits: integers, or float16 and float32"
            raise _refused(f"an image cannot have channels of {array.dtype}", hint)
        planes, inner = _AXES[self.geometry]
        axes = len(planes) + inner
        channels = array.shape[-1] if array.ndim == axes + 1 else 1
        if array.ndim not in (axes, axes + 1) or channels not in _CHANNELS:
            hint = f"axes of a {self.geometry} image: {', '.join(self._axis_names())}"
            raise _refused(f"the shape {array.shape} is not that of a {self.geometry} image", hint)
        if 0 in array.shape:
            raise _refused("an image has no texels")
        if "face" in planes and array.shape[len(planes) - 1] != FACES:
            raise _refused(f"a cube has six faces, not {array.shape[len(planes) - 1]}")

    def _axis_names(self) -> tuple[str, ...]:
        planes, inner = _AXES[self.geometry]
        return (*planes, *("height", "width")[2 - inner :], "1, 2 or 4 channels")

    def shape_of(self, level: int) -> LevelShape:
        """The sizes of a level."""
        planes, inner = _AXES[self.geometry]
        shape = self.arrays[level].shape
        count = int(np.prod(shape[: len(planes)], dtype=np.int64))
        height = shape[len(planes)] if inner > 1 else 1
        return LevelShape(count, height, shape[len(planes) + inner - 1])

    @property
    def channels(self) -> int:
        """Of a texel: 1, 2 or 4."""
        return self._channels_of(self.array)

    def _channels_of(self, array: Array) -> int:
        planes, inner = _AXES[self.geometry]
        return int(array.shape[-1]) if array.ndim > len(planes) + inner else 1

    @property
    def kind(self) -> ChannelKind:
        """What the channels are."""
        return _KINDS[self.array.dtype.kind]

    @property
    def depth(self) -> int:
        """Slices; 1 but in three dimensions."""
        return self._along("depth")

    @property
    def layers(self) -> int:
        """Of arrays; of cube arrays the cubes."""
        return self._along("layer") * self._along("cube")

    @property
    def samples(self) -> int:
        """Of a texel of a multisample image; else 1."""
        return self._along("sample")

    def _along(self, axis: str) -> int:
        planes = _AXES[self.geometry][0]
        return int(self.array.shape[planes.index(axis)]) if axis in planes else 1


@dataclass(frozen=True, eq=False)
class Surface(Image):
    """An array that kernels read and write by `suld`, `sust` and `sured`; changed in place."""

    def __post_init__(self) -> None:
        Image.__post_init__(self)
        if not self.array.flags.writeable:
            raise _refused("a surface is written to, and this array is read-only")


@dataclass(frozen=True, eq=False)
class Texture(Image, Sampler):
    """An array that kernels sample by `tex` and `tld4`, and how; see `Sampler`.

    normalized_float: 8- and 16-bit integers are read as floats of [0, 1] or [-1, 1]. levels: the
    smaller levels of a mipmap, each half of the one before.
    """

    normalized_float: bool = field(default=False, kw_only=True)
    levels: Sequence[Array] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.levels, Sequence):
            raise _refused(f"levels are a list of arrays, not {self.levels!r:.40}")
        Image.__post_init__(self)
        Sampler.__post_init__(self)
        _check_flag("normalized_float", self.normalized_float)
        number = self.kind is ChannelKind.FLOAT or self.normalized_float
        if self.filter_mode == "linear" and not number:
            hint = "read them as normalised floats, or choose the point filter"
            raise _refused("integers cannot be filtered", hint)
        if self.normalized_float and (
            self.kind is ChannelKind.FLOAT or self.array.dtype.itemsize > 2
        ):
            raise _refused(f"channels of {self.array.dtype} cannot be read as normalised floats")
        if not number and not all(float(value).is_integer() for value in self.border):
            raise _refused(f"a border of integer channels is {tuple(self.border)}")
        self._check_levels()

    @property
    def arrays(self) -> tuple[Array, ...]:
        """All levels, level 0 first."""
        return (self.array, *self.levels)

    def _check_levels(self) -> None:
        deep = self.geometry == "3d"
        for number, array in enumerate(self.arrays):
            first, found = self.shape_of(0), self.shape_of(number)
            planes = max(1, first.planes >> number) if deep else first.planes
            wanted = LevelShape(
                planes, max(1, first.height >> number), max(1, first.width >> number)
            )
            same = array.dtype == self.array.dtype and array.ndim == self.array.ndim
            same &= self._channels_of(array) == self.channels
            largest = max(first.height, first.width, first.planes if deep else 1)
            if not same or found != wanted or not largest >> number:
                raise _refused(
                    f"level {number} has the shape {array.shape} of {array.dtype}",
                    "each is half of the one before, rounded down, to one texel, of the same type",
                )
