"""Registers of products that travel: around loops ahead of their use, and past branches."""

from __future__ import annotations

import manual_fragments as manual
import numpy as np
import pytest
from matrix_kernels import HEAD, LANES, WARPS, kernel, launch, vector
from matrix_numbers import random_matrix, values_of
from test_mma import gather, spread
from test_native import F16, MATRIX, THREE, run_loop
from test_native_loads import LOADS, PRODUCTS, WARP_BYTES, between_products, run, source

TARGETS = ("gfx942", "gfx1100", "gfx1201")

# Tiles are loaded one round ahead and travel as halves, as Triton's compiler writes them.
HALVES = ", ".join(f"%h{i}" for i in range(16))
SPLIT = "\n".join(
    f"mov.b32 {{%h{2 * i}, %h{2 * i + 1}}}, %{letter}{i % 4};"
    for i, letter in enumerate("aaaabbbb")
)
JOIN = "\n".join(
    f"mov.b32 %{letter}{i % 4}, {{%h{2 * i}, %h{2 * i + 1}}};"
    for i, letter in enumerate("aaaabbbb")
)


def ahead(by_row: bool) -> str:
    """The kernel of test_native_loads with its loads one round ahead."""
    loads = LOADS.format(trans=".trans" if by_row else "", between="") + SPLIT
    plain = source(by_row)
    step = "add.u32 %r10, %r10, 32; add.u32 %r11, %r11, " + ("512;" if by_row else "32;")
    first = LOADS.format(trans=".trans" if by_row else "", between="")
    assert first + PRODUCTS in plain
    assert step in plain
    body = plain.replace(first + PRODUCTS, JOIN + PRODUCTS)
    body = body.replace("mov.u32 %r3, 0;\nLOOP:", f"mov.u32 %r3, 0;\n{loads}\nLOOP:")
    # The round behind the last one reads on; its tiles are not used.
    body = body.replace(step, f"{step}\nbar.warp.sync 0xffffffff;\n{loads}")
    body = body.replace(f"tiles[{2 * WARP_BYTES}]", f"tiles[{2 * WARP_BYTES + 1024}]")
    return body.replace(".reg .pred %t;", f".reg .pred %t; .reg .b16 {HALVES};")


@pytest.mark.parametrize("by_row", [False, True])
@pytest.mark.parametrize("target", ["interpreter", *TARGETS])
def test_tiles_loaded_ahead(target: str, by_row: bool) -> None:
    """No fragment moves between lanes inside the loop: WMMA's two copies of a tile are loaded by
    rows in halves, which a permutation each joins.
    """
    text = run(ahead(by_row), by_row, target, "auto")
    if target != "interpreter":
        assert "permute" not in between_products(text)
        halves = by_row and target == "gfx1100"
        assert ("permlane" in between_products(text)) == halves


@pytest.mark.parametrize("target", TARGETS)
def test_results_leave_behind_the_loop(target: str) -> None:
    """A loop that may be skipped: its results meet others behind it, and move only there."""
    zeros = "\n".join(f"mov.b32 %c{i}, 0;" for i in range(8))
    skip = zeros + "\nmov.u32 %r9, %nctaid.x; setp.eq.u32 %t1, %r9, 7; @%t1 bra BEHIND;"
    skip += "add.u32 %r9, %r9, 2;"
    tail = "@%t0 bra LOOP;\nBEHIND:"

    def around(text: str) -> str:
        return text.replace("@%t0 bra LOOP;", tail)

    text = run_loop(F16, 2, target, "native", "%r9", skip, THREE, around)
    last = list(MATRIX.finditer(text))[-1].end()
    rest = text[last : text.index("s_cbranch", last)]
    assert "permute" not in rest
    assert "permlane" not in rest


