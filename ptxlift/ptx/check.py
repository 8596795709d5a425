"""From syntax to typed PTX: the checker's entry.

Comes in: a syntax tree. Goes out: a `Module`, or a `PtxError` with what is wrong. Functions are
checked in order, for PTX demands that names are declared before they are used.
"""

from __future__ import annotations

import re

from ptxlift.diag import PtxError, Span
from ptxlift.isa.versions import NEWEST, TARGETS, VERSIONS, sm_number
from ptxlift.ptx.bodies import BodyChecker, Looks
from ptxlift.ptx.declare import parameters, variables
from ptxlift.ptx.initial import InitialError, initialize
from ptxlift.ptx.locate import place
from ptxlift.ptx.module import Function, Inst, Module, Register, Variable
from ptxlift.ptx.report import Report
from ptxlift.ptx.specials import specials
from ptxlift.ptx.symbols import Scope, Symbol
from ptxlift.syntax import nodes

# Looks of shapes with their plans, for each version and target: shapes are few, and all modules
# share them.
_LOOKS: dict[tuple[tuple[int, int], str], Looks] = {}


def check(tree: nodes.Module, *, whole_program: bool = False) -> Module:
    """Resolve and check a module. `whole_program`: every declared function must be defined here."""
    checker = _ModuleChecker(tree)
    module = checker.check()
    if whole_program:
        checker.unresolved()
    checker.report.finish()
    return module


def inst_span(module: Module, inst: Inst, operand: int | None = None) -> Span:
    """Where an instruction stands, or one of its operands."""
    if operand is None:
        return Span(module.source, inst.start, inst.end)
    return Span(module.source, *place(module.source.text, inst.start, inst.end, operand))


