"""`python -m conformance`: `ptx` makes PTX of packages, `check` translates it, `tests` runs the
packages' own tests on the emulated device, `page` writes the page; without a verb all. Names of
packages choose some. Of every package at most `--sample` files are taken, always the same ones, and
none that is longer than `--lines`.
"""

from __future__ import annotations

import argparse
import sys

from conformance.compile import compiler_version
from conformance.packages import PACKAGES, Package
from conformance.scratch import Scratch, default_scratch, install, prepare_environment
from conformance.sources import make_ptx

VERBS = ("ptx", "tests", "check", "page")
SUITE_DEVICES = ("gfx942", "gfx1100")
EMULATOR_NEEDS = ("lark>=1.2,<2", "llvmlite>=0.50,<0.51")  # ptxlift runs in the tests' process


def chosen(names: list[str]) -> list[Package]:
    """The rows asked for; all without a name."""
    known = {package.name for package in PACKAGES}
    wrong = [name for name in names if name not in known]
    if wrong:
        sys.exit(f"no package {', '.join(wrong)}; there are {', '.join(sorted(known))}")
    return [package for package in PACKAGES if not names or package.name in names]


def build(package: Package, scratch: Scratch, sample: int) -> None:
    """Makes a package's PTX and says how it went."""
    try:
        for made in make_ptx(package, scratch, sample):
            print(f"{package.name}: {made.name}: {made.problem or 'ok'}", flush=True)
    except FileNotFoundError as error:  # fetching said why
        print(f"{package.name}: there is no {error}", flush=True)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="conformance", description=__doc__)
    parser.add_argument("verb", nargs="?", choices=VERBS)
    parser.add_argument("packages", nargs="*", metavar="package")
    parser.add_argument("--device", action="append", help="for tests: a target, or interpreter")
    parser.add_argument("--only", action="append", default=[], help="for tests: a test module")
    parser.add_argument("--sample", type=int, default=60, help="files of a package; 0: all")
    parser.add_argument("--lines", type=int, default=0, help="leave longer files out; 0: none")
    options = parser.parse_args(arguments)
    scratch = default_scratch()
    verbs = (options.verb,) if options.verb else VERBS
    packages = chosen(options.packages)
    if "ptx" in verbs:
        if not compiler_version():
            sys.exit("nvcc is not installed")
        prepare_environment(scratch)
        for package in packages:
            build(package, scratch, options.sample)
    if "check" in verbs:
        from conformance.check import check_package

        for package in packages:
            check_package(package, scratch, options.sample, options.lines)
    if "tests" in verbs:
        from conformance.driver.suites import SUITES, run_suite

        for package in packages:
            if package.tests:
                prepare_environment(scratch)
                install(scratch, (*package.tests, *EMULATOR_NEEDS))
        wanted = {package.name for package in packages}
        for suite in (suite for suite in SUITES if suite.package in wanted):
            for device in options.device or SUITE_DEVICES:
                run_suite(suite, scratch, device, options.only)
    if "page" in verbs:
        from conformance.page import write_page

        write_page(scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
