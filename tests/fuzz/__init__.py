"""Differential fuzzing: random PTX programs, the interpreter against the emulator, bit for bit."""