class _ModuleChecker:
    def __init__(self, tree: nodes.Module) -> None:
        self.tree = tree
        self.report = Report(tree.source)
        names: dict[str, Symbol] = dict(specials())
        self.scope = Scope(names)
        self.scope.enter()
        target = next((t for t in tree.targets if t.startswith("sm_")), "")
        self.module = Module(
            tree.source,
            tree.version,
            sm_number(target) if target else 0,
            target,
            tree.address_size or 64,
            options=frozenset(t for t in tree.targets if not t.startswith("sm_")),
        )
        self.starts: dict[str, int] = {}

    def check(self) -> Module:
        self._header()
        looks = _LOOKS.setdefault((self.module.version, self.module.target), {})
        self.bodies = BodyChecker(
            self.report, self.scope, self.module.version, self.module.target, looks
        )
        for item in self.tree.items:
            self._item(item)
        if "debug" in self.module.options and not any(map(_is_debug, self.tree.items)):
            self._header_error(
                "target", "the module has no debug sections", "drop debug from .target"
            )
        return self.module

    # ---- header ----

    def _header(self) -> None:
        tree = self.tree
        major, minor = tree.version
        # What newer compilers write is read; what is new in it gives errors of its own.
        newer = tree.version > NEWEST and major <= NEWEST[0] + 1
        if tree.version not in VERSIONS and not newer:
            self._header_error(
                "version", f".version {major}.{minor} does not exist", "the newest is 9.0"
            )
        self._target()
        if tree.address_size not in (None, 32, 64):
            message = f".address_size {tree.address_size} does not exist"
            self._header_error("address_size", message, "write .address_size 64")
        if tree.address_size == 32 or (tree.address_size is None and tree.version < (2, 3)):
            place = tree.header_starts.get("address_size", tree.header_starts.get("version", 0))
            self.report.error(
                "PTX203",
                "the module has 32-bit addresses",
                place,
                hint="compile for 64 bits: .address_size 64",
            )
            raise PtxError(self.report.found)

    def _target(self) -> None:
        targets = self.tree.targets
        if not targets or not targets[0].startswith("sm_"):
            self._header_error("target", "the first name of .target is an architecture", "sm_90")
            raise PtxError(self.report.found)
        if self.module.target not in TARGETS:
            self._header_error("target", f"`{self.module.target}` is no known target", "sm_90")
            if not self.module.sm:  # nothing can be said about versions then
                raise PtxError(self.report.found)
        for option in self.module.options:
            if option not in _OPTIONS:
                self._header_error("target", f"`{option}` is no option of .target")
        if "map_f64_to_f32" in self.module.options and self.module.sm >= 13:
            self._header_error("target", "map_f64_to_f32 is for targets below sm_13")

    def _header_error(self, key: str, message: str, hint: str = "") -> None:
        self.report.error("PTX004", message, self.tree.header_starts.get(key, 0), hint=hint)

    # ---- items ----

    def _item(self, item: nodes.Item) -> None:
        match item:
            case nodes.Declaration():
                self._variables(item)
            case nodes.Function():
                self._function(item)
            case nodes.Alias():
                self._alias(item)
            case nodes.File():
                self.module.files[item.index] = item.name
            case nodes.Pragma():
                self._pragma(item)
            case nodes.Section():
                self._section(item)

    def _section(self, item: nodes.Section) -> None:
        wrong = _NO_DATA.search(item.text)
        if wrong:
            self.report.error(
                "PTX109", f"`{wrong[0]}` is no type of section data", item.start, hint="use .b32"
            )

    def _pragma(self, item: nodes.Pragma) -> None:
        for text in item.strings:
            if text.split(" ")[0] not in _PRAGMAS:
                self.report.error(
                    "PTX109", f"`{text}` is no pragma of a module", item.start, hint="nounroll"
                )

    def _variables(self, node: nodes.Declaration) -> None:
        for declarator, variable in variables(self.report, node, module_scope=True):
            if declarator.initializer is not None:
                self._initialize(variable, declarator)
            self._declare_variable(variable, declarator.start)

    def _initialize(self, variable: Variable, declarator: nodes.Declarator) -> None:
        assert declarator.initializer is not None
        try:
            initialize(variable, declarator.initializer, self.scope.names)
        except InitialError as error:
            start = declarator.initializer.start or declarator.start
            self.report.error("PTX107", str(error), start)

    def _declare_variable(self, variable: Variable, start: int) -> None:
        name = variable.name
        old = self.module.variables.get(name)
        redeclared = old is not None and "extern" in (old.linkage, variable.linkage)
        if name in self.module.functions or (old is not None and not redeclared):
            self._duplicate(name, start)
            return
        if variable.type.name == "samplerref" and "texmode_independent" not in self.module.options:
            self.report.error(
                "PTX109",
                "samplers need .target texmode_independent",
                start,
                start + len(name),
            )
        if old is not None and variable.linkage == "extern":
            return
        self.module.variables[name] = variable
        self.starts[name] = start
        self.scope.declare(name, variable)

    def _duplicate(self, name: str, start: int) -> None:
        self.report.error(
            "PTX105",
            f"`{name}` is already declared in this module",
            start,
            start + len(name),
            "use another name",
        )

    def _alias(self, node: nodes.Alias) -> None:
        new = self.module.functions.get(node.name)
        old = self.module.functions.get(node.target)
        for name, function in ((node.name, new), (node.target, old)):
            if function is None:
                self.report.error(
                    "PTX104", f"`{name}` is not a declared function", node.start, hint="declare it"
                )
        if new is not None and old is not None:
            self.module.aliases[node.name] = old

    # ---- functions ----

    def _function(self, node: nodes.Function) -> None:
        function = self._declared(node)
        self._attributes(node, function)
        if node.body is None:
            return
        if function.linkage == "extern" or node.linkage == "extern":
            self.report.error(
                "PTX106",
                f"`{node.name}` is declared .extern and defined",
                node.start,
                node.start + len(node.name),
                "drop .extern",
            )
        self._unnamed(node)
        self.bodies.check(function, node, node.body)

    def _declared(self, node: nodes.Function) -> Function:
        """The function's object: the one of an earlier declaration, if there was one."""
        entry = node.kind == "entry"
        params = parameters(self.report, node.parameters, entry=entry)
        returns = parameters(self.report, node.returns, entry=False, prefix="output")
        if entry:
            self._parameter_space(node, params)
        if len(returns) > 1 and not all(isinstance(r, Register) for r in returns):
            self.report.error(
                "PTX106", "several results must be registers", node.start, hint="return a .b8 array"
            )
        if any(isinstance(r, Variable) for r in returns):
            _mark_output(returns)
        old = self.module.functions.get(node.name)
        if node.name in self.module.variables or (old is not None and old.kind != node.kind):
            self._duplicate(node.name, node.start)
            old = None
        if old is None:
            old = Function(node.name, node.kind, node.linkage, start=node.start)
            self.module.functions[node.name] = old
            self.starts[node.name] = node.start
            self.scope.declare(node.name, old)
        elif old.body is not None and node.body is not None:
            self._duplicate(node.name, node.start)
        if old.body is None:
            old.params, old.returns = params, returns
            old.linkage = node.linkage or old.linkage
        return old

    def _parameter_space(
        self, node: nodes.Function, params: tuple[Variable | Register, ...]
    ) -> None:
        used = max((p.offset + p.size for p in params if isinstance(p, Variable)), default=0)
        wide = self.module.version >= (8, 1) and self.module.sm >= 70
        limit = _WIDE_PARAMETERS if wide else _PARAMETERS
        if used > limit:
            self.report.error(
                "PTX106",
                f"the parameters of `{node.name}` take {used} bytes; {limit} are allowed",
                node.start,
                node.start + len(node.name),
                "pass a pointer",
            )

    def _unnamed(self, node: nodes.Function) -> None:
        for parameter in (*node.returns, *node.parameters):
            if parameter.name == "_":
                self.report.error("PTX106", "a definition's parameters need names", parameter.start)

    def _attributes(self, node: nodes.Function, function: Function) -> None:
        for attribute in node.attributes:
            problem = _attribute_problem(attribute, node, self.module.version)
            if problem:
                self.report.error("PTX109", problem, attribute.start)
                continue
            function.attributes[attribute.name] = attribute.values
        for pragma in node.pragmas:
            function.pragmas = (*function.pragmas, *pragma.strings)
        for first, second in _CONFLICTS:
            if first in function.attributes and second in function.attributes:
                self.report.error(
                    "PTX109", f".{first} and .{second} exclude each other", node.start
                )
        needs = ("reqntid", "reqnctapercluster")
        if "blocksareclusters" in function.attributes and not all(
            need in function.attributes for need in needs
        ):
            self.report.error(
                "PTX109", ".blocksareclusters needs .reqntid and .reqnctapercluster", node.start
            )

    # ---- whole program ----

    def unresolved(self) -> None:
        """Report what is declared and never defined, as ptxas does."""
        for name, function in self.module.functions.items():
            if function.body is not None or name in self.module.aliases or name in _BUILTIN:
                continue
            if function.linkage != "extern" or function in self.bodies.called:
                self._undefined(name, "function")
        for name, variable in self.module.variables.items():
            incomplete = any(not dim for dim in variable.dims)
            if variable.linkage == "extern" and incomplete and variable.space.value != "shared":
                self._undefined(name, "variable")

    def _undefined(self, name: str, what: str) -> None:
        start = self.starts[name]
        self.report.error(
            "PTX111",
            f"{what} `{name}` is declared and never defined",
            start,
            start + len(name),
            "link the module that defines it",
        )