@pytest.mark.parametrize("parted", ["shr.u32 %r1, %lane, 5;", "and.b32 %r1, %lane, 1;"])
@pytest.mark.parametrize("target", ["interpreter", *TARGETS])
def test_accumulators_that_some_lanes_replace(target: str, parted: str) -> None:
    """One warp, or every other lane, starts again from zero between two products."""
    rng = np.random.default_rng(3)
    a_bits, a = random_matrix("f16", (WARPS, 16, 16), rng)
    b_bits, b = random_matrix("f16", (WARPS, 16, 8), rng)
    layout = manual.accumulator("m16n8k16")
    inputs = {
        "a": spread(a_bits, manual.LEFT["m16n8k16", 16], 8, 16),
        "b": spread(b_bits, manual.RIGHT["m16n8k16", 16], 4, 16),
    }
    c = vector("c", 4)
    product = f"{F16.text} {c}, {vector('a', 4)}, {vector('b', 2)}, {c};"
    zero = "\n".join(f"mov.b32 %c{i}, 0;" for i in range(4))
    clear = f"{parted} setp.eq.u32 %t0, %r1, 0; @%t0 bra KEPT;\n{zero}\nst.global.b32 [%p2], %lane;"
    body = "\n".join([".reg .b32 %c<4>;", zero, product, clear, "KEPT:", product])
    body += "\n".join(f"mov.b32 %d{i}, %c{i};" for i in range(4))
    widths = {"a": (4, 32), "b": (2, 32), "d": (4, 32)}
    out = np.zeros((LANES, 4), np.uint32)
    text = kernel(body, widths, "ab", "d", HEAD, "")
    launch(text, [*inputs.values(), out], target, "native")
    d = values_of("f32", gather(out, layout, (16, 8), 32))
    lanes = np.arange(LANES)
    kept = (lanes // 32 if "shr" in parted else lanes % 2) == 0
    masks = np.repeat(kept[:, None], 4, axis=1).astype(np.uint32)
    before = gather(masks, layout, (16, 8), 32).astype(float)
    once = a @ b
    twice = np.concatenate([a, a], axis=2), np.concatenate([b, b], axis=1)
    bound = 33 * 2.0**-24 * (np.abs(twice[0]) @ np.abs(twice[1]))
    assert (np.abs(d - (once + before * once)) <= bound).all()


@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("target", ["interpreter", *TARGETS])
def test_accumulators_are_scaled_in_place(target: str, columns: int, early: bool) -> None:
    """Each element is scaled by a value of its own before each product. `early`: one scaled
    element is read before the others are there.
    """
    rng = np.random.default_rng(5)
    a_bits, a = random_matrix("f16", (WARPS, 16, 16), rng)
    right = [random_matrix("f16", (WARPS, 16, 8), rng) for _ in range(columns)]
    layout, count = manual.accumulator("m16n8k16"), 4 * columns
    scales = rng.choice(np.array([-2, -1, -0.5, 0.5, 1], np.float32), (LANES, count))
    inputs = {
        "a": spread(a_bits, manual.LEFT["m16n8k16", 16], 8, 16),
        "b": np.hstack([spread(b, manual.RIGHT["m16n8k16", 16], 4, 16) for b, _ in right]),
        "s": scales.view(np.uint32),
    }
    lines = [f".reg .b32 %c<{count}>; mov.u32 %r0, 0;"]
    lines += [f"mov.b32 %c{i}, 0;" for i in range(count)]
    lines.append("LOOP:")
    for i in range(count):
        lines.append(f"mul.f32 %c{i}, %c{i}, %s{i};")
        lines += ["mov.b32 %e0, %c0;"] if early and i == 0 else []
    for j in range(columns):
        c = "{" + ", ".join(f"%c{4 * j + i}" for i in range(4)) + "}"
        b = f"{{%b{2 * j}, %b{2 * j + 1}}}"
        lines.append(f"{F16.text} {c}, {vector('a', 4)}, {b}, {c};")
    lines += ["add.u32 %r0, %r0, 1; setp.lt.u32 %t0, %r0, 3; @%t0 bra LOOP;"]
    lines += [f"mov.b32 %d{i}, %c{i};" for i in range(count)]
    lines += ["mov.b32 %e0, 0;"] if not early else []
    sizes = {letter: (array.shape[1], 32) for letter, array in inputs.items()}
    text = kernel("\n".join(lines), sizes | {"d": (count, 32), "e": (1, 32)}, "abs", "de", HEAD, "")
    out, read = np.zeros((LANES, count), np.uint32), np.zeros((LANES, 1), np.uint32)
    launch(text, [*inputs.values(), out, read], target, "native")
    for j, (_, b) in enumerate(right):
        part = slice(4 * j, 4 * j + 4)
        d = values_of("f32", gather(out[:, part], layout, (16, 8), 32))
        s = values_of("f32", gather(scales[:, part].view(np.uint32), layout, (16, 8), 32))
        once = a @ b
        expected = once * (1 + s + s * s)
        bound = 52 * 2.0**-24 * (np.abs(a) @ np.abs(b)) * (1 + np.abs(s) + s * s)
        assert (np.abs(d - expected) <= bound).all()
        if early and j == 0:
            last = np.repeat(read, 4, axis=1)
            first = values_of("f32", gather(last, layout, (16, 8), 32))[:, :8, ::2]
            assert (np.abs(first - (s * once * (1 + s))[:, :8, ::2]) <= bound[:, :8, ::2]).all()
