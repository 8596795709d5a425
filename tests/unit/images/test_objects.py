"""Handles: variables that are objects, parameters, samplers apart, questions to objects."""

from __future__ import annotations

import numpy as np
import pytest
from image_kernels import PLACES, kernel, load

import ptxlift
from ptxlift import PtxError

FETCH = "tex.2d.v4.f32.f32 {{%f1, %f2, %f3, %f4}}, [{texture}, {{%f5, %f6}}];"
VARIABLE = ".visible .global .texref image;\n.visible .global .surfref plane;"
TEXELS = np.arange(20, dtype=np.float32).reshape(4, 5)
X, Y = np.array([0.5, 4.5, 9], np.float32), np.array([3.5, 0.5, 1.5], np.float32)
WANTED = np.array([15, 4, 9], np.float32)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("way", ["image", "%rd1"])
def test_variables_are_objects(way: str, place: str) -> None:
    """By name, or by an address that `mov` takes."""
    line = f"mov.u64 %rd1, image; {FETCH.format(texture=way)}"
    text = kernel(line, ["%f5", "%f6"], ["%f1"], handles=0, variables=VARIABLE)
    program = load(text, place)
    program.bind("image", ptxlift.Texture(TEXELS))
    found = np.zeros(3, np.float32)
    program.launch("k", 1, 3, [X, Y, found])
    np.testing.assert_array_equal(found, WANTED)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("way", ["t0", "%t0"])
def test_parameters_hold_addresses(way: str, place: str) -> None:
    line = FETCH.format(texture=way)
    text = kernel(line, ["%f5", "%f6"], ["%f1"]).replace(".param .u64 t0", ".param .texref t0")
    text = text.replace("ld.param.u64 %t0, [t0];", "mov.u64 %t0, t0;")
    found = np.zeros(3, np.float32)
    load(text, place).launch("k", 1, 3, [ptxlift.Texture(TEXELS), X, Y, found])
    np.testing.assert_array_equal(found, WANTED)


@pytest.mark.parametrize("place", PLACES)
def test_samplers_stand_apart(place: str) -> None:
    """Independent mode: the filter is that of the sampler, not of the texture."""
    variables = ".visible .global .texref image;\n.visible .global .samplerref how;"
    line = "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, how, {%f5}];"
    text = kernel(
        line, ["%f5"], ["%f1"], handles=0, variables=variables, mode=", texmode_independent"
    )
    program = load(text, place)
    program.bind("image", ptxlift.Texture(np.array([0, 8, 16], np.float32), "1d"))
    program.bind("how", ptxlift.Sampler(filter_mode="linear", address_mode="border",
                                        border=(4, 0, 0, 0)))  # fmt: skip
    found = np.zeros(3, np.float32)
    program.launch("k", 1, 3, [np.array([0, 0.75, 1], np.float32), found])
    np.testing.assert_array_equal(found, [2, 2, 4])


@pytest.mark.parametrize("place", PLACES)
def test_samplers_with_initial_values(place: str) -> None:
    """They need no host; coordinates are normalised unless they are forced not to be."""
    variables = """.visible .global .texref image;
.global .samplerref folded = {addr_mode_0 = mirror, filter_mode = nearest};
.global .samplerref plain = {filter_mode = linear, force_unnormalized_coords = 1,
    addr_mode_0 = clamp_to_edge};"""
    line = (
        "tex.1d.v4.f32.f32 {%f1, _, _, _}, [image, folded, {%f5}];"
        "tex.1d.v4.f32.f32 {%f2, _, _, _}, [image, plain, {%f5}];"
    )
    text = kernel(
        line, ["%f5"], ["%f1", "%f2"], handles=0, variables=variables, mode=", texmode_independent"
    )
    program = load(text, place)
    program.bind("image", ptxlift.Texture(np.array([0, 8, 16, 24], np.float32), "1d"))
    found = np.zeros((2, 4), np.float32)
    x = np.array([0.3, 1.1, -0.3, 2.0], np.float32)
    program.launch("k", 1, 4, [x, *found])
    np.testing.assert_array_equal(found[0], [8, 24, 8, 0])
    np.testing.assert_allclose(found[1], [0, 4.8, 0, 12], atol=8 / 512)


