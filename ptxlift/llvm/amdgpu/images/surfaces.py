"""Lowerings of `surface_load`, `surface_store` and `surface_reduce`.

Unformatted accesses move the bits of whole texels: the resource's format is changed to unsigned
integers of the same size, and x, which counts bytes, is divided by it. An access of another size
than the texel's traps, since tiled images have no bytes side by side. Formatted stores keep the
format; integers are cut to its range before, and halves rounded. Image stores and atomics outside
of the image do nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from ptxlift.ir.attributes import AtomicOp, Number
from ptxlift.ir.core import Op, Value
from ptxlift.ir.images import Border, Geometry
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.images.textures import load_texel
from ptxlift.llvm.amdgpu.images.words import RESOURCE, ObjectWords, dimension
from ptxlift.llvm.amdgpu.registry import lowers
from ptxlift.llvm.floats import FLOAT
from ptxlift.semantics.images.surfaces import SurfaceForm
from ptxlift.target.image_words import Numbers, Select, Texel

_UMIN = "i32 @llvm.umin.i32(i32, i32)"
_SMIN = "i32 @llvm.smin.i32(i32, i32)"
_SMAX = "i32 @llvm.smax.i32(i32, i32)"
_WHOLE = {
    1: Texel(8, 1, Numbers.UINT),
    2: Texel(16, 1, Numbers.UINT),
    4: Texel(32, 1, Numbers.UINT),
    8: Texel(32, 2, Numbers.UINT),
    16: Texel(32, 4, Numbers.UINT),
}
"""Texels that move so many bytes unchanged."""

# ROCm's numbers of channel types 0-15 and orders 0-15, as digits of constants.
_LOG2_BYTES = (0, 1, 0, 1, 2, 1, 1, 2, 0, 1, 2, 0, 1, 2, 1, 2)
_LOG2_CHANNELS = (0, 0, 1, 1, 2, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2)
_FIRST_SIGNED, _FIRST_UNSIGNED, _HALF = 8, 11, 14
_HAS_SIGN = frozenset({0, 1, 8, 9, 10})

_REDUCTIONS = {
    AtomicOp.ADD: ("add", "add"),
    AtomicOp.AND: ("and", "and"),
    AtomicOp.OR: ("or", "or"),
    AtomicOp.XOR: ("xor", "xor"),
    AtomicOp.MIN: ("umin", "smin"),
    AtomicOp.MAX: ("umax", "smax"),
}
"""The unsigned and the signed operation."""


class Access:
    """Where an access goes. `bytes` is its size, 0 if it is formatted."""

    def __init__(self, e: Emitter, op: Op, form: SurfaceForm) -> None:
        self.e, self.op, self.form = e, op, form
        self.dimension = dimension(e, op, form.geometry)
        self.surface = ObjectWords(e, op.operands[0])
        self.bytes = form.width // 8 * form.count
        if self.bytes not in _WHOLE:
            raise e.error(op, "PTX302", f"a surface access of {self.bytes} bytes is not translated")
        layers, coordinates = form.shape()
        first = 1 + layers
        self.layer = op.operands[1:first]
        self.coordinates = op.operands[first : first + coordinates]
        self.values: Sequence[Value] = op.operands[first + coordinates :]
        self.inside = "true"
        self.indices = self._indices()

    def _indices(self) -> list[str]:
        """Texel numbers as the border mode wants them, and the layer kept to those there are."""
        e, geometry = self.e, self.form.geometry
        found = []
        for number, value in enumerate(self.coordinates):
            size, index = self.surface.sizes(geometry)[number], e.bits(value)
            if number == 0 and not self.form.formatted:
                index = e.let(f"ashr i32 {index}, {self.bytes.bit_length() - 1}")
            is_there = e.let(f"icmp ult i32 {index}, {size}")
            self.inside = e.let(f"and i1 {self.inside}, {is_there}")
            if self.form.border is Border.CLAMP:
                last = e.let(f"sub i32 {size}, 1")
                index = e.let(e.call(_SMAX, e.let(e.call(_SMIN, index, last)), "0"))
            found.append(index)
        if geometry.has_layer:
            last = e.let(f"sub i32 {self.surface.layers(geometry)}, 1")
            found.append(e.let(e.call(_UMIN, e.bits(self.layer[0]), last)))
        return found

    # ---- what must not be ----

    def check(self, *problems: str) -> None:
        """Traps where one of the conditions holds, or outside if the border wants that."""
        e = self.e
        wrong = "false"
        for problem in problems:
            wrong = e.let(f"or i1 {wrong}, {problem}")
        if self.form.border is Border.TRAP:
            outside = e.let(f"xor i1 {self.inside}, true")
            wrong = e.let(f"or i1 {wrong}, {outside}")
        e.trap_if(wrong)

    def has_other_size(self) -> str:
        """Whether the texel is not what is accessed."""
        log2 = self.e.let(f"add i32 {self.log2_channel_bytes()}, {self.log2_channels()}")
        return self.e.let(f"icmp ne i32 {log2}, {self.bytes.bit_length() - 1}")

    def log2_channel_bytes(self) -> str:
        return self._digit(_LOG2_BYTES, self.surface.channel_type)

    def log2_channels(self) -> str:
        return self._digit(_LOG2_CHANNELS, self.surface.channel_order)

    def _digit(self, digits: Sequence[int], index: str) -> str:
        """A table of 2-bit entries in a constant."""
        constant = sum(digit << 2 * at for at, digit in enumerate(digits))
        doubled = self.e.let(f"and i32 {self.e.let(f'shl i32 {index}, 1')}, 31")
        return self.e.let(f"and i32 {self.e.let(f'lshr i32 {constant}, {doubled}')}, 3")

    # ---- resources ----

    def whole_resource(self) -> str:
        """The resource with a format that moves bits unchanged, and channels in their order."""
        family = self.surface.family
        ((word, low, width),) = family.image["format"]
        number = family.formats[_WHOLE[self.bytes]]
        resource = self._replaced(self.surface.resource, word, low, width, number)
        selects = 0
        for channel in "xyzw":
            ((select_word, select_low, select_width),) = family.image[f"select_{channel}"]
            selects |= Select[channel.upper()] << select_low
        return self._replaced(resource, select_word, 0, select_low + select_width, selects)

    def _replaced(self, words: str, word: int, low: int, width: int, value: int) -> str:
        e = self.e
        keep = ~(((1 << width) - 1) << low) & 0xFFFFFFFF
        old = e.let(f"extractelement {RESOURCE} {words}, i32 {word}")
        bits = e.let(f"or i32 {e.let(f'and i32 {old}, {keep}')}, {value << low}")
        return e.let(f"insertelement {RESOURCE} {words}, i32 {bits}, i32 {word}")


# ---- unformatted values


@lowers("surface_load")
def _load(e: Emitter, op: Op) -> None:
    geometry, width, count, border = op.attrs
    assert isinstance(geometry, Geometry) and isinstance(border, Border)
    access = Access(e, op, SurfaceForm(geometry, int(str(width)), int(str(count)), border))
    access.check(access.has_other_size())
    texel = load_texel(e, "load", access.dimension, access.whole_resource(), access.indices)
    words = [
        e.let(f"extractelement <4 x i32> {texel}, i32 {number}")
        for number in range(max(1, access.bytes // 4))
    ]
    if border is Border.ZERO:
        words = [e.let(f"select i1 {access.inside}, i32 {word}, i32 0") for word in words]
    whole = _joined(e, words, access.bytes)
    bits, form = 8 * access.bytes, access.form
    if form.count == 1:
        e.set_bits(op.results[0], f"bitcast i{bits} {whole} to i{form.width}")
        return
    vector = f"<{form.count} x i{form.width}>"
    values = e.let(f"bitcast i{bits} {whole} to {vector}")
    for number, result in enumerate(op.results):
        e.set_bits(result, f"extractelement {vector} {values}, i32 {number}")


def _joined(e: Emitter, words: Sequence[str], size: int) -> str:
    """Words as one integer of so many bytes."""
    if size < 4:
        return e.let(f"trunc i32 {words[0]} to i{8 * size}")
    vector, whole = f"<{len(words)} x i32>", "poison"
    for number, word in enumerate(words):
        whole = e.let(f"insertelement {vector} {whole}, i32 {word}, i32 {number}")
    return e.let(f"bitcast {vector} {whole} to i{8 * size}")


def _parted(e: Emitter, access: Access) -> list[str]:
    """The values as words."""
    form, size = access.form, access.bytes
    vector, whole = f"<{form.count} x i{form.width}>", "poison"
    for number, value in enumerate(access.values):
        item = f"i{form.width} {e.bits(value)}"
        whole = e.let(f"insertelement {vector} {whole}, {item}, i32 {number}")
    bits = e.let(f"bitcast {vector} {whole} to i{8 * size}")
    if size < 4:
        return [e.let(f"zext i{8 * size} {bits} to i32")]
    words = f"<{size // 4} x i32>"
    split = e.let(f"bitcast i{8 * size} {bits} to {words}")
    return [e.let(f"extractelement {words} {split}, i32 {number}") for number in range(size // 4)]


@lowers("surface_store")
def _store(e: Emitter, op: Op) -> None:
    geometry, width, count, border, formatted = op.attrs
    assert isinstance(geometry, Geometry) and isinstance(border, Border)
    sizes = int(str(width)), int(str(count))
    access = Access(e, op, SurfaceForm(geometry, *sizes, border, bool(formatted)))
    if formatted:
        _store_channels(access)
        return
    access.check(access.has_other_size())
    words = _parted(e, access)
    reals = [e.let(f"bitcast i32 {word} to float") for word in words]
    _store_texel(access, access.whole_resource(), reals)


def _store_texel(access: Access, resource: str, channels: Sequence[str]) -> None:
    """The store instruction, of 1, 2 or 4 channels."""
    e, count = access.e, len(channels)
    if count == 1:
        type, kind, data = "float", "f32", channels[0]
    else:
        type, kind, data = f"<{count} x float>", f"v{count}f32", "poison"
        for number, channel in enumerate(channels):
            data = e.let(f"insertelement {type} {data}, float {channel}, i32 {number}")
    places = ", ".join("i32" for _ in access.indices)
    name = f"llvm.amdgcn.image.store.{access.dimension}.{kind}.i32.v8i32"
    text = f"void @{name}({type}, i32, {places}, {RESOURCE}, i32, i32)"
    e.do(e.call(text, data, str((1 << count) - 1), *access.indices, resource, "0", "0"))


def _store_channels(access: Access) -> None:
    """Values converted to the channels that the image has; it must not have more of them."""
    e, form = access.e, access.form
    has_more = e.let(f"icmp ugt i32 {access.log2_channels()}, {form.count.bit_length() - 1}")
    access.check(has_more)
    type = access.surface.channel_type
    log2 = access.log2_channel_bytes()
    spare = e.let(f"sub i32 32, {e.let(f'shl i32 8, {log2}')}")
    top = e.let(f"lshr i32 -1, {spare}")
    top_signed = e.let(f"lshr i32 {top}, 1")
    bottom_signed = e.let(f"xor i32 {top_signed}, -1")
    is_half = e.let(f"icmp eq i32 {type}, {_HALF}")
    is_signed = _is_within(e, type, _FIRST_SIGNED)
    is_unsigned = _is_within(e, type, _FIRST_UNSIGNED)
    channels = []
    for value in access.values:
        bits = e.bits(value)
        low = e.let(e.call(_SMIN, bits, top_signed))
        signed = e.let(e.call(_SMAX, low, bottom_signed))
        unsigned = e.let(e.call(_UMIN, bits, top))
        narrow = e.let(f"fptrunc float {e.real(value, FLOAT)} to half")
        half = e.let(f"bitcast float {e.let(f'fpext half {narrow} to float')} to i32")
        bits = e.let(f"select i1 {is_half}, i32 {half}, i32 {bits}")
        bits = e.let(f"select i1 {is_signed}, i32 {signed}, i32 {bits}")
        bits = e.let(f"select i1 {is_unsigned}, i32 {unsigned}, i32 {bits}")
        channels.append(e.let(f"bitcast i32 {bits} to float"))
    _store_texel(access, access.surface.resource, channels)


def _is_within(e: Emitter, type: str, first: int) -> str:
    """Whether a channel type is one of three."""
    distance = e.let(f"sub i32 {type}, {first}")
    return e.let(f"icmp ult i32 {distance}, 3")


# ---- reductions


@lowers("surface_reduce")
def _reduce(e: Emitter, op: Op) -> None:
    """min and max of formatted ones are signed or not as the object says."""
    geometry, width, kind, number, border, formatted = op.attrs
    assert isinstance(geometry, Geometry) and isinstance(border, Border)
    assert isinstance(kind, AtomicOp)
    bits = int(str(width))
    access = Access(e, op, SurfaceForm(geometry, bits, 1, border, bool(formatted)))
    if kind not in _REDUCTIONS:
        raise e.error(op, "PTX201", f"a surface reduction .{kind.value} is not translated")
    access.check(access.has_other_size())
    resource = access.whole_resource()
    unsigned, signed = _REDUCTIONS[kind]
    if not formatted or unsigned == signed:
        _reduce_texel(access, signed if number is Number.SIGNED else unsigned, resource)
        return
    mask = sum(1 << type for type in _HAS_SIGN)
    flag = e.let(f"lshr i32 {mask}, {e.let(f'and i32 {access.surface.channel_type}, 31')}")
    is_signed = e.let(f"trunc i32 {flag} to i1")
    first, second, after = (e.fresh(word) for word in ("signed", "unsigned", "reduced"))
    e.do(f"br i1 {is_signed}, label %{first}, label %{second}")
    for label, operation in ((first, signed), (second, unsigned)):
        e.start_block(label)
        _reduce_texel(access, operation, resource)
        e.do(f"br label %{after}")
    e.start_block(after)


def _reduce_texel(access: Access, operation: str, resource: str) -> None:
    e, type = access.e, f"i{access.form.width}"
    places = ", ".join("i32" for _ in access.indices)
    name = f"llvm.amdgcn.image.atomic.{operation}.{access.dimension}.{type}.i32.v8i32"
    text = f"{type} @{name}({type}, {places}, {RESOURCE}, i32, i32)"
    value = e.bits(access.values[0])
    e.let(e.call(text, value, *access.indices, resource, "0", "0"))
