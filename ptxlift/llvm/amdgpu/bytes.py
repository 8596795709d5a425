"""Lowerings of ops on the bytes of words: v_sad_u8, and `prmt` as few v_perm_b32 as it takes.

Comes in: words and a selector. Goes out: plain shifts and extensions where the bytes stay side
by side, so that LLVM can go on with them; else v_perm_b32, which takes bytes of two words, zeros,
ones, and the signs of odd bytes. Signs of even bytes are those of odd bytes of the word shifted up.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ptxlift.ir.core import Op
from ptxlift.llvm.amdgpu.emitter import Emitter
from ptxlift.llvm.amdgpu.nibbles import largest_nibbles, varying_nibbles
from ptxlift.llvm.amdgpu.registry import lowers
from ptxlift.records import dataclass

_PERM = "i32 @llvm.amdgcn.perm(i32, i32, i32)"  # bytes 0 to 3 are the second operand's
_ZEROS, _ONES = 0x0C, 0x0D  # selectors of v_perm_b32 for constant bytes
_FIRST_SIGN = 8  # of bytes 1 and 3 of the second operand, then of the first
_SIGNS_OF_EACH = 0x090B080A  # over (x << 8, x): the sign of byte i of x in byte i
_BYTE = 8


@dataclass(frozen=True, slots=True)
class _Byte:
    """A byte of the result: byte `index` of a (word 0) or b (word 1), or its sign."""

    word: int
    index: int
    sign: bool


_Wanted = _Byte | int  # or a selector of a constant byte


@lowers("prmt")
def _prmt(e: Emitter, op: Op) -> None:
    a, b, selector = op.operands
    constant = e.constant(selector)
    if constant is None:
        _by_register(e, op, e.bits(a), e.bits(b))
        return
    wanted = [_wanted(e, op, constant >> 4 * place & 15) for place in range(4)]
    texts = (e.bits(a), e.bits(b))
    text = _as_plain(e, texts, wanted) or _by_one(e, texts, wanted) or _by_two(e, texts, wanted)
    e.alias(op.results[0], text)


def _wanted(e: Emitter, op: Op, nibble: int) -> _Wanted:
    word, index, sign = nibble >> 2 & 1, nibble & 3, bool(nibble & 8)
    constant = e.constant(op.operands[word])
    if constant is None:
        return _Byte(0 if op.operands[0] is op.operands[1] else word, index, sign)
    byte = constant >> _BYTE * index & 0xFF
    if sign:
        byte = 0xFF if byte & 0x80 else 0
    return {0: _ZEROS, 0xFF: _ONES}.get(byte, _Byte(word, index, False))


@lowers("sad_bytes")
def _sad_bytes(e: Emitter, op: Op) -> None:
    texts = [e.bits(value) for value in op.operands]
    e.set_bits(op.results[0], e.call("i32 @llvm.amdgcn.sad.u8(i32, i32, i32)", *texts))


# ---- without v_perm ----


def _as_plain(e: Emitter, texts: Sequence[str], wanted: Sequence[_Wanted]) -> str | None:
    """Shifts, extensions and swaps, or None."""
    zeros = _leading(wanted, [_ZEROS] * 4)
    if zeros:
        return _moved_up(e, texts, wanted, zeros)
    first = wanted[0]
    assert not isinstance(first, int) or first == _ONES
    if isinstance(first, int):
        return None
    text = texts[first.word]
    if all(byte == first for byte in wanted) and first.sign:
        top = e.let(f"shl i32 {text}, {24 - _BYTE * first.index}")
        return e.let(f"ashr i32 {top}, 31")
    if all(byte == _Byte(first.word, 3 - i, False) for i, byte in enumerate(wanted)):
        return e.let(e.call("i32 @llvm.bswap.i32(i32)", text))
    run = _leading(wanted, [_Byte(first.word, i, False) for i in range(first.index, 4)])
    return _run(e, texts, wanted, first, run) if run else None


def _leading(wanted: Sequence[_Wanted], like: Sequence[_Wanted]) -> int:
    """How many bytes from the bottom on are as given."""
    count = 0
    for byte, other in zip(wanted, like, strict=False):
        if byte != other:
            break
        count += 1
    return count


def _moved_up(
    e: Emitter, texts: Sequence[str], wanted: Sequence[_Wanted], zeros: int
) -> str | None:
    """Zeros, then the bottom of a word."""
    if zeros == 4:
        return "0"
    first = wanted[zeros]
    if isinstance(first, int) or wanted[zeros:] != [
        _Byte(first.word, i, False) for i in range(4 - zeros)
    ]:
        return None
    return e.let(f"shl i32 {texts[first.word]}, {_BYTE * zeros}")


def _run(
    e: Emitter, texts: Sequence[str], wanted: Sequence[_Wanted], first: _Byte, run: int
) -> str | None:
    """Some bytes of a word from the bottom on, then zeros, signs, or the bottom of another word."""
    text, rest = texts[first.word], wanted[run:]
    shift, end = _BYTE * first.index, first.index + run
    if not rest:
        return text
    if all(byte == _ZEROS for byte in rest):
        moved = e.let(f"lshr i32 {text}, {shift}") if shift else text
        return moved if end == 4 else e.let(f"and i32 {moved}, {(1 << _BYTE * run) - 1}")
    if all(byte == _Byte(first.word, end - 1, True) for byte in rest):
        top = e.let(f"shl i32 {text}, {_BYTE * (4 - end)}") if end < 4 else text
        return e.let(f"ashr i32 {top}, {_BYTE * (4 - run)}")
    upper = rest[0]
    if isinstance(upper, int) or end != 4:
        return None
    if rest != [_Byte(upper.word, i, False) for i in range(4 - run)]:
        return None
    funnel = "i32 @llvm.fshr.i32(i32, i32, i32)"
    return e.let(e.call(funnel, texts[upper.word], text, str(shift)))


# ---- with v_perm ----


def _by_one(e: Emitter, texts: Sequence[str], wanted: Sequence[_Wanted]) -> str | None:
    """One v_perm_b32 of two words, each as it is or shifted up by a byte; or None."""
    used = sorted({byte.word for byte in wanted if not isinstance(byte, int)}) or [0]
    words = [(word, up) for up in (0, 1) for word in used]
    pairs = sorted(itertools.product(words, repeat=2), key=_shifts)
    for upper, lower in pairs:
        selectors = [_selector(byte, upper, lower) for byte in wanted]
        if all(selector is not None for selector in selectors):
            shifted = {w: _shifted(e, texts[w[0]], w[1]) for w in dict.fromkeys((upper, lower))}
            return _perm(e, shifted[upper], shifted[lower], [int(s or 0) for s in selectors])
    return None


_Word = tuple[int, int]  # a or b, and by how many bytes it is shifted up


def _shifts(pair: Sequence[_Word]) -> int:
    return len({word for word in pair if word[1]})


def _shifted(e: Emitter, text: str, up: int) -> str:
    return e.let(f"shl i32 {text}, {_BYTE}") if up else text


def _selector(byte: _Wanted, upper: _Word, lower: _Word) -> int | None:
    """How v_perm_b32 names a byte, if it can."""
    if isinstance(byte, int):
        return byte
    for (word, up), base in ((lower, 0), (upper, 4)):
        index = byte.index + up
        if word != byte.word or index > 3:
            continue
        if not byte.sign:
            return base + index
        if index & 1:
            return _FIRST_SIGN + base // 2 + index // 2
    return None


def _by_two(e: Emitter, texts: Sequence[str], wanted: Sequence[_Wanted]) -> str:
    """First the bytes, then the signs of some."""
    places = [b if isinstance(b, int) else 4 * b.word + b.index for b in wanted]
    moved = _perm(e, texts[1], texts[0], places)
    signs = [i for i, byte in enumerate(wanted) if not isinstance(byte, int) and byte.sign]
    shifted = e.let(f"shl i32 {moved}, {_BYTE}") if any(i % 2 == 0 for i in signs) else moved
    selectors = [_SIGNS_OF_EACH >> _BYTE * i & 0xFF if i in signs else i for i in range(4)]
    return _perm(e, shifted, moved, selectors)


def _perm(e: Emitter, upper: str, lower: str, selectors: Sequence[int]) -> str:
    packed = sum(selector << _BYTE * place for place, selector in enumerate(selectors))
    return e.let(e.call(_PERM, upper, lower, str(packed)))


# ---- with a selector in a register ----

_ASKS_SIGN = 8
_NIBBLES = 0x05010400  # over (x >> 4, x): nibble i of x at the bottom of byte i


def _by_register(e: Emitter, op: Op, a: str, b: str) -> None:
    """Spreads the four nibbles to bytes; bit 3 of each asks for the sign."""
    selector = op.operands[2]
    text = e.bits(selector)
    if varying_nibbles(selector) <= 1:
        places = _spread_by_shifts(e, text)
        e.set_bits(op.results[0], e.call(_PERM, b, a, places))
        return
    halved = e.let(f"lshr i32 {text}, 4")
    spread = e.let(e.call(_PERM, halved, text, str(_NIBBLES)))
    places = e.let(f"and i32 {spread}, {0x07070707}")
    moved = e.let(e.call(_PERM, b, a, places))
    if all(most < _ASKS_SIGN for most in largest_nibbles(selector)[:4]):
        e.alias(op.results[0], moved)
        return
    asked = _signs(e, e.let(f"shl i32 {spread}, 4"))
    signs = _signs(e, moved)
    inverse = e.let(f"xor i32 {asked}, -1")
    filled = e.let(f"and i32 {signs}, {asked}")
    kept = e.let(f"and i32 {moved}, {inverse}")
    e.set_bits(op.results[0], f"or i32 {filled}, {kept}")


def _spread_by_shifts(e: Emitter, text: str) -> str:
    """The low three bits of four nibbles, in a way that lets LLVM know most of them by itself."""
    spread = e.let(f"and i32 {text}, {0x7777}")
    for distance, mask in ((8, 0x00FF00FF), (4, 0x0F0F0F0F)):
        moved = e.let(f"shl i32 {spread}, {distance}")
        both = e.let(f"or i32 {spread}, {moved}")
        spread = e.let(f"and i32 {both}, {mask}")
    return spread


def _signs(e: Emitter, text: str) -> str:
    """Each byte filled with its sign."""
    shifted = e.let(f"shl i32 {text}, {_BYTE}")
    return e.let(e.call(_PERM, shifted, text, str(_SIGNS_OF_EACH)))
