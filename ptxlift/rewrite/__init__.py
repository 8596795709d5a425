"""The rewriter: rules that turn PTX idioms into what a chip does in fewer instructions.

Comes in: functions of the SSA IR and a target. Goes out: functions that compute the same, and how
often each rule fired. It must know nothing of PTX text and of LLVM's API.
"""
