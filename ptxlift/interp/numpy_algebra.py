"""The Algebra over numpy lanes: what the reference interpreter computes with.

Comes in: lanes (see `lanes`). Goes out: lanes. Callers switch numpy's floating-point warnings off.
It must know nothing of PTX text, memory or scheduling.
"""

from __future__ import annotations

from ptxlift.interp.approximate import ApproximateOps
from ptxlift.interp.floats import FloatOps
from ptxlift.interp.integers import IntegerOps
from ptxlift.interp.lanes import Lanes
from ptxlift.semantics.algebra import Algebra
from ptxlift.semantics.definitions import DefinedOps


class NumpyAlgebra(IntegerOps, FloatOps, ApproximateOps, DefinedOps[Lanes]):
    """Every pure op, exact."""


def numpy_algebra() -> Algebra[Lanes]:
    """The algebra, as the protocol that semantics functions take."""
    return NumpyAlgebra()
