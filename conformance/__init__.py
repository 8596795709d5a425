"""Conformance on code nobody here wrote: kernels of public Python packages through ptxlift.

Packages come from the package index into a scratch folder outside the repository; their CUDA
sources become PTX there; every kernel is checked, translated for several targets and, where inputs
can be guessed, run. `docs/conformance.md` is the result. Nothing of a package is kept here.
"""
