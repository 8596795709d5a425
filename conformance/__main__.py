"""`python -m conformance`: `ptx` makes PTX of packages, `check` translates it, `page` writes the
page; without a verb all three. Names of packages choose some.
"""

from __future__ import annotations

import argparse
import sys

from conformance.compile import compiler_version
from conformance.packages import PACKAGES, Package
from conformance.scratch import Scratch, default_scratch, prepare_environment
from conformance.sources import make_ptx

VERBS = ("ptx", "check", "run", "page")


def chosen(names: list[str]) -> list[Package]:
    """The rows asked for; all without a name."""
    known = {package.name for package in PACKAGES}
    wrong = [name for name in names if name not in known]
    if wrong:
        sys.exit(f"no package {', '.join(wrong)}; there are {', '.join(sorted(known))}")
    return [package for package in PACKAGES if not names or package.name in names]


def build(package: Package, scratch: Scratch) -> None:
    """Makes a package's PTX and says how it went."""
    for made in make_ptx(package, scratch):
        print(f"{package.name}: {made.name}: {made.problem or 'ok'}", flush=True)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="conformance", description=__doc__)
    parser.add_argument("verb", nargs="?", choices=VERBS)
    parser.add_argument("packages", nargs="*", metavar="package")
    options = parser.parse_args(arguments)
    scratch = default_scratch()
    verbs = (options.verb,) if options.verb else VERBS
    packages = chosen(options.packages)
    if "ptx" in verbs:
        if not compiler_version():
            sys.exit("nvcc is not installed")
        prepare_environment(scratch)
        for package in packages:
            build(package, scratch)
    if "check" in verbs:
        from conformance.check import check_package

        for package in packages:
            check_package(package, scratch)
    if "run" in verbs:
        from conformance.runs import run_package

        for package in packages:
            run_package(package, scratch)
    if "page" in verbs:
        from conformance.page import write_page

        write_page(scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
