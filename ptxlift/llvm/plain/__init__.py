"""Lowerings that are the same for every target: ops for which LLVM has one total instruction."""
