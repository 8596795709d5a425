"""Cases whose interest is control flow: calls, switches, local arrays, graphs, fences."""

from __future__ import annotations

import math

import numpy as np

from .model import Array, Case, Inputs


def bfs_inputs(rng: np.random.Generator) -> Inputs:
    vertices = 120
    degrees = rng.integers(0, 9, vertices)
    starts = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int32)
    edges = rng.integers(0, vertices, starts[-1], dtype=np.int32)
    frontier = rng.permutation(vertices)[:37].astype(np.int32)
    depth = np.full(vertices, -1, np.int32)
    depth[frontier] = 4
    queue = [np.full(vertices, -1, np.int32), np.zeros(1, np.int32)]
    return [starts, edges, frontier, np.int32(len(frontier)), np.int32(5), depth, *queue]


def bfs_reference(inputs: Inputs) -> dict[int, Array]:
    starts, edges, frontier, _, level, depth, queue, found = inputs
    seen = {int(edge) for v in frontier for edge in edges[starts[v] : starts[v + 1]]}
    new = sorted(v for v in seen if depth[v] == -1)
    depth[new] = level
    queue[len(queue) - len(new) :] = new
    found[0] = len(new)
    return {5: depth, 6: queue, 7: found}


def calls_inputs(rng: np.random.Generator) -> Inputs:
    n = 75
    a = rng.integers(-100000, 100000, n, dtype=np.int32)
    b = rng.integers(1, 400, n, dtype=np.int32) * rng.choice([-1, 1], n).astype(np.int32)
    return [a, b, np.zeros((n, 4), np.int32), np.zeros(n, np.uint64), np.int32(n)]


def collatz(value: int) -> tuple[int, int]:
    """Steps to one and the highest value on the way."""
    steps, peak = 0, value
    while value != 1:
        value = 3 * value + 1 if value % 2 else value // 2
        peak = max(peak, value)
        steps += 1
    return steps, peak


def calls_reference(inputs: Inputs) -> dict[int, Array]:
    a, b, out, peaks, n = inputs
    for at in range(n):
        x, y = int(a[at]), int(b[at])
        quotient = int(math.copysign(abs(x) // abs(y), x * y)) if x else 0
        steps, peaks[at] = collatz(at + 1)
        out[at] = [math.gcd(x, y), quotient, x - quotient * y, steps]
    return {2: out, 3: peaks}


# Push n, load input, add, multiply, subtract, swap, duplicate, shift, jump if non-zero, not.
PUSH, LOAD, ADD, MUL, SUB, SWAP, DUP, SHIFT, JUMP, NOT, HALT = range(11)


def encode(op: int, value: int = 0) -> int:
    return op | value << 8


# With x the input: counts x & 15 down to zero, adding the square of each value on the way.
PROGRAM = (
    *(encode(PUSH, 0), encode(LOAD)),  # sum k
    *(encode(DUP), encode(DUP), encode(MUL)),  # sum k k*k
    *(encode(SWAP), encode(PUSH, 1), encode(SUB)),  # sum k*k k-1
    *(encode(DUP), encode(SHIFT, 31), encode(NOT)),  # sum k*k k-1 ~(sign)
    encode(JUMP, 3),  # k-1 >= 0: go on
    *(encode(PUSH, 7), encode(MUL), encode(HALT)),  # 7 * (k-1), stop
    *(encode(SWAP), encode(PUSH, 3), encode(ADD)),  # sum k-1 k*k+3
    *(encode(SWAP), encode(PUSH, 1), encode(JUMP, -19)),  # again
)


def machine_inputs(rng: np.random.Generator) -> Inputs:
    n = 80
    values = rng.integers(0, 30, n, dtype=np.int32)
    program = np.array(PROGRAM, np.int32)
    return [program, np.int32(len(program)), values, np.zeros(n, np.int32), np.int32(n)]


def run_machine(program: list[int], value: int) -> int:
    """The machine as a table of stack effects, on a ring of 16 words."""
    stack = [0] * 16
    top = pc = 0
    for _ in range(200):
        if pc >= len(program):
            break
        op, number = program[pc] & 255, program[pc] >> 8
        pc += 1
        a, b = stack[(top - 1) & 15], stack[(top - 2) & 15]
        pops, pushes = {
            PUSH: (0, (number,)),
            LOAD: (0, (value,)),
            ADD: (2, (b + a,)),
            MUL: (2, (b * a,)),
            SUB: (2, (b - a,)),
            SWAP: (2, (a, b)),
            DUP: (0, (a,)),
            SHIFT: (1, (a >> (number & 31),)),
            JUMP: (1, ()),
            NOT: (1, (~a,)),
            HALT: (0, ()),
        }[op]
        top -= pops
        for word in pushes:
            stack[top & 15] = word
            top += 1
        if op == HALT:
            break
        pc += number if op == JUMP and a != 0 else 0
    return stack[(top - 1) & 15]


def machine_reference(inputs: Inputs) -> dict[int, Array]:
    program = inputs[0].tolist()
    return {3: np.array([run_machine(program, int(v)) for v in inputs[2]], np.int32)}


def local_sort_inputs(rng: np.random.Generator) -> Inputs:
    keys = rng.integers(-99, 99, (64, 16), dtype=np.int16)
    return [keys, np.zeros_like(keys), np.zeros(64, np.uint32)]


def local_sort_reference(inputs: Inputs) -> dict[int, Array]:
    keys = inputs[0]
    # Insertion sort moves one key for each inversion.
    pairs = keys[:, :, None] > keys[:, None, :]
    inversions = np.triu(np.ones((16, 16), bool), 1)
    moves = (pairs & inversions).sum((1, 2)).astype(np.uint32)
    return {1: np.sort(keys, axis=1), 2: moves}


def fence_inputs(rng: np.random.Generator) -> Inputs:
    values = rng.integers(-999, 999, (5, 64), dtype=np.int32)
    return [values, np.zeros(5, np.int32), np.zeros(1, np.uint32), np.zeros(1, np.int32)]


def fence_reference(inputs: Inputs) -> dict[int, Array]:
    values = inputs[0]
    return {1: values.sum(1, dtype=np.int32), 3: values.sum(keepdims=True, dtype=np.int32)[0]}


CASES = (
    Case(
        name="bfs_frontier",
        source="cuda/bfs_frontier.cu",
        kernel="bfs_frontier",
        grid=(2, 1, 1),
        block=(32, 1, 1),
        make_inputs=bfs_inputs,
        reference=bfs_reference,
        canonical={6: np.sort},
    ),
    Case(
        name="noinline_calls",
        source="cuda/noinline_calls.cu",
        kernel="noinline_calls",
        grid=(2, 1, 1),
        block=(64, 1, 1),
        make_inputs=calls_inputs,
        reference=calls_reference,
    ),
    Case(
        name="stack_machine",
        source="cuda/stack_machine.cu",
        kernel="stack_machine",
        grid=(2, 1, 1),
        block=(64, 1, 1),
        make_inputs=machine_inputs,
        reference=machine_reference,
    ),
    Case(
        name="local_sort",
        source="cuda/local_sort.cu",
        kernel="local_sort",
        grid=(1, 1, 1),
        block=(64, 1, 1),
        make_inputs=local_sort_inputs,
        reference=local_sort_reference,
    ),
    Case(
        name="queue_fence",
        source="cuda/queue_fence.cu",
        kernel="queue_fence",
        grid=(5, 1, 1),
        block=(64, 1, 1),
        make_inputs=fence_inputs,
        reference=fence_reference,
    ),
)
