"""Cubes: a direction becomes a face and a place on it.

CUDA C++ Programming Guide, "Cubemap Textures": the face of the largest component, ((s/m)+1)/2 and
((t/m)+1)/2 on it. Which of equal components counts, the guide leaves open: z before y before x, as
v_cubeid_f32 of AMD chips has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from ptxlift.ir.attributes import Format, Rounding
from ptxlift.records import dataclass
from ptxlift.semantics.images.arithmetic import Arithmetic

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Face(Generic[V]):
    """`number`: 0-5 for +x -x +y -y +z -z; `place`: normalised coordinates on it."""

    number: V
    place: tuple[V, V]
    gradients: tuple[tuple[V, V], ...]  # of the place, for each gradient of the direction


@dataclass(frozen=True, slots=True)
class _Axes(Generic[V]):
    """Which component is the major axis, and its sign."""

    is_z: V
    is_y: V
    is_negative: V

    def seen(self, math: Arithmetic[V], vector: Sequence[V]) -> tuple[V, V, V]:
        """(s, t, m) of a vector, by the guide's table; m is positive for the direction itself."""
        x, y, z = vector
        select, minus = math.a.select, math.fneg
        s_of_x = select(self.is_negative, z, minus(z))
        s_of_z = select(self.is_negative, minus(x), x)
        t_of_y = select(self.is_negative, minus(z), z)
        s = select(self.is_z, s_of_z, select(self.is_y, x, s_of_x))
        t = select(math.both(self.is_y, math.neither(self.is_z)), t_of_y, minus(y))
        major = select(self.is_z, z, select(self.is_y, y, x))
        return s, t, select(self.is_negative, minus(major), major)


def face_of(
    math: Arithmetic[V], direction: Sequence[V], gradients: Sequence[Sequence[V]] = ()
) -> Face[V]:
    """The face that a direction from the middle of the cube meets."""
    x, y, z = (math.fabs(part) for part in direction)
    is_z = math.both(math.fnot_below(z, x), math.fnot_below(z, y))
    is_y = math.fnot_below(y, x)
    select = math.a.select
    major = select(is_z, direction[2], select(is_y, direction[1], direction[0]))
    negative = math.fnegative(major)
    axes = _Axes(is_z, is_y, negative)
    s, t, m = axes.seen(math, direction)
    first = select(is_z, math.number(4), select(is_y, math.number(2), math.number(0)))
    number = math.a.add(first, math.a.zext(negative, 32))
    place = tuple(_on_face(math, part, m) for part in (s, t))
    steps = tuple(_step(math, axes.seen(math, gradient), (s, t, m)) for gradient in gradients)
    return Face(number, (place[0], place[1]), steps)


def _divided(math: Arithmetic[V], a: V, b: V) -> V:
    return math.a.fdiv(a, b, Format.F32, Rounding.RN, False)


def _on_face(math: Arithmetic[V], part: V, major: V) -> V:
    return math.ffma(_divided(math, part, major), math.real(0.5), math.real(0.5))


def _step(math: Arithmetic[V], change: tuple[V, V, V], at: tuple[V, V, V]) -> tuple[V, V]:
    """How fast the place on the face moves: the derivative of ((s/m)+1)/2."""
    s, t, m = at
    of_s, of_t, of_m = change
    square = math.fmul(m, m)
    moved = []
    for part, of_part in ((s, of_s), (t, of_t)):
        crossed = math.fsub(math.fmul(of_part, m), math.fmul(part, of_m))
        moved.append(math.fmul(_divided(math, crossed, square), math.real(0.5)))
    return moved[0], moved[1]