def test_values_that_no_field_takes() -> None:
    variables = ".global .texref image = {filter_mode = cubic};"
    with pytest.raises(PtxError, match=r"PTX107.*`filter_mode` cannot be `cubic`"):
        load(kernel("", [], ["%r1"], variables=variables), "interpreter")


@pytest.mark.parametrize("place", PLACES)
def test_surface_variables(place: str) -> None:
    line = "sust.b.2d.b32.trap [plane, {%r1, %r2}], %r3;"
    inputs = ["%r1", "%r2", "%r3"]
    program = load(kernel(line, inputs, [], handles=0, variables=VARIABLE), place)
    array = np.zeros((2, 2), np.uint32)
    program.bind("plane", ptxlift.Surface(array))
    given = ([0, 4], [1, 0], [5, 6])
    program.launch("k", 1, 2, [np.array(column, np.int32) for column in given])
    np.testing.assert_array_equal(array, [[0, 6], [5, 0]])


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("level", [0, 1, 3])
def test_lanes_may_have_handles_of_their_own(level: int, place: str) -> None:
    """Handles in an array: some filter, some do not, and their formats differ."""
    line = "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd5, {%f5}];"
    text = kernel(line, ["%rd5", "%f5"], ["%f1"], handles=0)
    program = loaded(text, place, level)
    halves = np.array([0, 8, 16, 24], np.float16)
    images = [
        ptxlift.Texture(np.array([0, 255], np.uint8), "1d", normalized_float=True),
        ptxlift.Texture(halves, "1d", filter_mode="linear"),
        ptxlift.Texture(np.array([5, 6, 7], np.float32), "1d", normalized=True),
    ]
    handles = np.array([program.handle(image) for image in images], np.uint64)
    found = np.zeros(6, np.float32)
    x = np.array([1.5, 1.75, 0.5, 0.5, 3.25, 0.9], np.float32)
    program.launch("k", 1, 6, [np.tile(handles, 2), x, found])
    np.testing.assert_array_equal(found, [1, 10, 6, 0, 22, 7])


@pytest.mark.parametrize("place", PLACES)
def test_images_of_one_array_have_one_memory(place: str) -> None:
    """What is written to a surface is read through another one."""
    line = (
        "sust.b.1d.b32.trap [%t0, {%r1}], %r2; bar.sync 0; xor.b32 %r1, %r1, 4;"
        "suld.b.1d.b32.trap %r3, [%t1, {%r1}];"
    )
    text = kernel(line, ["%r1", "%r2"], ["%r3"], handles=2)
    array = np.zeros(2, np.uint32)
    first, second = ptxlift.Surface(array, "1d"), ptxlift.Surface(array, "1d")
    found = np.zeros(2, np.uint32)
    program = load(text, place)
    given = [np.array([0, 4], np.uint32), np.array([7, 9], np.uint32)]
    program.launch("k", 1, 2, [first, second, *given, found])
    assert found.tolist() == [9, 7] and array.tolist() == [7, 9]


@pytest.mark.parametrize("place", PLACES)
def test_images_are_freed(place: str) -> None:
    program = load(kernel(FETCH.format(texture="%t0"), ["%f5", "%f6"], ["%f1"]), place)
    texture, found = ptxlift.Texture(TEXELS), np.zeros(3, np.float32)
    handle = program.handle(texture)
    program.launch("k", 1, 3, [handle, X, Y, found])
    np.testing.assert_array_equal(found, WANTED)
    program.free(texture)
    with pytest.raises(PtxError, match="PTX40"):
        program.launch("k", 1, 3, [handle, X, Y, found])
    with pytest.raises(PtxError, match="not on the device"):
        program.free(texture)
    program.launch("k", 1, 3, [texture, X, Y, found])


def loaded(text: str, place: str, level: int) -> ptxlift.Program:
    """On the emulator at an optimisation level."""
    if place == "interpreter":
        return load(text, place)
    options = ptxlift.Options(opt_level=level)
    return ptxlift.load(ptxlift.lift(text, place, options=options))


