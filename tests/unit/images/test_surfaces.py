"""Loads, stores and reductions of surfaces, inside, at the edge and outside."""

from __future__ import annotations

import numpy as np
import pytest
from image_kernels import PLACES, Array, kernel, load, results

import ptxlift
from ptxlift import PtxError

WIDTHS = {"b8": (np.uint8, "h"), "b16": (np.uint16, "h"), "b32": (np.uint32, "r"),
          "b64": (np.uint64, "rd")}  # fmt: skip


def random_bytes(shape: tuple[int, ...], dtype: str) -> Array:
    rng = np.random.default_rng(len(shape))
    size = np.dtype(dtype).itemsize
    raw = rng.integers(0, 256, (*shape[:-1], shape[-1] * size), np.uint8)
    return raw.view(dtype)


def registers(kind: str, count: int) -> str:
    names = [f"%{kind}{n}" for n in range(1, count + 1)]
    return names[0] if count == 1 else "{" + ", ".join(names) + "}"


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("count", [1, 2, 4])
def test_loads_count_bytes(width: str, count: int, place: str) -> None:
    if width == "b64" and count == 4:
        return  # ptxas has no such form
    dtype, kind = WIDTHS[width]
    array = random_bytes((3, 64), "uint8")
    size = np.dtype(dtype).itemsize * count
    x = np.arange(0, 64, size, dtype=np.int32)
    y = (np.arange(len(x), dtype=np.int32)) % 3
    vector = "" if count == 1 else f".v{count}"
    names = [f"%{kind}{n}" for n in range(1, count + 1)]
    line = f"suld.b.2d{vector}.{width}.trap {registers(kind, count)}, [%t0, {{%r10, %r11}}];"
    stored = np.uint16 if kind == "h" else dtype
    text = kernel(line, ["%r10", "%r11"], names)
    found = results(text, place, [ptxlift.Surface(array)], [x, y], [stored] * count)
    wanted = np.stack([array[row, at : at + size] for row, at in zip(y, x, strict=True)])
    np.testing.assert_array_equal(np.stack(found, -1), wanted.view(dtype))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("geometry", ["1d", "2d", "3d", "a1d", "a2d"])
def test_stores_in_every_geometry(geometry: str, place: str) -> None:
    shape = {"1d": (6,), "2d": (4, 6), "3d": (2, 4, 6), "a1d": (2, 6), "a2d": (2, 4, 6)}[geometry]
    array = random_bytes(shape, "uint32")
    before = array.copy()
    places = np.array(np.unravel_index(np.arange(0, array.size, 5), shape), np.int32)
    values = np.arange(len(places[0]), dtype=np.uint32) + 1000
    order = list(places[::-1])  # x first
    if geometry in ("a1d", "a2d"):
        order = [order[-1], *order[:-1]]
    order[1 if geometry[0] == "a" else 0] = order[1 if geometry[0] == "a" else 0] * 4
    inputs = [f"%r{10 + n}" for n in range(len(order))]
    names = inputs + ["%r10"] * (4 - len(inputs)) if len(inputs) == 3 else inputs
    line = f"sust.b.{geometry}.b32.trap [%t0, {{{', '.join(names)}}}], %r5;"
    text = kernel(line, [*inputs, "%r5"], [])
    given = [np.ascontiguousarray(column) for column in order]
    results(text, place, [ptxlift.Surface(array, geometry)], [*given, values], [])
    before[tuple(places)] = values
    np.testing.assert_array_equal(array, before)


@pytest.mark.parametrize("place", PLACES)
def test_outside_loads_give_zeros_or_the_edge(place: str) -> None:
    array = random_bytes((3, 5), "uint16")
    x, y = np.array([-2, 0, 8, 10, 4, 4, -6], np.int32), np.array([0, -1, 2, 2, 3, 1, 9], np.int32)
    column, row = np.clip(x, 0, 8) // 2, np.clip(y, 0, 2)
    inside = (x >= 0) & (x <= 8) & (y >= 0) & (y < 3)
    for mode, wanted in (("zero", np.where(inside, array[row, column], 0)),
                         ("clamp", array[row, column])):  # fmt: skip
        line = f"suld.b.2d.b16.{mode} %h1, [%t0, {{%r10, %r11}}];"
        text = kernel(line, ["%r10", "%r11"], ["%h1"])
        (found,) = results(text, place, [ptxlift.Surface(array)], [x, y], [np.uint16])
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("place", PLACES)
def test_outside_stores_do_nothing_or_move_to_the_edge(place: str) -> None:
    x, y = np.array([-4, 4, 12], np.int32), np.array([1, 7, 2], np.int32)
    values = np.array([7, 8, 9], np.uint32)
    for mode, changed in (("zero", {}), ("clamp", {(1, 0): 7, (2, 1): 8, (2, 2): 9})):
        array = random_bytes((3, 3), "uint32")
        wanted = array.copy()
        for at, value in changed.items():
            wanted[at] = value
        line = f"sust.b.2d.b32.{mode} [%t0, {{%r10, %r11}}], %r5;"
        text = kernel(line, ["%r10", "%r11", "%r5"], [])
        results(text, place, [ptxlift.Surface(array)], [x, y, values], [])
        np.testing.assert_array_equal(array, wanted)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("line", ["suld.b.1d.v2.b32.trap {%r1, %r2}, [%t0, {%r10}];",
                                  "sust.b.1d.v2.b32.trap [%t0, {%r10}], {%r1, %r2};"])  # fmt: skip