def _is_debug(item: nodes.Item) -> bool:
    return isinstance(item, nodes.Section) and item.name.startswith(".debug")


def _mark_output(returns: tuple[Variable | Register, ...]) -> None:
    for result in returns:
        if isinstance(result, Variable):
            result.signature = result.signature.replace("input", "output", 1)


_PARAMETERS = 0x1100  # bytes of kernel parameters; more since PTX 8.1 on sm_70
_WIDE_PARAMETERS = 0x7FFC
_OPTIONS = ("texmode_unified", "texmode_independent", "debug", "map_f64_to_f32")
_PRAGMAS = ("nounroll", "used_bytes_mask", "enable_smem_spilling", "frequency")
_NO_DATA = re.compile(r"(?<![\w.])\.[usf](?:8|16|32|64)\b")
_BUILTIN = ("vprintf", "malloc", "free", "__assertfail")
_CONFLICTS = (("maxntid", "reqntid"), ("reqnctapercluster", "maxclusterrank"))
_POSITIVE = re.compile(r"maxntid|reqntid|maxnreg|minnctapersm|reqnctapercluster|maxclusterrank")
_WORD = 1 << 32  # numbers of directives are 32 bits wide


def _attribute_problem(
    attribute: nodes.Attribute, node: nodes.Function, version: tuple[int, int]
) -> str:
    name = attribute.name
    if name == "noreturn" and node.returns:
        return ".noreturn does not go with results"
    if name == "maxnctapersm" and version >= (2, 1):
        return ".maxnctapersm is gone since PTX 2.1: use .minnctapersm"
    if name == "attribute" or name.startswith("unified"):
        return "unified functions need separate compilation"
    if _POSITIVE.fullmatch(name) and any(value <= 0 for value in attribute.values):
        return f".{name} takes positive numbers"
    if any(value >= _WORD for value in attribute.values):
        return f".{name} takes numbers of at most 32 bits"
    return ""
