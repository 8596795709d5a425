"""Image instructions, made by LLVM from intrinsics, against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from emulator_builds import load as load_image
from emulator_builds import needs_lld, pack
from image_programs import (
    CHIPS,
    Plan,
    atomic_program,
    half_program,
    image_words,
    load_program,
    padded,
    sample_program,
    sampler_words,
    size_program,
    store_program,
)
from numpy.typing import NDArray

from ptxlift import PtxError, emulator

pytestmark = needs_lld

DTYPES = {
    "u8x1": np.uint8,
    "unorm8x4": np.uint8,
    "snorm8x2": np.int8,
    "u8x4": np.uint8,
    "s16x2": np.int16,
    "unorm16x1": np.uint16,
    "f16x4": np.float16,
    "u32x1": np.uint32,
    "u32x2": np.uint32,
    "f32x1": np.float32,
    "f32x2": np.float32,
    "f32x4": np.float32,
}
WRAP, MIRROR, EDGE, BORDER = 0, 1, 2, 6


def _texels(form: str, slices: int, rows: int, columns: int) -> NDArray[np.generic]:
    """Texels of a format, no two alike for long; half floats that half holds."""
    channels = int(form.partition("x")[2])
    rng = np.random.default_rng(7)
    values = rng.integers(-120, 120, (slices, rows, columns, channels))
    dtype = np.dtype(DTYPES[form])
    return (values / 8).astype(dtype) if dtype.kind == "f" else values.astype(dtype)


def _as_read(form: str, texels: NDArray[np.generic]) -> NDArray[np.uint32]:
    """Four words of each texel as the manuals define the formats."""
    numbers = texels.astype(np.float64)
    if form.startswith("unorm"):
        read = (numbers / np.iinfo(texels.dtype).max).astype(np.float32).view(np.uint32)
    elif form.startswith("snorm"):
        limit = np.iinfo(texels.dtype).max
        read = np.maximum(numbers / limit, -1).astype(np.float32).view(np.uint32)
    elif form.startswith("f"):
        read = numbers.astype(np.float32).view(np.uint32)
    else:
        read = texels.astype(np.int64).astype(np.uint32)
    one = 1 if form[0] in "us" and not form.startswith(("unorm", "snorm")) else 0x3F800000
    found = np.zeros((*texels.shape[:3], 4), np.uint32)
    found[..., 3] = one
    found[..., : texels.shape[3]] = read
    return found


def _pitch(form: str, width: int) -> int:
    """Texels in a row whose bytes are a multiple of 256."""
    size = np.dtype(DTYPES[form]).itemsize * int(form.partition("x")[2])
    return -(-width * size // 256) * 256 // size


class Bench:
    """An image in memory and a kernel that reads or writes it."""

    def __init__(self, chip: str, form: str, shape: str, size: tuple[int, int, int]) -> None:
        self.chip = chip
        slices, rows, columns = size
        self.texels = _texels(form, *size)
        pitch = _pitch(form, columns)
        self.memory = emulator.Memory()
        self.storage = padded(self.texels, pitch)
        last = slices - 1
        plan = Plan(form, shape, columns, rows, last, pitch)
        self.words = image_words(chip, plan, self.memory.alloc(self.storage))

    def run(
        self,
        program: str,
        rows: NDArray[np.generic],
        sampler: list[int] | None = None,
        out: NDArray[np.generic] | None = None,
    ) -> NDArray[np.generic]:
        """One lane a row; gives what the lanes wrote."""
        lanes = len(rows)
        out = np.zeros((lanes, 4), np.uint32) if out is None else out
        texture = np.zeros(20, np.uint32)
        texture[:8] = self.words
        texture[12:16] = sampler or [0, 0, 0, 0]
        image = load_image(program, self.chip)
        arguments = pack(self.memory, image, "k", (out, texture, np.ascontiguousarray(rows)))
        options = emulator.Options(check_hazards=True)
        emulator.launch(
            image, self.memory, "k", (1, 1, 1), (lanes, 1, 1), arguments, options=options
        )
        return out


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("form", DTYPES)
def test_loads_convert_each_format(chip: str, form: str) -> None:
    bench = Bench(chip, form, "2d", (1, 5, 7))
    y, x = (axis.reshape(-1) for axis in np.indices((5, 7)))
    found = bench.run(load_program("2d"), np.stack([x, y], axis=-1).astype(np.uint32))
    assert (found == _as_read(form, bench.texels)[0].reshape(-1, 4)).all()


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("dim", ["1d", "3d", "1darray", "2darray", "cube"])
def test_loads_find_rows_and_slices(chip: str, dim: str) -> None:
    """70 texels of 4 bytes: gfx12 rounds a row of several slices to 128 bytes, not to 256."""
    rows = 1 if dim.startswith("1d") else 3
    slices = {"1d": 1, "cube": 6}.get(dim, 4)
    bench = Bench(chip, "f32x1", dim, (slices, rows, 70))
    if chip == "gfx1201" and dim in ("3d", "2darray", "cube"):
        flat = bench.storage.reshape(slices, -1)
        for z in range(slices):
            for y in range(rows):
                flat[z, y * 96 : y * 96 + 70] = bench.texels[z, y, :, 0]
    z, y, x = (axis.reshape(-1) for axis in np.indices((slices, rows, 4)))
    x = x * 23
    columns = {"1d": (x,), "1darray": (x, z)}.get(dim, (x, y, z))
    found = bench.run(load_program(dim), np.stack(columns, axis=-1).astype(np.uint32))
    assert (found[:, 0].view(np.float32) == bench.texels[z, y, x, 0]).all()


@pytest.mark.parametrize("chip", CHIPS)
def test_loads_outside_are_zeros_and_stores_outside_do_nothing(chip: str) -> None:
    rows = np.array([[7, 0], [0, 5], [-1, 0], [6, 4]], np.int32)
    bench = Bench(chip, "u32x1", "2d", (1, 5, 7))
    found = bench.run(load_program("2d"), rows)
    assert not found[:3].any()
    assert found[3, 0] == bench.texels[0, 4, 6, 0]
    before = bench.storage.copy()
    bench.run(store_program("2d", 1), rows[:3], out=np.full((3, 1), 9, np.uint32))
    assert (bench.storage == before).all()


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("form", ["u8x4", "u32x2", "f32x4", "f16x4", "unorm8x4"])
def test_stores_convert(chip: str, form: str) -> None:
    """What a load gives, a store of it puts back, at another place."""
    bench = Bench(chip, form, "2d", (1, 4, 6))
    channels = bench.texels.shape[3]
    values = _as_read(form, bench.texels)[0, 1, :, :channels]
    rows = np.array([[x, 3] for x in range(6)], np.uint32)
    bench.run(store_program("2d", channels), rows, out=np.ascontiguousarray(values))
    assert (bench.storage[0, 3, :6] == bench.texels[0, 1]).all()
    assert (bench.storage[0, :3, :6] == bench.texels[0, :3]).all()


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize(("operation", "bits"), [("add", 32), ("smax", 32), ("add", 64)])
def test_atomics_change_texels(chip: str, operation: str, bits: int) -> None:
    form = "u32x1" if bits == 32 else "u32x2"
    bench = Bench(chip, form, "2d", (1, 3, 4))
    dtype = np.int32 if bits == 32 else np.int64
    place = bench.texels[0, 1, 2].copy().view(dtype)[0]
    operands = np.arange(-20, 20, dtype=dtype) * 9
    rows = np.tile(np.array([[2, 1]], np.uint32), (40, 1))
    old = bench.run(atomic_program(operation, "2d", bits), rows, out=operands.copy())
    step = {"add": np.add, "smax": np.maximum}[operation]
    running = step.accumulate(np.concatenate([[place], operands]).astype(dtype))
    assert (old == running[:-1]).all()
    assert bench.storage[0, 1, 2].view(dtype)[0] == running[-1]


@pytest.mark.parametrize("chip", CHIPS)
def test_resources_tell_their_size(chip: str) -> None:
    bench = Bench(chip, "f32x1", "3d", (5, 3, 70))
    found = bench.run(size_program("3d"), np.zeros((1, 1), np.uint32))
    assert found[0].tolist() == [70, 3, 5, 1]


# --- sampling


def _plain(chip: str) -> str:
    """The operation that samples level 0: gfx90a has only the plain one."""
    return "sample" if chip == "gfx90a" else "sample.lz"


def _index(at: NDArray[np.int64], size: int, clamp: int) -> NDArray[np.int64]:
    """CUDA's addressing modes, by the text of its programming guide; -1 is the border."""
    if clamp == WRAP:
        return at % size
    if clamp == MIRROR:
        return np.array([(size - 1 - a % size) if a // size % 2 else a % size for a in at])
    if clamp == BORDER:
        return np.where((at < 0) | (at >= size), -1, at)
    return np.clip(at, 0, size - 1)


def _sampled(
    texels: NDArray[np.float32], places: list[NDArray[np.float64]], clamp: int, linear: bool
) -> NDArray[np.float32]:
    """Texel units, any number of axes, x first; weights of 8 bits."""
    size = texels.shape[::-1]
    shift = 0.5 if linear else 0.0
    low = [np.floor(place - shift).astype(np.int64) for place in places]
    parts = [
        np.rint((place - shift - at) * 256) / 256 for place, at in zip(places, low, strict=True)
    ]
    total = np.zeros(len(places[0]))
    for corner in np.ndindex(*((2 if linear else 1,) * len(places))):
        weight = np.ones(len(total))
        wrapped = []
        for axis, step in enumerate(corner):
            weight *= (parts[axis] if step else 1 - parts[axis]) if linear else 1
            wrapped.append(_index(low[axis] + step, size[axis], clamp))
        value = texels[tuple(wrapped[::-1])].astype(np.float64)
        value[np.any([w < 0 for w in wrapped], axis=0)] = 0
        total += weight * value
    return total.astype(np.float32)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("clamp", [WRAP, MIRROR, EDGE, BORDER])
@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("dim", ["1d", "2d", "3d"])
def test_samples_filter_and_wrap(chip: str, clamp: int, linear: bool, dim: str) -> None:
    """Sides are powers of two, so that a normalised coordinate is exact."""
    axes = int(dim[0])
    size = ((1, 1, 16), (1, 8, 16), (4, 8, 16))[axes - 1]
    bench = Bench(chip, "f32x1", dim, size)
    if chip == "gfx1201" and dim == "3d":
        flat = bench.storage.reshape(4, -1)
        for z, y in np.ndindex(4, 8):
            flat[z, y * 32 : y * 32 + 16] = bench.texels[z, y, :, 0]
    rng = np.random.default_rng(3)
    places = [np.round(rng.uniform(-2, 3, 64) * n * 16) / 16 + 1 / 64 for n in size[::-1][:axes]]
    rows = np.stack([p / n for p, n in zip(places, size[::-1], strict=False)], axis=-1)
    program = sample_program(_plain(chip), dim)
    found = bench.run(program, rows.astype(np.float32), sampler_words(clamp, linear))
    texels = bench.texels[..., 0].astype(np.float32).reshape(size[3 - axes :])
    want = _sampled(texels, places, clamp, linear)
    assert (found[:, 0].view(np.float32) == want).all()
    border = clamp == BORDER
    assert border or (found[:, 3].view(np.float32) == 1).all()


@pytest.mark.parametrize("chip", CHIPS)
def test_layers_round_and_stay(chip: str) -> None:
    bench = Bench(chip, "f32x1", "2darray", (3, 2, 64))
    rows = np.array([[3.5, 1.5, z] for z in (-4, 0, 0.4, 0.6, 1.5, 2.5, 9)], np.float32)
    found = bench.run(
        sample_program(_plain(chip), "2darray"), rows, sampler_words(unnormalized=True)
    )
    want = bench.texels[[0, 0, 0, 1, 2, 2, 2], 1, 3, 0]
    assert (found[:, 0].view(np.float32) == want).all()


@pytest.mark.parametrize("chip", CHIPS)
def test_cubes_have_six_faces(chip: str) -> None:
    """A face's coordinates run from 1 to 2; a second cube begins at 8."""
    bench = Bench(chip, "f32x1", "cube", (12, 64, 64))
    faces = [(cube, face) for cube in range(2) for face in range(6)]
    rows = np.array([[1 + 5.5 / 64, 1 + 9.5 / 64, 8 * c + f] for c, f in faces], np.float32)
    found = bench.run(sample_program(_plain(chip), "cube"), rows, sampler_words())
    assert (found[:, 0].view(np.float32) == bench.texels[:, 9, 5, 0]).all()


@pytest.mark.parametrize("chip", CHIPS)
def test_halves_lie_in_pairs(chip: str) -> None:
    bench = Bench(chip, "f16x4", "2d", (1, 4, 8))
    rows = np.zeros((6, 4), np.float16)  # a half in the low end of each dword
    rows[:, 0] = np.arange(6) + 0.5
    rows[:, 2] = 2.5
    found = bench.run(half_program(_plain(chip)), rows, sampler_words(unnormalized=True))
    assert (found.view(np.float16)[:, :4] == bench.texels[0, 2, :6]).all()


@pytest.mark.parametrize("chip", CHIPS[1:])
def test_gathers_offsets_levels_and_gradients(chip: str) -> None:
    bench = Bench(chip, "f32x2", "2d", (1, 8, 8))
    grid = bench.texels[0].astype(np.float32)
    x, y = 3, 4
    at = [(x + 1.25) / 8, (y + 0.75) / 8]  # between texels 3 and 4, and 4 and 5
    rows = np.array([at], np.float32)
    found = bench.run(sample_program("gather4.lz", "2d", 1), rows, sampler_words())
    around = [grid[y + 1, x], grid[y + 1, x + 1], grid[y, x + 1], grid[y, x]]
    assert found[0].view(np.float32).tolist() == [texel[1] for texel in around]
    offset = np.array([0x3E | 2 << 8], np.uint32).view(np.float32)[0]  # -2 in x, 2 in y
    moved = np.array([[offset, *at]], np.float32)
    found = bench.run(sample_program("sample.lz.o", "2d"), moved, sampler_words())
    assert found[0, 0].view(np.float32) == grid[y + 2, x - 1, 0]
    for operation, row in (("sample.l", [*at, 0.0]), ("sample.d", [0.1, 0, 0, 0.1, *at])):
        found = bench.run(
            sample_program(operation, "2d"), np.array([row], np.float32), sampler_words()
        )
        assert found[0, 0].view(np.float32) == grid[y, x + 1, 0]


@pytest.mark.parametrize(
    ("word", "bits", "what"),
    [(3, 9 << 20, "tile mode 9"), (3, 1 << 16, "mipmap"), (6, 1 << 21, "compressed")],
)
def test_what_is_not_modelled_is_named(word: int, bits: int, what: str) -> None:
    bench = Bench("gfx1100", "f32x1", "2d", (1, 2, 2))
    bench.words[word] |= bits
    with pytest.raises(PtxError, match=what):
        bench.run(load_program("2d"), np.zeros((1, 2), np.uint32))


def test_an_image_beyond_its_array_is_a_fault() -> None:
    bench = Bench("gfx1100", "f32x1", "2d", (1, 2, 2))
    bench.words[2] |= 63 << 14
    with pytest.raises(PtxError, match=r"outside all arrays.*lane 1"):
        bench.run(load_program("2d"), np.array([[0, 0], [0, 60]], np.uint32))
