"""`python -m ptxlift` is the `ptxlift` command."""

from __future__ import annotations

from ptxlift.cli import main

if __name__ == "__main__":
    main()
