"""Statements with branches, loops, predicates and scopes of their own."""

from __future__ import annotations

import numpy as np

from catalogue.bits import python
from catalogue.model import Entry


def gcd(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return a


COLLATZ = """{
    .reg .u32 n, t; .reg .pred p, q;
    mov.u32 n, %1;
    mov.u32 %0, 0;
LOOP_%=:
    setp.le.u32 p, n, 1;
    @p bra DONE_%=;
    and.b32 t, n, 1;
    setp.eq.u32 q, t, 1;
    @q mad.lo.u32 n, n, 3, 1;
    @!q shr.u32 n, n, 1;
    add.u32 %0, %0, 1;
    bra LOOP_%=;
DONE_%=:
}"""
GCD = """{
    .reg .u32 a, b, r; .reg .pred p;
    mov.u32 a, %1; mov.u32 b, %2;
$again: setp.eq.u32 p, b, 0;
    @p bra.uni $end;
    rem.u32 r, a, b; mov.u32 a, b; mov.u32 b, r;
    bra $again;
$end: mov.u32 %0, a;
}"""
TABLE = """{
    .reg .u32 i; min.u32 i, %1, 3;
    ts: .branchtargets L0, L1, L2, L3;
    brx.idx i, ts;
L0: mov.u32 %0, 100; bra LE;
L1: mov.u32 %0, 200; bra LE;
L2: mov.u32 %0, 300; bra LE;
L3: mov.u32 %0, 400;
LE:
}"""


def steps(n: int) -> int:
    count = 0
    while n > 1:
        n, count = (3 * n + 1 if n & 1 else n >> 1), count + 1
    return count


ENTRIES = (
    Entry(
        "loop_with_unique_labels",
        COLLATZ,
        ("=u32", "u32"),
        python(steps),
        data={1: [1, 2, 3, 7, 27, 0]},
    ),
    Entry(
        "greatest_common_divisor",
        GCD,
        ("=u32", "u32", "u32"),
        python(gcd),
        data={1: [12, 18, 35, 0, 1071], 2: [18, 12, 0, 49, 462, 7]},
    ),
    Entry(
        "branch_table",
        TABLE,
        ("=u32", "u32"),
        lambda a: np.minimum(a, 3) * 100 + 100,
        data={1: [0, 1, 2, 3, 4, 99]},
    ),
    Entry(
        "guarded_move",
        "{ .reg .pred p; setp.gt.s32 p, %1, 0; @p mov.s32 %0, 1; }",
        ("+s32", "s32"),
        lambda a, b: np.where(b > 0, 1, a),
    ),
    Entry(
        "two_predicates",
        "{ .reg .pred p, q; setp.lt.and.s32 p, %1, 10, 1; setp.ge.s32 q, %1, 0;\n"
        " and.pred p, p, q; selp.s32 %0, %1, -1, p; }",
        ("=s32", "s32"),
        lambda a: np.where((a >= 0) & (a < 10), a, -1),
        data={1: [-5, 0, 3, 9, 10, 11]},
    ),
    Entry(
        "both_results_of_setp",
        "{ .reg .pred p, q; setp.eq.u32 p|q, %1, %2; selp.u32 %0, 1, 0, q; }",
        ("=u32", "u32", "u32"),
        lambda a, b: (a != b).astype(np.uint32),
        data={1: [1, 2, 3], 2: [1, 5]},
    ),
    Entry(
        "inner_scopes",
        "{ .reg .u32 t; mov.u32 t, %1; { .reg .u32 t; mov.u32 t, 5; add.u32 %0, t, 1; }\n"
        " add.u32 %0, %0, t; }",
        ("=u32", "u32"),
        lambda a: a + np.uint32(6),
    ),
    Entry(
        "written_input",
        "add.u32 %1, %1, 3;\nmov.u32 %0, %1;",
        ("=u32", "u32"),
        lambda a: a + np.uint32(3),
    ),
    Entry(
        "output_read_again", "mov.u32 %0, %1; add.u32 %0, %0, %0;", ("=u32", "u32"), lambda a: a + a
    ),
    Entry(
        "comments",
        "// first\nadd.u32 %0, %1, 1; /* then\n more */ add.u32 %0, %0, 1; // last",
        ("=u32", "u32"),
        lambda a: a + np.uint32(2),
    ),
    Entry(
        "no_semicolon",
        "{ add.u32 %0, %1, 1; }\nxor.b32 %0, %0, 7",
        ("=u32", "u32"),
        lambda a: a + np.uint32(1) ^ np.uint32(7),
    ),
    Entry("mnemonic_as_text", "%3.u32 %0, %1, %2;", ("=u32", "u32", "u32", "min"), np.minimum),
    Entry(
        "skip_ahead",
        "{ .reg .pred p; mov.u32 %0, %1; setp.lt.u32 p, %1, 100; @p bra L;\n"
        " mov.u32 %0, 100;\nL:\n}",
        ("=u32", "u32"),
        lambda a: np.minimum(a, 100),
    ),
    Entry(
        "local_array",
        "{ .local .align 8 .b32 v[2]; .reg .u32 t; st.local.u32 [v], %1;\n"
        " st.local.u32 [v+4], %2; ld.local.u32 t, [v]; ld.local.u32 %0, [v+4];\n"
        " sub.u32 %0, %0, t; }",
        ("=u32", "u32", "u32"),
        lambda a, b: b - a,
    ),
    Entry("nothing_but_operand", "", ("+u32",), lambda a: a, volatile=True),
)
