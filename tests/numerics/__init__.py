"""Large runs of numeric instructions on the emulator: `python -m tests.numerics`.

What PTX defines exactly is decided in integers; what it bounds is measured against f64. Each runs
under every error that the chip's approximate instructions may make.
"""
