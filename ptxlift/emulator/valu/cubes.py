"""Which face of a cube a direction meets, and where: v_cubeid, v_cubesc, v_cubetc, v_cubema.

Comes in: bit patterns of x, y and z. Goes out: an f32. As AMD's ISA documents define them: the
major axis is z where no component is greater, else y where x is not, else x; ma is twice it.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ptxlift.emulator.valu.kinds import Bits, Ctx
from ptxlift.emulator.valu.table import Row

Reals: TypeAlias = NDArray[np.float32]


def _by_axis(x: Bits, y: Bits, z: Bits, of_x: Reals, of_y: Reals, of_z: Reals) -> Bits:
    ax, ay, az = (np.abs(part.view(np.float32)) for part in (x, y, z))
    chosen = np.where((az >= ax) & (az >= ay), of_z, np.where(ay >= ax, of_y, of_x))
    found: Bits = chosen.astype(np.float32).view(np.uint32)
    return found


def _side(part: Reals, negative: Reals | float, positive: Reals | float) -> Reals:
    found: Reals = np.where(part < 0, negative, positive)
    return found


def cube_id(ctx: Ctx, x: Bits, y: Bits, z: Bits) -> Bits:
    """The face: 0 to 5 for +x, -x, +y, -y, +z, -z."""
    fx, fy, fz = (part.view(np.float32) for part in (x, y, z))
    return _by_axis(x, y, z, _side(fx, 1.0, 0.0), _side(fy, 3.0, 2.0), _side(fz, 5.0, 4.0))


def cube_sc(ctx: Ctx, x: Bits, y: Bits, z: Bits) -> Bits:
    """The coordinate that runs along a row of the face."""
    fx, fz = x.view(np.float32), z.view(np.float32)
    return _by_axis(x, y, z, _side(fx, fz, -fz), fx, _side(fz, -fx, fx))


def cube_tc(ctx: Ctx, x: Bits, y: Bits, z: Bits) -> Bits:
    """The coordinate that runs along a column."""
    fy, fz = y.view(np.float32), z.view(np.float32)
    return _by_axis(x, y, z, -fy, _side(fy, -fz, fz), -fy)


def cube_ma(ctx: Ctx, x: Bits, y: Bits, z: Bits) -> Bits:
    """Twice the component of the major axis."""
    two = np.float32(2)
    fx, fy, fz = (part.view(np.float32) * two for part in (x, y, z))
    return _by_axis(x, y, z, fx, fy, fz)


# fmt: off
ROWS = (
    Row("v_cubeid_f32", "f32 = f32 f32 f32", cube_id),
    Row("v_cubesc_f32", "f32 = f32 f32 f32", cube_sc),
    Row("v_cubetc_f32", "f32 = f32 f32 f32", cube_tc),
    Row("v_cubema_f32", "f32 = f32 f32 f32", cube_ma),
)
# fmt: on