def test_outside_is_a_trap(line: str, place: str) -> None:
    """The last place of two words is 24 of 32 bytes; 28 hangs over."""
    array = random_bytes((8,), "uint32")
    text = kernel(line, ["%r10"], [])
    for x in (24, 28, -4):
        program = load(text, place)
        arguments = [ptxlift.Surface(array, "1d"), np.array([x], np.int32)]
        if x == 24:
            program.launch("k", 1, 1, arguments)
        else:
            with pytest.raises(PtxError, match="trap"):
                program.launch("k", 1, 1, arguments)


def test_traps_name_the_line() -> None:
    line = "sust.b.1d.b32.trap [%t0, {%r10}], %r1;"
    text = kernel(line, ["%r10", "%r1"], [])
    number = text[: text.index(line)].count("\n") + 1
    made = ptxlift.lift(text, "gfx942", options=ptxlift.Options(debug_lines=True))
    array, x = np.zeros(8, np.uint32), np.array([32], np.int32)
    with pytest.raises(PtxError, match=rf"trap.*:{number}\b"):
        ptxlift.load(made).launch("k", 1, 1, [ptxlift.Surface(array, "1d"), x, x])


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int16", "uint32", "int32",
                                   "float16", "float32"])  # fmt: skip
def test_formatted_stores_convert(dtype: str, place: str) -> None:
    """PTX ISA, sust.p: x counts samples; what the surface has no channel for is ignored."""
    array = np.zeros((4, 2), dtype)
    if dtype.startswith("float"):
        values = np.array([[1.5, -2.25], [1e-3, 7e4], [0, 65519], [3, 4]], np.float32)
        with np.errstate(over="ignore"):
            wanted = values.astype(dtype)
    else:
        values = np.array([[1, 2], [300, -300], [70000, -70000], [127, 255]], np.int32)
        info = np.iinfo(dtype)
        wide = values.astype(np.int64) if dtype[0] == "i" else values.view(np.uint32)
        wanted = np.clip(wide.astype(np.int64), info.min, info.max).astype(dtype)
    words = [np.ascontiguousarray(column) for column in values.view(np.uint32).T]
    line = "sust.p.1d.v4.b32.trap [%t0, {%r10}], {%r1, %r2, %r1, %r2};"
    text = kernel(line, ["%r10", "%r1", "%r2"], [])
    x = np.arange(4, dtype=np.int32)
    results(text, place, [ptxlift.Surface(array, "1d")], [x, *words], [])
    np.testing.assert_array_equal(array, wanted)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    ("operation", "type_", "dtype"),
    [("add", "u32", "uint32"), ("add", "u64", "uint64"), ("add", "s32", "int32"),
     ("min", "u32", "uint32"), ("min", "s32", "int32"), ("max", "u32", "uint32"),
     ("max", "s32", "int32"), ("and", "b32", "uint32"), ("or", "b32", "uint32"),
     ("min", "s64", "int64"), ("max", "u64", "uint64")],
)  # fmt: skip
def test_reductions_of_bytes(operation: str, type_: str, dtype: str, place: str) -> None:
    size = np.dtype(dtype).itemsize
    start = random_bytes((4, 3 * size), "uint8")
    surface = start.view("uint32")
    wanted = start.copy().view(dtype)
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 3, 40).astype(np.int32), rng.integers(0, 4, 40).astype(np.int32)
    values = rng.integers(0, 256, (40, size), np.uint8).view(dtype)[:, 0].copy()
    functions = {"add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and,
                 "or": np.bitwise_or}  # fmt: skip
    functions[operation].at(wanted, (y, x), values)
    register = "%rd1" if size == 8 else "%r1"
    line = f"sured.b.{operation}.2d.{type_}.trap [%t0, {{%r10, %r11}}], {register};"
    text = kernel(line, ["%r10", "%r11", register], [])
    results(text, place, [ptxlift.Surface(surface)], [x * size, y, values], [])
    np.testing.assert_array_equal(surface.view(dtype), wanted)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("dtype", ["uint32", "int32"])
def test_reductions_of_samples_read_the_format(dtype: str, place: str) -> None:
    array = np.array([5, 5, 5], dtype)
    values = np.array([-1, 3, -1, 9], np.int32).astype(dtype)
    x = np.array([0, 1, 2, -1], np.int32)
    line = "sured.p.min.1d.b32.zero [%t0, {%r10}], %r1;"
    text = kernel(line, ["%r10", "%r1"], [])
    results(text, place, [ptxlift.Surface(array, "1d")], [x, values], [])
    wanted = [5, 3, 5] if dtype == "uint32" else [-1, 3, -1]
    np.testing.assert_array_equal(array, np.array(wanted, dtype))
