"""Cubes: a direction becomes a face and a place on it, and so do its gradients.

Comes in: three floats. Goes out: what the instructions that sample cubes take. The faces are in
CUDA's order, +x -x +y -y +z -z.
"""

from __future__ import annotations

from collections.abc import Sequence

from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.records import dataclass

_CUBE = "float @llvm.amdgcn.cube{}(float, float, float)"
_ABS = "float @llvm.fabs.f32(float)"
_FIRST_OF_Y, _FIRST_OF_Z = "2.0", "4.0"


@dataclass(frozen=True, slots=True)
class Face:
    """`number`: a float; `s` and `t`: along rows and columns; `length`: twice the component of the
    major axis, without its sign; `is_negative`: that sign.
    """

    number: str
    s: str
    t: str
    length: str
    is_negative: str

    def places(self, e: Emitter) -> list[str]:
        """The place on the face, from 0 to 1."""
        quotients = [e.let(f"fdiv float {part}, {self.length}") for part in (self.s, self.t)]
        return [e.let(f"fadd float {quotient}, 0.5") for quotient in quotients]

    def steps(self, e: Emitter, gradient: Sequence[str]) -> list[str]:
        """How fast the place moves: the derivative of s / length, and of t."""
        *moves, of_length = self._seen(e, gradient)
        found = []
        for part, of_part in zip((self.s, self.t), moves, strict=True):
            quotient = e.let(f"fdiv float {part}, {self.length}")
            back = e.let(f"fmul float {quotient}, {of_length}")
            found.append(
                e.let(f"fdiv float {e.let(f'fsub float {of_part}, {back}')}, {self.length}")
            )
        return found

    def _seen(self, e: Emitter, vector: Sequence[str]) -> tuple[str, str, str]:
        """A vector along the face's rows and columns, and twice along its axis."""
        x, y, z = vector
        is_z = e.let(f"fcmp oge float {self.number}, {_FIRST_OF_Z}")
        is_y = e.let(f"fcmp oge float {self.number}, {_FIRST_OF_Y}")

        def pick(condition: str, yes: str, no: str) -> str:
            return e.let(f"select i1 {condition}, float {yes}, float {no}")

        minus_x, minus_y, minus_z = (e.let(f"fneg float {part}") for part in vector)
        s_of_x = pick(self.is_negative, z, minus_z)
        s = pick(is_z, pick(self.is_negative, minus_x, x), pick(is_y, x, s_of_x))
        t_of_y = pick(self.is_negative, minus_z, z)
        t = pick(is_z, minus_y, pick(is_y, t_of_y, minus_y))
        along = pick(is_z, z, pick(is_y, y, x))
        along = pick(self.is_negative, e.let(f"fneg float {along}"), along)
        return s, t, e.let(f"fadd float {along}, {along}")


def face_of(e: Emitter, direction: Sequence[str]) -> Face:
    """The face that a direction from the middle of the cube meets."""
    number, s, t, major = (
        e.let(e.call(_CUBE.format(name), *direction)) for name in ("id", "sc", "tc", "ma")
    )
    length = e.let(e.call(_ABS, major))
    return Face(number, s, t, length, e.let(f"fcmp olt float {major}, 0.0"))
