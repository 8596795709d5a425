"""Every diagnostic code with its explanation; `ptxlift explain CODE` and `docs/diagnostics.md` show them.

0xx reading, 1xx names and types, 2xx valid PTX that is not translated, 3xx target and code generation, 4xx run time.
"""

from __future__ import annotations

from enum import Enum

from ptxlift.records import dataclass


class Scope(Enum):
    """Where the example of a code stands; tests put it there and see that it gives the code."""

    BODY = "in a kernel with registers %p %h %r %rd %f %d"
    MODULE = "after the header of a module"
    FILE = "a whole file"


@dataclass(frozen=True, slots=True)
class Code:
    """One code.

    title: in a few words. text: what it means and what a person can do. wrong, right: PTX that gives the
    code, and the same mended; "" where PTX alone cannot show it. scope: where they stand.
    """

    title: str
    text: str
    wrong: str = ""
    right: str = ""
    scope: Scope = Scope.BODY


# fmt: off
CODES: dict[str, Code] = {
    "PTX001": Code(
        "syntax error",
        "The text does not follow the PTX grammar at the marked place. The mark is where reading had to stop; the mistake "
        "may stand just before it, most often a missing `;` or `,`. Reading goes on after the next `;`, so that one run "
        "shows up to 20 errors.",
        "add.u32 %r1 %r2, %r3;",
        "add.u32 %r1, %r2, %r3;",
    ),
    "PTX002": Code(
        "unexpected end of file",
        "A block, comment, string or statement is still open when the file ends. The mark shows where it was opened. A "
        "file that was cut off while it was copied or written gives this code too.",
        ".visible .entry k()\n{\n    ret;",
        ".visible .entry k()\n{\n    ret;\n}",
        Scope.MODULE,
    ),
    "PTX003": Code(
        "not PTX text",
        "The input is binary or its encoding is not UTF-8. `ptxlift lift` and `ptxlift extract` open NVIDIA fat binaries, "
        "cubins, objects, libraries and executables by themselves, but these must hold PTX: nvcc includes it when asked "
        "with `-gencode arch=compute_80,code=compute_80`. Machine code for NVIDIA chips cannot be translated.",
    ),
    "PTX004": Code(
        "missing or misplaced header",
        "A module begins with `.version`, then `.target`, then, if at all, `.address_size`. Comments may stand anywhere. "
        "Several modules in one file are several files.",
        ".target sm_80\n.visible .entry k() { ret; }",
        ".version 8.0\n.target sm_80\n.visible .entry k() { ret; }",
        Scope.FILE,
    ),
    "PTX005": Code(
        "bad number",
        "A number is malformed or lies outside what PTX allows at this place. Exact floats are written as `0f` and 8, or "
        "`0d` and 16 hexadecimal digits.",
        "mov.b32 %r1, 0f3F80;",
        "mov.b32 %r1, 0f3F800000;",
    ),
    "PTX006": Code(
        "nesting too deep",
        "Blocks or parentheses are nested deeper than any real program needs (128 blocks). The limit keeps damaged input "
        "from exhausting memory.",
        "mov.u32 %r1, " + "(" * 300 + "1" + ")" * 300 + ";",
        "mov.u32 %r1, (1);",
    ),
    "PTX007": Code(
        "too many errors",
        "Only the first 20 errors of a file are shown. Mend those and run again: later ones often follow from them.",
    ),
    "PTX008": Code(
        "file not readable",
        "A file, folder or pattern on the command line names nothing that can be read. Put patterns in quotes if the shell "
        "should not expand them; `-` is standard input.",
    ),
    "PTX101": Code(
        "unknown instruction",
        "No instruction of PTX ISA 9.0 has this name. `ptxlift isa` lists all of them.",
        "addd.u32 %r1, %r2, %r3;",
        "add.u32 %r1, %r2, %r3;",
    ),
    "PTX102": Code(
        "illegal modifier",
        "A modifier is unknown, repeated, missing, or does not go with the others. The hint shows the form that is nearest "
        "to what was written.",
        "add.rn.u32 %r1, %r2, %r3;",
        "add.rn.f32 %f1, %f2, %f3;",
    ),
    "PTX103": Code(
        "operand mismatch",
        "An operand's kind, type or size is not what the instruction takes. PTX is strict about sizes: 32-bit operands need "
        "32-bit registers, except that `ld`, `st` and `cvt` accept wider ones. Untyped registers (.b32) go with every type "
        "of their size.",
        "add.u64 %rd1, %r2, %rd3;",
        "cvt.u64.u32 %rd2, %r2;\nadd.u64 %rd1, %rd2, %rd3;",
    ),
    "PTX104": Code(
        "unknown name",
        "A register, variable, function, label or kernel has this name nowhere, or only after this place: PTX wants names "
        "declared before they are used (labels excepted). `.reg .b32 %r<4>` declares %r0 to %r3.",
        "add.u32 %r1, %r2, %r4;",
        "add.u32 %r1, %r2, %r3;",
    ),
    "PTX105": Code(
        "duplicate name",
        "The same scope declares the name twice. An inner block may declare it again.",
        ".global .u32 count;\n.global .u64 count;",
        ".global .u32 count;\n.global .u64 count2;",
        Scope.MODULE,
    ),
    "PTX106": Code(
        "bad declaration",
        "A variable, parameter or function is declared in a way PTX does not allow.",
        ".global .align 3 .b8 table[12];",
        ".global .align 4 .b8 table[12];",
        Scope.MODULE,
    ),
    "PTX107": Code(
        "bad initial value",
        "An initial value does not fit the variable's type, size or state space. Only `.global` and `.const` variables have "
        "one.",
        ".global .u8 table[2] = {1, 2, 3};",
        ".global .u8 table[3] = {1, 2, 3};",
        Scope.MODULE,
    ),
    "PTX108": Code(
        "version or target too low",
        "The instruction, modifier or register needs a newer `.version` or `.target` than the header says, or was removed "
        "from this one. Raising the numbers in the header is safe for translation: no NVIDIA chip will run this file.",
        ".version 7.0\n.target sm_75\n.visible .entry k()\n{\n    .reg .b32 %r<3>;\n"
        "    redux.sync.add.s32 %r1, %r2, 0xffffffff;\n    ret;\n}",
        ".version 7.0\n.target sm_80\n.visible .entry k()\n{\n    .reg .b32 %r<3>;\n"
        "    redux.sync.add.s32 %r1, %r2, 0xffffffff;\n    ret;\n}",
        Scope.FILE,
    ),
    "PTX109": Code(
        "bad directive",
        "A directive is misplaced, excludes another one, or has a value that is not allowed.",
        ".visible .entry k() .reqntid 32 .maxntid 64 { ret; }",
        ".visible .entry k() .reqntid 32 { ret; }",
        Scope.MODULE,
    ),
    "PTX110": Code(
        "bad call",
        "The arguments or results of a call do not match the function or the prototype.",
        ".func f(.reg .u32 a) { ret; }\n.visible .entry k() { call f; ret; }",
        ".func f(.reg .u32 a) { ret; }\n.visible .entry k() { call f, (1); ret; }",
        Scope.MODULE,
    ),
    "PTX111": Code(
        "unresolved symbol",
        "A function or variable is declared and used, but none of the modules given defines it. Pass all modules of a "
        "program at once: `ptxlift lift --together a.ptx b.ptx`, or a list of texts to `ptxlift.lift`.",
        ".extern .func f();\n.visible .entry k() { call f; ret; }",
        ".func f() { ret; }\n.visible .entry k() { call f; ret; }",
        Scope.MODULE,
    ),
    "PTX112": Code(
        "malformed asm statement",
        "The string of an `asm` statement cannot be read: a placeholder names no operand, `%` or `$` begins nothing, or a "
        "block is not closed. Columns count inside the string. In CUDA's form `%0` is an operand and `%%` a plain `%`; in "
        "LLVM's `$0` and `$$`.",
    ),
    "PTX113": Code(
        "bad asm operand",
        "A constraint is unknown, or does not go with its operand. The letters are h (16 bits), r (32), l (64), q (128), f and "
        "d for floats, b for predicates, n and C for constants. As in CUDA, sizes must be equal.",
    ),
    "PTX201": Code(
        "instruction not translated",
        "The instruction is valid PTX, but there is no translation for it yet. `ptxlift isa OPCODE` and docs/isa.md show "
        "what is done with each form. `--skip-unsupported` (`on_unsupported=\"skip\"`) translates the kernels that do "
        "without it.",
        ".version 8.6\n.target sm_100a\n.visible .entry k()\n{\n    .reg .b32 %r<2>;\n"
        "    tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 32;\n    ret;\n}",
        scope=Scope.FILE,
    ),
    "PTX202": Code(
        "feature not translated",
        "The directive, state space or operand is valid PTX, but there is no translation for it yet. Other kernels of the "
        "module can be translated with `--skip-unsupported` (`on_unsupported=\"skip\"`).",
    ),
    "PTX203": Code(
        "32-bit addresses",
        "Only modules with 64-bit addresses are translated: an AMD GPU has no other. Addresses are held in 64-bit "
        "registers; those of .shared, .local and .param variables may be 32 bits wide.",
        ".version 8.0\n.target sm_80\n.address_size 32\n.visible .entry k() { ret; }",
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }",
        Scope.FILE,
    ),
    "PTX204": Code(
        "warps cannot share a wave",
        "On gfx9 chips a wave has 64 lanes, so two PTX warps share one. That is right only if both reach every barrier "
        "together and neither waits for the other in a loop. Where this cannot be proven, `warp_mapping=\"auto\"` runs one "
        "warp a wave (\"split\"): the launch then uses `Kernel.launch_block`, twice as wide, and blocks have at most 512 "
        "threads. The kernel is refused if its `.reqntid` is larger than that, or if `warp_mapping=\"packed\"` asks for "
        "what cannot be proven right.",
    ),
    "PTX205": Code(
        "lanes may wait for each other",
        "Lanes of an AMD wave make no progress of their own. Where one lane of a warp takes a lock in a loop and releases it "
        "behind the loop, what it guards is moved into the loop, and the kernel runs as on NVIDIA hardware. That needs the "
        "release of the same address in the same function, and nothing between that lanes of the warp do together. "
        "Otherwise the lane that has the lock would wait for those that want it, forever, and the kernel is refused. Let "
        "one lane of a warp take the lock (behind a test such as `%laneid == 0`), or release it where it is taken. `.sync` "
        "operations that lanes of a warp reach at different places are brought together; not so calls of functions that have "
        "such operations. As a warning: a branch has so many on both sides that it is taken to be uniform in each warp.",
    ),
    "PTX206": Code(
        "inline assembly not translated",
        "The `asm` statement or its operands have a form for which there is no translation: jumps to labels of the "
        "surrounding program (`asm goto`), operands in memory, or PTX at module level. Pass values in registers (`r`, `l`, "
        "`f`, `d`, `h`) and addresses as `l`.",
    ),
    "PTX207": Code(
        "rewriting stopped early",
        "The rewriter found ever more to change in a function and stopped at a bound. The code is right, only perhaps longer "
        "than it could be. Rules that undo each other are a fault of ptxlift: please report the kernel.",
    ),
    "PTX208": Code(
        "rewritten",
        "What the rewriter made of the statement: the name of the rule or pass (docs/rules.md) and its outcome. Shown on "
        "demand, by `ptxlift lift --remarks` and `Translation.remarks`.",
    ),
    "PTX209": Code(
        "kernel of an older image",
        "A container (an executable, a fat binary) holds a program for several architectures. Each kernel is taken from the "
        "newest image in which it can be translated; for this one it was not the newest of all, and the message says what "
        "stood in its way there. The kernel computes the same, perhaps in a slower way.",
    ),
    "PTX301": Code(
        "unknown target",
        "The name is no target, or the target takes no such feature. `ptxlift targets` lists them. A target id may "
        "say `:sramecc+` or `:xnack-` where the chip has these settings, such as `gfx942:sramecc+:xnack-`.",
    ),
    "PTX302": Code(
        "not on this target",
        "The target lacks the instruction, size or mode that the program or an option asks for. The message names what is "
        "missing.",
    ),
    "PTX303": Code(
        "too much shared memory",
        "The kernel's `.shared` variables need more LDS than a work-group can have: 64 KiB on most chips, 160 KiB on gfx950, "
        "320 KiB on gfx1250. `ptxlift targets` shows the size for each.",
        ".visible .entry k()\n{\n    .shared .b8 tile[70000];\n    .reg .u32 r;\n    ld.shared.u32 r, [tile];\n"
        "    st.shared.u32 [tile+4], r;\n    ret;\n}",
        ".visible .entry k()\n{\n    .shared .b8 tile[65536];\n    .reg .u32 r;\n    ld.shared.u32 r, [tile];\n"
        "    st.shared.u32 [tile+4], r;\n    ret;\n}",
        Scope.MODULE,
    ),
    "PTX304": Code(
        "code generation failed",
        "LLVM stopped while it compiled a kernel; the message names the kernel and gives LLVM's reason. Most often the "
        "kernel needs something LLVM's AMDGPU backend cannot do on this chip; another target or `-O1` may work. "
        "`--skip-unsupported` leaves the kernel out. The command runs LLVM in a process of its own, so that the other "
        "files go on; the library does so with `Options(isolate=True)`.",
    ),
    "PTX305": Code(
        "bad object",
        "An ELF object, code object, fat binary or offload bundle is malformed: cut off, damaged, or of a kind that is not "
        "read here.",
    ),
    "PTX306": Code(
        "link failed",
        "Two modules define the same exported symbol, or one uses a symbol that none defines. Names are exported if they are "
        "`.visible`, `.weak` or `.common`, or a kernel's; others are their module's own. Mark definitions that may be repeated "
        "as `.weak`.",
        ".extern .global .u32 g;\n.visible .entry k()\n{\n    .reg .u32 r;\n    ld.global.u32 r, [g];\n"
        "    st.global.u32 [g], r;\n    ret;\n}",
        ".global .u32 g;\n.visible .entry k()\n{\n    .reg .u32 r;\n    ld.global.u32 r, [g];\n"
        "    st.global.u32 [g], r;\n    ret;\n}",
        Scope.MODULE,
    ),
    "PTX307": Code(
        "bad option",
        "An option's value is not one of those allowed, or two things that were asked for exclude each other. The hint says "
        "which values there are.",
    ),
    "PTX308": Code(
        "file not writable",
        "An output file or its folder cannot be written: a missing permission, a full disk, or a file where a folder is "
        "needed. Choose another place with `-o`.",
    ),
    "PTX401": Code(
        "launch failed",
        "The grid, the block, the arguments or the shared memory of a launch do not fit the kernel or the device. A block "
        "has at most 1024 threads. Arguments are numpy arrays for pointers, numpy scalars of the parameter's size or Python "
        "numbers for values, and bytes for structs.",
    ),
    "PTX402": Code(
        "memory fault",
        "A thread accessed memory outside the arrays that were passed, or at an address that is not aligned as the access "
        "needs. The message names the block, the lane and the instruction, the hint the nearest array. A GPU might not have "
        "noticed.",
    ),
    "PTX403": Code(
        "trap",
        "The kernel executed `trap` or `brkpt`, as device-side assertions do.",
    ),
    "PTX404": Code(
        "deadlock",
        "No thread can make progress: some wait at a barrier that others never reach, or for a lock that nobody releases. "
        "Remember that lanes of an AMD wave, unlike NVIDIA threads, do not progress independently.",
    ),
    "PTX405": Code(
        "step limit",
        "The kernel ran longer than `max_steps` allows. It may loop for ever, or the limit is too low for this launch.",
    ),
    "PTX406": Code(
        "unknown machine instruction",
        "The emulator does not know an instruction, operand or mode in the code object. The code may be right; it cannot be "
        "run here.",
    ),
    "PTX407": Code(
        "hazard",
        "The emulator's checker found a register that is read while a memory operation on it is outstanding, or another "
        "situation in which the hardware would see an old value. This is a fault in the generated code.",
    ),
    "PTX408": Code(
        "uninitialised register",
        "The interpreter's check `uninitialised` saw a thread read a register that it had not written. PTX leaves the value "
        "open, and ptxlift another one than NVIDIA's chips may have had. The launch goes on, the report comes at its end.",
    ),
    "PTX409": Code(
        "data race",
        "The interpreter's check `races` saw two threads access the same bytes of global or shared memory, at least one of "
        "them to write, with no barrier, fence or flag in between. What is read depends on who comes first. Atomic and other "
        "strong accesses do not race with each other. The launch goes on, the report comes at its end.",
    ),
}
# fmt: on
