"""Instruction rows: control flow.

Data only; the columns are explained at `Row`. Versions are measured with ptxas 13.
"""

from __future__ import annotations

from ptxlift.isa.row import Effect, Row

# fmt: off
ROWS: tuple[Row, ...] = (
    Row("bra",           "bra{.uni} L",                    "L:label",                                             {}, "1.4 sm_10", effect=Effect.CONTROL),
    Row("brx",           "brx.idx{.uni} i, tl",            "i:^u32 tl:branch_targets",                            {}, "6.0 sm_30", effect=Effect.CONTROL),
    Row("call",          "call{.uni} fn",                  "fn:function",                                         {}, "1.4 sm_10", effect=Effect.CONTROL),
    Row("call",          "call{.uni} fn, (a)",             "fn:function a:arguments",                             {}, "2.0 sm_20", effect=Effect.CONTROL),
    Row("call",          "call{.uni} (ret), fn, (a)",      "ret:>arguments fn:function a:arguments",              {}, "2.0 sm_20", effect=Effect.CONTROL),
    Row("call",          "call{.uni} (ret), fn",           "ret:>arguments fn:function",                          {}, "2.0 sm_20", effect=Effect.CONTROL),
    Row("call_indirect", "call{.uni} (ret), fp, lst",      "ret:>arguments fp:u64! lst:call_targets",             {}, "2.1 sm_20", effect=Effect.CONTROL),
    Row("call_indirect", "call{.uni} (ret), fp, (a), lst", "ret:>arguments fp:u64! a:arguments lst:call_targets", {}, "2.1 sm_20", effect=Effect.CONTROL),
    Row("call_indirect", "call{.uni} fp, (a), lst",        "fp:u64! a:arguments lst:call_targets",                {}, "2.1 sm_20", effect=Effect.CONTROL),
    Row("call_indirect", "call{.uni} fp, lst",             "fp:u64! lst:call_targets",                            {}, "2.1 sm_20", effect=Effect.CONTROL),
    Row("ret",           "ret{.uni}",                      "",                                                    {}, "1.4 sm_10", effect=Effect.CONTROL),
    Row("exit",          "exit",                           "",                                                    {}, "1.4 sm_10", effect=Effect.CONTROL),
)
# fmt: on
