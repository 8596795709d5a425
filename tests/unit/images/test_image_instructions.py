"""Chips with image instructions give what the interpreter gives: exactly, but for filters.

The interpreter is held against numpy in the files beside this one, the emulator's image unit in
`tests/unit/emulator/test_image_unit.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from image_kernels import Array, kernel, results

import ptxlift
from ptxlift import PtxError

CHIPS = ("gfx90a", "gfx1030", "gfx1100", "gfx1201")
SHAPES = {
    "1d": (16,),
    "2d": (8, 16),
    "3d": (4, 8, 16),
    "a1d": (3, 16),
    "a2d": (3, 8, 16),
    "cube": (6, 16, 16),
    "acube": (2, 6, 16, 16),
}
COORDINATES = {"1d": 1, "2d": 2, "3d": 3, "a1d": 1, "a2d": 2, "cube": 3, "acube": 3}
SIDES = (16, 8, 4)
OFFSETS = {"1d": "{1}", "a1d": "{1}", "2d": "{2, -3}", "a2d": "{2, -3}", "3d": "{1, -2, 3, 3}"}
LANES = 64
Inputs = list[tuple[str, Array]]


def _array(geometry: str, dtype: Any, channels: int = 1) -> Array:
    rng = np.random.default_rng(5)
    shape = (*SHAPES[geometry], *((channels,) if channels > 1 else ()))
    if np.dtype(dtype).kind == "f":
        return rng.random(shape).astype(dtype)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)


def _layer(geometry: str) -> Inputs:
    """Layers, some beyond the last one."""
    rng = np.random.default_rng(6)
    layers = rng.integers(0, 5, LANES).astype(np.uint32)
    return [("%r10", layers)] if geometry.startswith("a") else []


def _floats(geometry: str, normalized: bool) -> Inputs:
    """Coordinates inside and outside that no rounding moves to another texel or weight."""
    rng = np.random.default_rng(7)
    found = _layer(geometry)
    for axis in range(COORDINATES[geometry]):
        if "cube" in geometry:
            values = rng.uniform(-1, 1, LANES)
        else:
            values = np.round(rng.uniform(-2, 3, LANES) * SIDES[axis] * 16) / 16 + 1 / 64
            values /= SIDES[axis] if normalized else 1
        found.append((f"%f{10 + axis}", values.astype(np.float32)))
    return found


def _texels(geometry: str, scale: int = 1, around: int = 2) -> Inputs:
    rng = np.random.default_rng(8)
    found = _layer(geometry)
    for axis in range(COORDINATES[geometry]):
        values = rng.integers(-around, SIDES[axis] + around, LANES) * (1 if axis else scale)
        found.append((f"%r{11 + axis}", values.astype(np.int32)))
    return found


def _places(inputs: Inputs) -> str:
    """The coordinate operand; three become four."""
    names = [name for name, _ in inputs]
    return "{" + ", ".join([*names, *names[-1:]] if len(names) == 3 else names) + "}"


def _compare(
    chip: str,
    instruction: str,
    image: ptxlift.Texture,
    inputs: Inputs,
    outputs: Sequence[str],
    close: bool = False,
) -> None:
    kind = np.float32 if outputs[0].startswith("%f") else np.uint32
    text = kernel(instruction, [name for name, _ in inputs], outputs)
    arrays = [values for _, values in inputs]
    want, found = (
        results(text, place, [image], arrays, [kind] * len(outputs))
        for place in ("interpreter", chip)
    )
    for wanted, channel in zip(want, found, strict=True):
        if close:
            np.testing.assert_allclose(channel, wanted, rtol=1e-6, atol=1e-7)
        else:
            np.testing.assert_array_equal(channel, wanted)


FLOATS = ("%f1", "%f2", "%f3", "%f4")
WORDS = ("%r1", "%r2", "%r3", "%r4")
RESULT = f"{{{', '.join(FLOATS)}}}"


@pytest.mark.sampled(14)
@pytest.mark.parametrize("geometry", SHAPES)
@pytest.mark.parametrize("mode", ["clamp", "border", "wrap", "mirror"])
@pytest.mark.parametrize("filter_mode", ["point", "linear"])
@pytest.mark.parametrize("chip", CHIPS)
def test_textures_wrap_and_filter(chip: str, filter_mode: str, mode: str, geometry: str) -> None:
    normalized = "cube" in geometry or mode in ("wrap", "mirror")
    texture = ptxlift.Texture(
        _array(geometry, np.float32),
        geometry=geometry,
        address_mode=mode,
        filter_mode=filter_mode,
        normalized=normalized,
    )
    inputs = _floats(geometry, normalized)
    text = f"tex.{geometry}.v4.f32.f32 {RESULT}, [%t0, {_places(inputs)}];"
    _compare(chip, text, texture, inputs, FLOATS, close=filter_mode == "linear")


@pytest.mark.sampled(10)
@pytest.mark.parametrize("geometry", ["1d", "2d", "3d", "a1d", "a2d"])
@pytest.mark.parametrize("form", ["level", "grad", "offset", "point offset"])
@pytest.mark.parametrize("chip", CHIPS)
def test_levels_gradients_and_offsets(chip: str, form: str, geometry: str) -> None:
    """There is one level; 8-bit texels as normalised floats."""
    texture = ptxlift.Texture(
        _array(geometry, np.uint8, 4),
        geometry=geometry,
        address_mode="wrap",
        filter_mode="point" if "point" in form else "linear",
        normalized=True,
        normalized_float=True,
    )
    inputs = _floats(geometry, True)
    step = ", ".join(["0f3C000000"] * {1: 1, 2: 2, 3: 4}[COORDINATES[geometry]])
    dot, after = {
        "level": (".level", "0f00000000"),
        "grad": (".grad", f"{{{step}}}, {{{step}}}"),
    }.get(form, ("", OFFSETS[geometry]))
    text = f"tex{dot}.{geometry}.v4.f32.f32 {RESULT}, [%t0, {_places(inputs)}], {after};"
    _compare(chip, text, texture, inputs, FLOATS, close="point" not in form)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("geometry", ["1d", "2d", "3d", "a1d", "a2d"])
@pytest.mark.parametrize(("dtype", "channels"), [(np.int16, 2), (np.uint8, 1), (np.float16, 4)])
@pytest.mark.parametrize("chip", CHIPS)
def test_integer_coordinates(chip: str, dtype: Any, channels: int, geometry: str) -> None:
    texture = ptxlift.Texture(_array(geometry, dtype, channels), geometry=geometry)
    inputs = _texels(geometry)
    outputs = FLOATS if dtype is np.float16 else WORDS
    kind = "f32" if dtype is np.float16 else "s32"
    text = (
        f"tex.level.{geometry}.v4.{kind}.s32 {{{', '.join(outputs)}}},"
        f" [%t0, {_places(inputs)}], 0, {OFFSETS[geometry]};"
    )
    _compare(chip, text, texture, inputs, outputs)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("geometry", ["2d", "a2d", "cube", "acube"])
@pytest.mark.parametrize("mode", ["clamp", "mirror", "border"])
@pytest.mark.parametrize("chip", CHIPS)
def test_gathers(chip: str, mode: str, geometry: str) -> None:
    """A channel that the format lacks, too; borders with offsets."""
    texture = ptxlift.Texture(
        _array(geometry, np.float32, 2), geometry=geometry, address_mode=mode, normalized=True
    )
    inputs = _floats(geometry, True)
    component = "a" if mode == "mirror" else "g"
    after = ", {1, -2}" if mode == "border" and "cube" not in geometry else ""
    text = f"tld4.{component}.{geometry}.v4.f32.f32 {RESULT}, [%t0, {_places(inputs)}]{after};"
    _compare(chip, text, texture, inputs, FLOATS)


QUERIES = {
    True: ("addr_mode_0", "addr_mode_1", "addr_mode_2", "filter_mode", "normalized_coords"),
    False: (
        "width",
        "height",
        "depth",
        "array_size",
        "channel_data_type",
        "channel_order",
        "num_mipmap_levels",
    ),
}


@pytest.mark.sampled(8)
@pytest.mark.parametrize("geometry", SHAPES)
@pytest.mark.parametrize("modes", QUERIES)
@pytest.mark.parametrize("chip", CHIPS)
def test_queries(chip: str, modes: bool, geometry: str) -> None:
    texture = ptxlift.Texture(
        _array(geometry, np.int16, 4),
        geometry=geometry,
        address_mode=("clamp",) * 3 if "cube" in geometry else ("mirror", "wrap", "border"),
        normalized=True,
    )
    queries = QUERIES[modes]
    outputs = [f"%r{1 + number}" for number in range(len(queries))]
    text = "\n".join(
        f"txq.{query}.b32 {register}, [%t0];"
        for query, register in zip(queries, outputs, strict=True)
    )
    _compare(chip, text, texture, [("%r30", np.zeros(2, np.uint32))], outputs)


# --- surfaces


ACCESSES = [
    ("", 32, np.float32, 1),
    (".v4", 8, np.uint8, 4),
    (".v2", 64, np.uint32, 4),
    (".v4", 16, np.float16, 4),
    ("", 8, np.int8, 1),
]
_REGISTERS = {8: "h", 16: "h", 32: "r", 64: "rd"}


def _vector(names: Sequence[str]) -> str:
    return f"{{{', '.join(names)}}}" if len(names) > 1 else names[0]


@pytest.mark.sampled(12)
@pytest.mark.parametrize("geometry", ["1d", "2d", "3d", "a1d", "a2d"])
@pytest.mark.parametrize("border", ["trap", "clamp", "zero"])
@pytest.mark.parametrize("access", ACCESSES)
@pytest.mark.parametrize("chip", CHIPS)
def test_surfaces_move_bits(
    chip: str, access: tuple[str, int, Any, int], border: str, geometry: str
) -> None:
    """Each lane reads a texel, and writes it to layers, planes or rows of another surface."""
    vector, width, dtype, channels = access
    array = _array(geometry, dtype, channels)
    size = array.dtype.itemsize * channels
    inputs = _texels(geometry, size, 0 if border == "trap" else 2)
    count = int(vector[2:] or 1)
    values = [f"%{_REGISTERS[width]}{1 + number}" for number in range(count)]
    place = _places(inputs)
    text = kernel(
        f"suld.b.{geometry}{vector}.b{width}.{border} {_vector(values)}, [%t0, {place}];\n"
        f"sust.b.{geometry}{vector}.b{width}.{border} [%t1, {place}], {_vector(values)};",
        [name for name, _ in inputs],
        [],
        handles=2,
    )
    found = []
    for where in ("interpreter", chip):
        copy = np.zeros_like(array)
        surfaces = [ptxlift.Surface(each, geometry=geometry) for each in (array, copy)]
        results(text, where, surfaces, [values for _, values in inputs], [])
        found.append(copy.view(np.uint8))
    assert found[0].any()
    np.testing.assert_array_equal(found[1], found[0])


REDUCTIONS = [
    ("b", "add", "s32", np.int32, 1),
    ("b", "min", "s32", np.int32, 1),
    ("b", "max", "u64", np.uint32, 2),
    ("b", "or", "b32", np.uint8, 4),
    ("p", "min", "b32", np.int32, 1),
    ("p", "max", "b32", np.uint32, 1),
]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("geometry", ["1d", "2d", "3d"])
@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("chip", CHIPS)
def test_reductions(chip: str, reduction: tuple[str, str, str, Any, int], geometry: str) -> None:
    form, operation, kind, dtype, channels = reduction
    array = _array(geometry, dtype, channels)
    size = array.dtype.itemsize * channels
    inputs = _texels(geometry, size if form == "b" else 1)
    register = "%rd1" if kind.endswith("64") else "%r1"
    unsigned = np.uint64 if kind.endswith("64") else np.uint32
    last = np.iinfo(unsigned).max
    inputs.append((register, np.random.default_rng(9).integers(0, last, LANES, unsigned)))
    place = _places(inputs[:-1])
    text = kernel(
        f"sured.{form}.{operation}.{geometry}.{kind}.zero [%t0, {place}], {register};",
        [name for name, _ in inputs],
        [],
    )
    found = []
    for where in ("interpreter", chip):
        copy = array.copy()
        surface = ptxlift.Surface(copy, geometry=geometry)
        results(text, where, [surface], [values for _, values in inputs], [])
        found.append(copy)
    assert (found[0] != array).any()
    np.testing.assert_array_equal(found[1], found[0])


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("dtype", "count"), [(np.uint8, 4), (np.int16, 2), (np.float16, 4), (np.float32, 1)]
)
@pytest.mark.parametrize("chip", CHIPS)
def test_formatted_stores_convert(chip: str, dtype: Any, count: int) -> None:
    array = _array("2d", dtype, count)
    inputs = [
        ("%r11", np.arange(LANES, dtype=np.int32) % 16),
        ("%r12", np.arange(LANES, dtype=np.int32) // 16),
    ]
    rng = np.random.default_rng(10)
    for number in range(count):
        if array.dtype.kind == "f":
            values = rng.normal(size=LANES).astype(np.float32).view(np.uint32)
        else:
            values = rng.integers(-400, 70000, LANES).astype(np.uint32)
        inputs.append((f"%r{1 + number}", values))
    names = [name for name, _ in inputs]
    vector = f".v{count}" if count > 1 else ""
    text = kernel(
        f"sust.p.2d{vector}.b32.zero [%t0, {{%r11, %r12}}], {_vector(names[2:])};", names, []
    )
    found = []
    for where in ("interpreter", chip):
        copy = array.copy()
        results(text, where, [ptxlift.Surface(copy)], [values for _, values in inputs], [])
        found.append(copy)
    np.testing.assert_array_equal(found[1], found[0])


# --- linear memory, handles, and what is refused


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("dtype", "channels"), [(np.float32, 1), (np.int16, 2), (np.uint8, 4), (np.float16, 1)]
)
@pytest.mark.parametrize("chip", CHIPS)
def test_long_rows_are_buffers(chip: str, dtype: Any, channels: int) -> None:
    """As HIP has textures of linear memory; a coordinate names a texel."""
    count = 70_000
    rng = np.random.default_rng(11)
    array = rng.integers(0, 100, (count, channels)).astype(dtype)
    places = rng.integers(-5, count + 5, LANES).astype(np.int32)
    places[:4] = (-1, 0, count - 1, count)
    is_float = np.dtype(dtype).kind == "f"
    outputs, kind = (FLOATS, "f32") if is_float else (WORDS, "s32")
    _compare(
        chip,
        f"tex.1d.v4.{kind}.s32 {{{', '.join(outputs)}}}, [%t0, {{%r11}}];",
        ptxlift.Texture(array if channels > 1 else array[:, 0], geometry="1d"),
        [("%r11", places)],
        outputs,
    )


@pytest.mark.parametrize("chip", CHIPS)
def test_lanes_use_different_objects(chip: str) -> None:
    first, second = _array("2d", np.float32), _array("2d", np.float32)[:4, :8].copy() + 2
    text = kernel(
        "and.b32 %r9, %r0, 3;\nsetp.eq.u32 %p1, %r9, 2;\nselp.b64 %t2, %t0, %t1, %p1;\n"
        f"tex.2d.v4.f32.f32 {RESULT}, [%t2, {{%f10, %f11}}];",
        ["%f10", "%f11"],
        ["%f1"],
        handles=2,
    )
    x, y = (np.arange(LANES, dtype=np.float32) % n for n in (8, 4))
    textures = [ptxlift.Texture(first), ptxlift.Texture(second)]
    (found,) = results(text, chip, textures, [x, y], [np.float32])
    at = y.astype(int), x.astype(int)
    np.testing.assert_array_equal(found, np.where(np.arange(LANES) % 4 == 2, first[at], second[at]))


@pytest.mark.parametrize("chip", CHIPS)
def test_accesses_of_another_size_trap(chip: str) -> None:
    text = kernel("suld.b.2d.b8.clamp %h1, [%t0, {%r1, %r2}];", ["%r1", "%r2"], [])
    zeros = np.zeros(2, np.int32)
    surface = ptxlift.Surface(_array("2d", np.uint8, 4))
    with pytest.raises(PtxError, match="trap"):
        results(text, chip, [surface], [zeros, zeros], [])


REFUSED = [
    ({"geometry": "2dms"}, (2, 8, 16), "multisampled"),
    ({"levels": (np.zeros((4, 8), np.float32),)}, (8, 16), "mipmaps"),
    ({"address_mode": "border", "border": (0.5, 0, 0, 0)}, (8, 16), "border colour"),
    ({}, (1, 1 << 14 | 1), "sides of more"),
]


@pytest.mark.parametrize(("options", "shape", "what"), REFUSED)
def test_what_descriptors_cannot_say_is_refused(
    options: dict[str, Any], shape: tuple[int, ...], what: str
) -> None:
    texture = ptxlift.Texture(np.zeros(shape, np.float32), **options)
    text = kernel(f"tex.2d.v4.f32.f32 {RESULT}, [%t0, {{%f10, %f10}}];", ["%f10"], ["%f1"])
    with pytest.raises(PtxError, match=rf"PTX302.*{what}"):
        results(text, "gfx1100", [texture], [np.zeros(1, np.float32)], [np.float32])


def test_multisampled_fetches_are_refused_by_name() -> None:
    text = kernel(f"tex.2dms.v4.f32.s32 {RESULT}, [%t0, {{%r1, %r1, %r1, %r1}}];", ["%r1"], ["%f1"])
    with pytest.raises(PtxError, match=r"PTX302.*\.2dms"):
        ptxlift.load(text, "emulator", target="gfx1100")
