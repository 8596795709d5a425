"""Random LLVM IR that means something for all inputs: no poison, no undefined behaviour.

A program is a list of steps that name their operands by number, modulo what there is; so any step
may be dropped and the rest is a program still. Out comes the text of `@body(ptr in, ptr out)`,
which one thread runs: integer and float operations, branches, loops, a local array.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

_INTEGERS = ("i8", "i16", "i32", "i64")
_FLOATS = ("float", "double")
_BITS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "float": 32, "double": 64}
_TYPES = (*_INTEGERS, *_FLOATS)
_BINARY = ("add", "sub", "mul", "and", "or", "xor")
_INTRINSICS = ("umin", "umax", "smin", "smax", "uadd.sat", "usub.sat", "sadd.sat", "ssub.sat")
_COUNTS = ("ctpop", "ctlz", "cttz", "bitreverse", "bswap", "abs")
_SHIFTS = ("shl", "lshr", "ashr", "fshl", "fshr")
_DIVISIONS = ("udiv", "urem", "sdiv", "srem")
_INTEGER_TESTS = ("eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge")
_FLOAT_TESTS = (
    "oeq", "one", "olt", "ole", "ogt", "oge", "ord",
    "ueq", "une", "ult", "ule", "ugt", "uge", "uno",
)  # fmt: skip
_FLOAT_BINARY = ("fadd", "fsub", "fmul", "fdiv")
_FLOAT_UNARY = ("fneg", "fabs", "sqrt", "floor", "ceil", "trunc", "rint", "fma", "copysign")
_KINDS = (
    ("binary", 6), ("shift", 3), ("division", 1), ("intrinsic", 2), ("count", 2), ("compare", 2),
    ("select", 2), ("resize", 3), ("wide", 1), ("float", 4), ("float_unary", 3), ("to_integer", 1),
    ("to_float", 1), ("convert", 1), ("bitcast", 1), ("load", 2), ("store", 2), ("output", 1),
    ("overflow", 1), ("odd", 1), ("vector", 2), ("copy", 1), ("class", 1),
    ("if", 1), ("loop", 1), ("switch", 1),
)  # fmt: skip
_BODIES = {"if": 2, "loop": 1, "switch": 4}
_OVERFLOWS = ("uadd", "sadd", "usub", "ssub", "umul", "smul")
_ODD = ("i3", "i12", "i24", "i48")
_VECTORS = ("<2 x i16>", "<4 x i8>", "<2 x i32>", "<4 x i16>")
_CLASSES = (0x1, 0x2, 0x3, 0x60, 0x90, 0x108, 0x204, 0x264, 0x198, 0x3FC)  # of LLVM's fp classes


@dataclass(frozen=True, slots=True)
class Step:
    """One operation. `picks`: numbers that choose its form and operands; `bodies`: of branches."""

    kind: str
    picks: tuple[int, ...]
    bodies: tuple[tuple[Step, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class LlvmProgram:
    """`inlined`: the body becomes part of the kernel; else it is called."""

    steps: tuple[Step, ...]
    inlined: bool

    @property
    def body(self) -> str:
        """The text of `@body`."""
        return _Writer().write(self.steps, "alwaysinline" if self.inlined else "noinline")


def random_llvm_program(rng: random.Random, length: int) -> LlvmProgram:
    """So many steps, those inside branches and loops not counted."""
    steps = tuple(_random_step(rng, 2) for _ in range(length))
    return LlvmProgram(steps, rng.random() < 0.75)


def _random_step(rng: random.Random, depth: int) -> Step:
    kinds, weights = zip(*_KINDS, strict=True)
    kind = rng.choices(kinds, weights)[0]
    picks = tuple(rng.getrandbits(30) for _ in range(6))
    count = _BODIES.get(kind, 0)
    if not count:
        return Step(kind, picks)
    if depth == 0:
        return Step("binary", picks)
    bodies = tuple(
        tuple(_random_step(rng, depth - 1) for _ in range(rng.randint(1, 6))) for _ in range(count)
    )
    return Step(kind, picks, bodies)


@dataclass(slots=True)
class _Writer:
    """Lines of text and the values that are there at the place at hand."""

    lines: list[str] = field(default_factory=list)
    pools: dict[str, list[str]] = field(default_factory=dict)
    declarations: dict[str, None] = field(default_factory=dict)
    label: str = "entry"
    count: int = 0

    def write(self, steps: Sequence[Step], mark: str) -> str:
        self.lines = [f"define internal void @body(ptr %in, ptr %out) {mark} nounwind {{", "entry:"]
        self.let_named("%memory", "alloca [64 x i8], align 8")
        for index in range(8):
            self.do(f"store i64 0, ptr {self.place(index, 8)}, align 8")
        self.pools = {type: [] for type in (*_TYPES, "i1")}
        for index, type in enumerate((*_TYPES, *_TYPES)):
            at = self.let(f"getelementptr i8, ptr %in, i64 {8 * index}")
            self.add(type, f"load {type}, ptr {at}, align 8")
        self.add("i1", f"icmp slt i32 {self.pick('i32', 0)}, {self.pick('i32', 1)}")
        self.steps(steps)
        for index, type in enumerate((*_TYPES, *_TYPES)):
            self.output(index, type, -1 - index // len(_TYPES))
        self.lines += ["  ret void", "}"]
        return "\n".join([*self.lines, *self.declarations]) + "\n"

    # ---- text ----

    def do(self, text: str) -> None:
        self.lines.append("  " + text)

    def let(self, text: str) -> str:
        self.count += 1
        return self.let_named(f"%v{self.count}", text)

    def let_named(self, name: str, text: str) -> str:
        self.do(f"{name} = {text}")
        return name

    def add(self, type: str, text: str) -> str:
        name = self.let(text)
        self.pools[type].append(name)
        return name

    def pick(self, type: str, number: int) -> str:
        pool = self.pools[type]
        return pool[number % len(pool)]

    def call(self, type: str, name: str, *arguments: str) -> str:
        """A call of an overloaded intrinsic on operands of its own type."""
        listed = [a if " " in a else f"{type} {a}" for a in arguments]
        types = ", ".join(a.split(" ")[0] for a in listed)
        suffix = {"float": "f32", "double": "f64"}.get(type, type)
        self.declarations[f"declare {type} @llvm.{name}.{suffix}({types})"] = None
        return f"call {type} @llvm.{name}.{suffix}({', '.join(listed)})"

    def place(self, index: int | str, size: int) -> str:
        if isinstance(index, int):
            return self.let(f"getelementptr i8, ptr %memory, i64 {index * size}")
        scaled = self.let(f"mul i64 {index}, {size}")
        return self.let(f"getelementptr i8, ptr %memory, i64 {scaled}")

    def start(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self.label = label

    # ---- steps ----

    def steps(self, steps: Sequence[Step]) -> None:
        for step in steps:
            getattr(self, f"write_{step.kind}")(step, *step.picks)

    def write_binary(self, _: Step, a: int, b: int, c: int, d: int, *__: int) -> None:
        type = _INTEGERS[a % 4]
        other = str(d % 256 - 128) if d % 3 == 0 else self.pick(type, d)
        self.add(type, f"{_BINARY[b % len(_BINARY)]} {type} {self.pick(type, c)}, {other}")

    def write_shift(self, _: Step, a: int, b: int, c: int, d: int, e: int, f: int) -> None:
        type = _INTEGERS[a % 4]
        name, bits = _SHIFTS[b % len(_SHIFTS)], _BITS[type]
        amount = str(f % bits) if e % 2 else self.pick(type, d)
        if name.startswith("f"):
            self.add(type, self.call(type, name, self.pick(type, c), self.pick(type, e), amount))
            return
        if not e % 2:
            amount = self.let(f"and {type} {amount}, {bits - 1}")
        self.add(type, f"{name} {type} {self.pick(type, c)}, {amount}")

    def write_division(self, _: Step, a: int, b: int, c: int, d: int, e: int, f: int) -> None:
        """By an odd number that is positive, so that nothing overflows."""
        type, name = _INTEGERS[a % 4], _DIVISIONS[b % 4]
        divisor = str(f % 100 + 1)
        if e % 2:
            half = self.let(f"lshr {type} {self.pick(type, d)}, 1")
            divisor = self.let(f"or {type} {half}, 1")
        self.add(type, f"{name} {type} {self.pick(type, c)}, {divisor}")

    def write_intrinsic(self, _: Step, a: int, b: int, c: int, d: int, *__: int) -> None:
        type, name = _INTEGERS[a % 4], _INTRINSICS[b % len(_INTRINSICS)]
        self.add(type, self.call(type, name, self.pick(type, c), self.pick(type, d)))

    def write_count(self, _: Step, a: int, b: int, c: int, *__: int) -> None:
        name = _COUNTS[b % len(_COUNTS)]
        type = _INTEGERS[1 + a % 3] if name == "bswap" else _INTEGERS[a % 4]
        flag = ["i1 false"] * (name in ("ctlz", "cttz", "abs"))
        self.add(type, self.call(type, name, self.pick(type, c), *flag))

    def write_compare(self, _: Step, a: int, b: int, c: int, d: int, *__: int) -> None:
        type = _TYPES[a % len(_TYPES)]
        is_float = type in _FLOATS
        tests = _FLOAT_TESTS if is_float else _INTEGER_TESTS
        word = "fcmp" if is_float else "icmp"
        x, y = self.pick(type, c), self.pick(type, d)
        self.add("i1", f"{word} {tests[b % len(tests)]} {type} {x}, {y}")

    def write_select(self, _: Step, a: int, b: int, c: int, d: int, *__: int) -> None:
        type = _TYPES[a % len(_TYPES)]
        x, y = self.pick(type, c), self.pick(type, d)
        self.add(type, f"select i1 {self.pick('i1', b)}, {type} {x}, {type} {y}")

    def write_resize(self, _: Step, a: int, b: int, c: int, d: int, *__: int) -> None:
        source, target = _INTEGERS[a % 4], _INTEGERS[b % 4]
        if source == target:
            self.add(source, f"{'zext' if d % 2 else 'sext'} i1 {self.pick('i1', c)} to {source}")
            return
        wider = _BITS[target] > _BITS[source]
        word = ("zext" if d % 2 else "sext") if wider else "trunc"
        self.add(target, f"{word} {source} {self.pick(source, c)} to {target}")

    def write_wide(self, _: Step, a: int, b: int, c: int, d: int, e: int, f: int) -> None:
        """A sum or product of twice the width, and one of its halves."""
        type = ("i32", "i64")[a % 2]
        bits = _BITS[type]
        word = "zext" if b % 2 else "sext"
        x, y = (self.let(f"{word} {type} {self.pick(type, n)} to i{2 * bits}") for n in (c, d))
        made = self.let(f"{('mul', 'add', 'sub')[e % 3]} i{2 * bits} {x}, {y}")
        if f % 4:
            made = self.let(f"lshr i{2 * bits} {made}, {bits if f % 4 < 3 else 1}")
        self.add(type, f"trunc i{2 * bits} {made} to {type}")

    def write_float(self, _: Step, a: int, b: int, c: int, d: int, *__: int) -> None:
        type, name = _FLOATS[a % 2], _FLOAT_BINARY[b % 4]
        self.add(type, f"{name} {type} {self.pick(type, c)}, {self.pick(type, d)}")

    def write_float_unary(self, _: Step, a: int, b: int, c: int, d: int, e: int, f: int) -> None:
        type, name = _FLOATS[a % 2], _FLOAT_UNARY[b % len(_FLOAT_UNARY)]
        operands = [self.pick(type, n) for n in (c, d, e)]
        if name == "fneg":
            self.add(type, f"fneg {type} {operands[0]}")
            return
        taken = {"fma": 3, "copysign": 2}.get(name, 1)
        if name == "copysign":  # the sign of a NaN that was computed is anything
            operands[1] = self.number(type, operands[1])
        self.add(type, self.call(type, name, *operands[:taken]))

    def write_to_integer(self, _: Step, a: int, b: int, c: int, d: int, *__: int) -> None:
        source, target = _FLOATS[a % 2], _INTEGERS[b % 4]
        name = f"fpto{'s' if c % 2 else 'u'}i.sat"
        suffix = {"float": "f32", "double": "f64"}[source]
        self.declarations[f"declare {target} @llvm.{name}.{target}.{suffix}({source})"] = None
        operand = self.pick(source, d)
        self.add(target, f"call {target} @llvm.{name}.{target}.{suffix}({source} {operand})")

    def write_to_float(self, _: Step, a: int, b: int, c: int, d: int, *__: int) -> None:
        source, target = _INTEGERS[a % 4], _FLOATS[b % 2]
        word = "sitofp" if c % 2 else "uitofp"
        self.add(target, f"{word} {source} {self.pick(source, d)} to {target}")

    def write_convert(self, _: Step, a: int, b: int, *__: int) -> None:
        if a % 2:
            self.add("double", f"fpext float {self.pick('float', b)} to double")
        else:
            self.add("float", f"fptrunc double {self.pick('double', b)} to float")

    def write_bitcast(self, _: Step, a: int, b: int, c: int, *__: int) -> None:
        real = _FLOATS[a % 2]
        integer = f"i{_BITS[real]}"
        if b % 2:
            self.add(real, f"bitcast {integer} {self.pick(integer, c)} to {real}")
        else:
            number = self.number(real, self.pick(real, c))
            self.add(integer, f"bitcast {real} {number} to {integer}")

    def number(self, type: str, value: str) -> str:
        """The value, 1 for a NaN: its bits differ from machine to machine."""
        is_number = self.let(f"fcmp ord {type} {value}, {value}")
        return self.let(f"select i1 {is_number}, {type} {value}, {type} 1.0")

    def write_load(self, _: Step, a: int, b: int, *__: int) -> None:
        type = _TYPES[a % len(_TYPES)]
        size = _BITS[type] // 8
        self.add(type, f"load {type}, ptr {self.random_place(b, size)}, align {size}")

    def write_store(self, _: Step, a: int, b: int, c: int, *__: int) -> None:
        type = _TYPES[a % len(_TYPES)]
        size, value = _BITS[type] // 8, self.pick(type, c)
        if type in _FLOATS:
            value = self.number(type, value)
        self.do(f"store {type} {value}, ptr {self.random_place(b, size)}, align {size}")

    def random_place(self, b: int, size: int) -> str:
        """A constant place of the local array, or one that is computed."""
        if b % 2:
            return self.place(b // 2 % (64 // size), size)
        index = self.let(f"zext i32 {self.pick('i32', b // 2)} to i64")
        return self.place(self.let(f"and i64 {index}, {64 // size - 1}"), size)

    def write_output(self, _: Step, a: int, b: int, c: int, *__: int) -> None:
        self.output(12 + a % 4, _TYPES[b % len(_TYPES)], c)

    def output(self, word: int, type: str, number: int) -> None:
        value = self.pick(type, number)
        if type in _FLOATS:
            value = self.number(type, value)
        at = self.let(f"getelementptr i8, ptr %out, i64 {8 * word}")
        self.do(f"store {type} {value}, ptr {at}, align 8")

    def write_overflow(self, _: Step, a: int, b: int, c: int, d: int, *__: int) -> None:
        type, name = _INTEGERS[a % 4], _OVERFLOWS[b % len(_OVERFLOWS)]
        pair, full = f"{{ {type}, i1 }}", f"llvm.{name}.with.overflow.{type}"
        self.declarations[f"declare {pair} @{full}({type}, {type})"] = None
        x, y = self.pick(type, c), self.pick(type, d)
        both = self.let(f"call {pair} @{full}({type} {x}, {type} {y})")
        self.add(type, f"extractvalue {pair} {both}, 0")
        self.add("i1", f"extractvalue {pair} {both}, 1")

    def write_odd(self, _: Step, a: int, b: int, c: int, d: int, e: int, f: int) -> None:
        """An operation of a width that no machine has."""
        odd = _ODD[a % len(_ODD)]
        x, y = (self.let(f"trunc i64 {self.pick('i64', n)} to {odd}") for n in (c, d))
        made = self.let(f"{_BINARY[b % len(_BINARY)]} {odd} {x}, {y}")
        if f % 3 == 0:
            made = self.let(f"{('lshr', 'ashr', 'shl')[e % 3]} {odd} {made}, {1 + f % 2}")
        self.add("i64", f"{'zext' if e % 2 else 'sext'} {odd} {made} to i64")

    def write_vector(self, _: Step, a: int, b: int, c: int, d: int, e: int, f: int) -> None:
        """An operation on the parts of a word, whose order may change."""
        type = _VECTORS[a % len(_VECTORS)]
        whole = "i32" if a % len(_VECTORS) < 2 else "i64"
        x, y = (self.let(f"bitcast {whole} {self.pick(whole, n)} to {type}") for n in (c, d))
        made = self.let(f"{_BINARY[b % len(_BINARY)]} {type} {x}, {y}")
        if e % 2:
            count = int(type[1])
            mask = ", ".join(f"i32 {(f >> 3 * n) % (2 * count)}" for n in range(count))
            made = self.let(f"shufflevector {type} {made}, {type} {y}, <{count} x i32> <{mask}>")
        self.add(whole, f"bitcast {type} {made} to {whole}")

    def write_copy(self, _: Step, a: int, b: int, c: int, *__: int) -> None:
        """A part of the local array into another, or a byte all over it."""
        half = self.place(a % 8 * 4, 1)
        other = self.place(32 + b % 8 * 4, 1)
        size = c % 5 * 4 % (4 * (8 - max(a % 8, b % 8)) + 1)
        if c % 3:
            self.declarations["declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"] = None
            arguments = f"ptr align 4 {half}, ptr align 4 {other}, i64 {size}, i1 false"
            self.do(f"call void @llvm.memcpy.p0.p0.i64({arguments})")
        else:
            self.declarations["declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"] = None
            arguments = f"ptr align 4 {half}, i8 {self.pick('i8', c)}, i64 {size}, i1 false"
            self.do(f"call void @llvm.memset.p0.i64({arguments})")

    def write_class(self, _: Step, a: int, b: int, c: int, *__: int) -> None:
        type = _FLOATS[a % 2]
        suffix = {"float": "f32", "double": "f64"}[type]
        self.declarations[f"declare i1 @llvm.is.fpclass.{suffix}({type}, i32)"] = None
        operand = self.pick(type, c)
        test = _CLASSES[b % len(_CLASSES)]
        self.add("i1", f"call i1 @llvm.is.fpclass.{suffix}({type} {operand}, i32 {test})")

    # ---- control ----

    def write_switch(self, step: Step, a: int, b: int, c: int, *__: int) -> None:
        """Four ways by the low bits of a word; each leaves a value."""
        self.count += 1
        number, type = self.count, _TYPES[b % len(_TYPES)]
        chosen = self.let(f"and i32 {self.pick('i32', a)}, {3 + c % 2 * 4}")
        cases = " ".join(f"i32 {n}, label %way{number}.{n}" for n in range(3))
        self.do(f"switch i32 {chosen}, label %way{number}.3 [ {cases} ]")
        ways = []
        for index, body in enumerate(step.bodies):
            self.start(f"way{number}.{index}")
            kept = {type: list(pool) for type, pool in self.pools.items()}
            self.steps(body)
            ways.append(f"[ {self.pick(type, -1)}, %{self.label} ]")
            self.do(f"br label %met{number}")
            self.pools = kept
        self.start(f"met{number}")
        self.add(type, f"phi {type} {', '.join(ways)}")

    def write_if(self, step: Step, a: int, b: int, c: int, d: int, e: int, f: int) -> None:
        self.count += 1
        labels = [f"{name}{self.count}" for name in ("then", "else", "join")]
        self.do(f"br i1 {self.pick('i1', a)}, label %{labels[0]}, label %{labels[1]}")
        types = [_TYPES[n % len(_TYPES)] for n in (b, c)]
        ways = []
        for label, body, number in zip(labels, step.bodies, (d, e), strict=False):
            self.start(label)
            kept = {type: list(pool) for type, pool in self.pools.items()}
            self.steps(body)
            ways.append((self.label, [self.pick(type, -1 - number % 3) for type in types]))
            self.do(f"br label %{labels[2]}")
            self.pools = kept
        self.start(labels[2])
        for index, type in enumerate(types):
            incoming = ", ".join(f"[ {values[index]}, %{label} ]" for label, values in ways)
            self.add(type, f"phi {type} {incoming}")

    def write_loop(self, step: Step, a: int, b: int, c: int, d: int, e: int, f: int) -> None:
        """Up to eight times round, with two values that are carried."""
        masked = self.let(f"and i32 {self.pick('i32', a)}, 7")
        self.count += 1
        number, before = self.count, self.label
        types = [_TYPES[n % len(_TYPES)] for n in (b, c)]
        initial = [self.pick(type, n) for type, n in zip(types, (d, e), strict=True)]
        self.do(f"br label %loop{number}")
        self.start(f"loop{number}")
        first = len(self.lines)
        kept = {type: list(pool) for type, pool in self.pools.items()}
        names = [f"%carried{number}.{index}" for index in range(2)]
        for type, name in zip(types, names, strict=True):
            self.pools[type].append(name)
        self.pools["i32"].append(f"%turn{number}")
        self.steps(step.bodies[0])
        following = [self.pick(type, -1 - f % 3) for type in types]
        next_turn = self.let(f"add i32 %turn{number}, 1")
        again = self.let(f"icmp ule i32 {next_turn}, {masked}")
        end = self.label
        self.do(f"br i1 {again}, label %loop{number}, label %after{number}")
        phis = [f"  %turn{number} = phi i32 [ 0, %{before} ], [ {next_turn}, %{end} ]"]
        for name, type, start, value in zip(names, types, initial, following, strict=True):
            phis.append(f"  {name} = phi {type} [ {start}, %{before} ], [ {value}, %{end} ]")
        self.lines[first:first] = phis
        self.start(f"after{number}")
        self.pools = kept
        for type, value in zip(types, following, strict=True):
            self.pools[type].append(value)
