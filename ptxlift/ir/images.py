"""What the IR's texture and surface ops carry as attributes, and the order of their operands.

Objects are 64-bit addresses (`target.image_object`). The operands of an op stand in this order,
each an i32 unless said otherwise, and each only where it is said to be there:

`texture<geometry, number, lod, offset>` -> four i32, the channels r g b a as they come:
    texture object i64, sampler object i64 (the same value in unified mode), layer (arrays; not
    clamped yet), sample (multisample), coordinates (`number` F32: floats; SIGNED: texels), for
    `lod` LEVEL the level (f32, or an integer with integer coordinates), for GRADIENT d/dx of each
    coordinate and then d/dy of each, and with `offset` what is added to each coordinate in texels
    (cubes have none).
`texture_gather<geometry, component, offset>` -> four i32: one channel of the texels (x0, y1),
    (x1, y1), (x1, y0), (x0, y0) that linear filtering would read. Operands as of a
    `texture` with floats.
`image_query<query>` -> i32: object i64; the level where a level is asked about.
`surface_load<geometry, width, count, border>` -> `count` values: object i64, layer, coordinates; x
    counts bytes.
`surface_store<geometry, width, count, border, formatted>`: the same and then `count` values;
    `formatted`: x counts texels and values are 32-bit channels that are converted.
`surface_reduce<geometry, width, op, number, border, formatted>`: the same and then one value;
    `formatted`: the object says whether values are signed, `number` is BITS.
"""

from __future__ import annotations

from enum import Enum


class Geometry(Enum):
    """PTX's word, the number of coordinates, and what is chosen before: a layer, a sample."""

    D1 = ("1d", 1, False, False)
    D2 = ("2d", 2, False, False)
    D3 = ("3d", 3, False, False)
    A1D = ("a1d", 1, True, False)
    A2D = ("a2d", 2, True, False)
    CUBE = ("cube", 3, False, False)
    ACUBE = ("acube", 3, True, False)
    D2MS = ("2dms", 2, False, True)
    A2DMS = ("a2dms", 2, True, True)

    @property
    def word(self) -> str:
        return self.value[0]

    @property
    def coordinates(self) -> int:
        return self.value[1]

    @property
    def has_layer(self) -> bool:
        return self.value[2]

    @property
    def has_sample(self) -> bool:
        return self.value[3]

    @property
    def is_cube(self) -> bool:
        return self in (Geometry.CUBE, Geometry.ACUBE)

    @property
    def dimensions(self) -> int:
        """Of the image that is sampled: a cube's face has two."""
        return 2 if self.is_cube else self.coordinates


IMAGE_OPS = frozenset(
    {
        "texture", "texture_gather", "image_query", "surface_load", "surface_store",
        "surface_reduce",
    }
)  # fmt: skip
GEOMETRIES = {geometry.word: geometry for geometry in Geometry}


class Lod(Enum):
    """How the level of a mipmap is chosen."""

    BASE = "base"  # level 0
    LEVEL = "level"
    GRADIENT = "grad"


class Border(Enum):
    """What a surface access outside of the image does."""

    TRAP = "trap"
    CLAMP = "clamp"  # the texel at the edge
    ZERO = "zero"  # loads give zeros, stores do nothing


class ImageQuery(Enum):
    """What `txq` and `suq` ask; PTX's words."""

    WIDTH = "width"
    HEIGHT = "height"
    DEPTH = "depth"
    CHANNEL_DATA_TYPE = "channel_data_type"
    CHANNEL_ORDER = "channel_order"
    NORMALIZED_COORDS = "normalized_coords"
    ARRAY_SIZE = "array_size"
    NUM_MIPMAP_LEVELS = "num_mipmap_levels"
    NUM_SAMPLES = "num_samples"
    MEMORY_LAYOUT = "memory_layout"
    FORCE_UNNORMALIZED_COORDS = "force_unnormalized_coords"
    FILTER_MODE = "filter_mode"
    ADDR_MODE_0 = "addr_mode_0"
    ADDR_MODE_1 = "addr_mode_1"
    ADDR_MODE_2 = "addr_mode_2"