QUERIES = {
    "txq.width.b32": 5, "txq.height.b32": 4, "txq.depth.b32": 3, "txq.num_mipmap_levels.b32": 2,
    "txq.array_size.b32": 1, "txq.num_samples.b32": 1, "txq.normalized_coords.b32": 1,
    "txq.channel_data_type.b32": 0x10D0, "txq.channel_order.b32": 0x10B1,
    "txq.filter_mode.b32": 1, "txq.addr_mode_0.b32": 0, "txq.addr_mode_1.b32": 1,
    "txq.addr_mode_2.b32": 4,
}  # fmt: skip
LEVEL_QUERY = ("txq.level.width.b32", ", 1")


@pytest.mark.parametrize("place", PLACES)
def test_questions_to_textures(place: str) -> None:
    """PTX ISA, txq: addr_mode is one of wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border;
    channel types and orders are OpenCL's (snorm_int8 is 0x10D0, rg is 0x10B1).
    """
    levels = [np.zeros((3, 4, 5, 2), np.int8), np.zeros((1, 2, 2, 2), np.int8)]
    texture = ptxlift.Texture(
        levels[0], "3d", levels=levels[1:], normalized=True, normalized_float=True,
        filter_mode="linear", address_mode=("wrap", "mirror", "border"),
    )  # fmt: skip
    lines = [
        f"{query} %r1, [%t0]{level}; st.global.b32 [%rd20+{4 * at + 4}], %r1;"
        for at, (query, level) in enumerate([*((q, "") for q in QUERIES), LEVEL_QUERY])
    ]
    text = kernel("\n".join(lines), [], ["%r1"])
    found = np.zeros(len(lines) + 1, np.uint32)
    load(text, place).launch("k", 1, 1, [texture, found])
    assert found[1:].tolist() == [*QUERIES.values(), 2]


@pytest.mark.parametrize("place", PLACES)
def test_questions_to_surfaces(place: str) -> None:
    queries = {"width": 7, "height": 2, "array_size": 3, "channel_data_type": 0x10DD,
               "channel_order": 0x10B5, "memory_layout": 1}  # fmt: skip
    lines = [f"suq.{query}.b32 %r1, [%t0]; st.global.b32 [%rd20+{4 * at + 4}], %r1;"
             for at, query in enumerate(queries)]  # fmt: skip
    text = kernel("\n".join(lines), [], ["%r1"])
    found = np.zeros(7, np.uint32)
    surface = ptxlift.Surface(np.zeros((3, 2, 7, 4), np.float16), "a2d")
    load(text, place).launch("k", 1, 1, [surface, found])
    assert found[1:].tolist() == list(queries.values())


@pytest.mark.parametrize("place", PLACES)
def test_types_of_variables(place: str) -> None:
    lines = "mov.u64 %rd1, image; mov.u64 %rd2, plane;"
    for at, (kind, address) in enumerate(
        [("texref", 1), ("surfref", 1), ("texref", 2), ("surfref", 2)]
    ):
        lines += f" istypep.{kind} %p1, %rd{address}; selp.b32 %r1, 1, 0, %p1;"
        lines += f" st.global.b32 [%rd20+{4 * at + 4}], %r1;"
    text = kernel(lines, [], ["%r1"], handles=0, variables=VARIABLE)
    found = np.zeros(5, np.uint32)
    load(text, place).launch("k", 1, 1, [found])
    assert found[1:].tolist() == [1, 0, 0, 1]


@pytest.mark.parametrize("place", PLACES)
def test_handles_that_are_none_fault(place: str) -> None:
    text = kernel(FETCH.format(texture="%t0"), ["%f5", "%f6"], ["%f1"])
    with pytest.raises(PtxError, match="PTX40"):
        load(text, place).launch("k", 1, 3, [0, X, Y, np.zeros(3, np.float32)])


def test_a_variable_that_is_no_object_is_not_bound() -> None:
    text = kernel("", [], ["%r1"], handles=0, variables=".visible .global .u32 number;")
    with pytest.raises(PtxError, match="'number' is no texture"):
        load(text, "interpreter").bind("number", ptxlift.Texture(TEXELS))
