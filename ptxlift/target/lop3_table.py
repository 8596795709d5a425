"""Shortest programs of all functions of three inputs, by truth table and unit.

Comes in: nothing. Goes out: `ROWS`. The columns are those of `lop3.LogicClass`, the letters those
of `lop3.LogicOp` and `lop3.Step`. `python -m benchmarks.lop3_search --write` makes this file; a
test proves by search that no program is shorter.
"""

from __future__ import annotations

# fmt: off
ROWS: tuple[tuple[str, str, str, str], ...] = (
    ("",                 "",                "",                ""),  # 0x00
    ("rabc np",          "rabc np",         "rabc np",         "oac gbp"),  # 0x01
    ("bbca bp0c",        "bacb bp0c",       "bb0c ba0p",       "eac gbp"),  # 0x02
    ("na bb0p",          "na bb0p",         "na bb0p",         "gab"),  # 0x03
    ("oac bp0b",         "bacb bc0p",       "babc bp0b",       "oac dbp"),  # 0x04
    ("oac np",           "na bc0p",         "na bc0p",         "gac"),  # 0x05
    ("bacb xcp",         "bacb xcp",        "tabc ba0p",       "qbc gap"),  # 0x06
    ("mbca np",          "mbca np",         "mbca np",         "abc gap"),  # 0x07
    ("bbca ba0p",        "bba1 bp0c",       "ba0c abp",        "abc dpa"),  # 0x08
    ("oac bba1 xpq",     "qbc! ba0p",       "qbc! ba0p",       "qbc dpa"),  # 0x09
    ("ba0c",             "ba0c",            "ba0c",            "dca"),  # 0x0a
    ("bbc1 ba0p",        "bbc1 ba0p",       "bbc1 ba0p",       "ecb dpa"),  # 0x0b
    ("ba0b",             "ba0b",            "ba0b",            "dba"),  # 0x0c
    ("bcb1 ba0p",        "bcb1 ba0p",       "bcb1 ba0p",       "dcb gap"),  # 0x0d
    ("rabc xap",         "obc ba0p",        "obc ba0p",        "gbc gap"),  # 0x0e
    ("na",               "na",              "na",              "na"),  # 0x0f
    ("bbca bc0p",        "bb0a bc0p",       "bb0a bc0p",       "eba gcp"),  # 0x10
    ("bcb1 xbp",         "bbc1 xcp",        "bb0c qbp",        "gbc"),  # 0x11
    ("bbca xcp",         "xac bb0p",        "tabc bb0p",       "xac dpb"),  # 0x12
    ("macb np",          "macb np",         "macb np",         "aac gbp"),  # 0x13
    ("xab bc0p",         "xab bc0p",        "tabc bc0p",       "qab gcp"),  # 0x14
    ("mabc np",          "mabc np",         "mabc np",         "aab gcp"),  # 0x15
    ("oac macb xpq",     "bba1 bcpb xaq",   "xab mbcp xcq",    "oac qbp fac drq"),  # 0x16
    ("bcb1 babc xpq",    "bba1 bcab xpq",   "bab1 bcba! xpq",  "oac abp aac gqr"),  # 0x17
    ("oac bbac xpq",     "qab qbc bp0q",    "qab xac bp0q",    "xac qbc apq"),  # 0x18
    ("bcb1 bcab bq0p",   "nc mabp xbq",     "bb0c bapc qbq",   "aab xbc gpq"),  # 0x19
    ("mabc xap",         "mabc xap",        "mabc xap",        "ecb aap xcq"),  # 0x1a
    ("bcab np",          "bcab! np",        "bcab! np",        "ecb aac xpq"),  # 0x1b
    ("macb xap",         "macb xap",        "macb xap",        "qab fac dqp"),  # 0x1c
    ("bbac np",          "bbac! np",        "bbac! np",        "xac dpb qaq"),  # 0x1d
    ("obc xap",          "obc xap",         "bb0c tabp",       "gbc qap"),  # 0x1e
    ("na obc bqp1",      "na bcp1 bbpq",    "qab rbcp xaq",    "gbc epa"),  # 0x1f
    ("bcb1 bp0a",        "bacb bb0p",       "bab1 bp0c",       "eba dcp"),  # 0x20
    ("nc bbpa xpq",      "qac! bb0p",       "qac! bb0p",       "xac gbp"),  # 0x21
    ("bb0c",             "bb0c",            "bb0c",            "dcb"),  # 0x22
    ("bac1 bb0p",        "bac1 bb0p",       "bac1 bb0p",       "eca dpb"),  # 0x23
    ("xbc xab apq",      "bacb abc bq0p",   "qab bcab bp0q",   "xac qbc gpq"),  # 0x24
    ("na mbcp xcq",      "na mbcp xcq",     "na mbcp xcq",     "xac fbc dqp"),  # 0x25
    ("mabc xbp",         "mabc xbp",        "mabc xbp",        "eca abp xcq"),  # 0x26
    ("bcba np",          "bcba! np",        "bcba! np",        "oac dcb qpq"),  # 0x27
    ("xab acp",          "qab bp0c",        "tabc bp0c",       "qab dcp"),  # 0x28
    ("bab1 bcap xbq",    "bba1 bcbp xaq",   "na mabc tbpq",    "eca dca ebp qqr"),  # 0x29
    ("ba0c bbpc",        "ba0c bbpc",       "bb0c bapc",       "aab dcp"),  # 0x2a
    ("bcab bab1 xpq",    "bba1 bcba xpq",   "na! xbc bqcp",    "eca dca dbq dpr"),  # 0x2b
    ("bb0c! bapb",       "bb0c! bapb",      "bb0c! bapb",      "eca dpb qaq"),  # 0x2c
    ("bcb1 xap",         "bb0c qap",        "bb0c qap",        "dcb qap"),  # 0x2d
    ("bbac xbp",         "bbac xbp",        "na! bbpc",        "xac epb qcq"),  # 0x2e
    ("bb0c bap1",        "bb0c bap1",       "bb0c bap1",       "dcb epa"),  # 0x2f
    ("bb0a",             "bb0a",            "bb0a",            "dab"),  # 0x30
    ("bca1 bb0p",        "bca1 bb0p",       "bca1 bb0p",       "eac dpb"),  # 0x31
    ("oac bb0p",         "oac bb0p",        "oac bb0p",        "oac dpb"),  # 0x32
    ("nb",               "nb",              "nb",              "nb"),  # 0x33
    ("mbca xbp",         "mbca xbp",        "mbca xbp",        "abc qab gpq"),  # 0x34
    ("babc np",          "babc! np",        "babc! np",        "oac dab qpq"),  # 0x35
    ("oac xbp",          "oac xbp",         "bc0a tbcp",       "oac xbp"),  # 0x36
    ("oac np bbq1",      "na bc0p bbq1",    "na bc0p bbq1",    "oac fbp"),  # 0x37
    ("ba0c! bbpa",       "ba0c! bbpa",      "ba0c! bbpa",      "oac abp xaq"),  # 0x38
    ("bca1 xbp",         "ba0c qbp",        "ba0c qbp",        "eac xbp"),  # 0x39
    ("babc xap",         "babc xap",        "bb0a! bapc",      "oac aab xpq"),  # 0x3a
    ("ba0c bbp1",        "ba0c bbp1",       "ba0c bbp1",       "eac fbp"),  # 0x3b
    ("xab",              "xab",             "xab",             "xab"),  # 0x3c
    ("oac xab bpq1",     "qab rabc xpq",    "qab rabc xpq",    "oac dpb qaq"),  # 0x3d
    ("bbac mcpa xbq",    "qab mcpb xaq",    "na qbp mcpq",     "qab dcb eqp"),  # 0x3e
    ("na bbp1",          "na bbp1",         "na bbp1",         "fab"),  # 0x3f
    ("bbca bp0a",        "bacb bp0b",       "bc0a abp",        "eca dbp"),  # 0x40
    ("oac bbc1 xpq",     "qab! bc0p",       "qab! bc0p",       "qab dpc"),  # 0x41
    ("oac bbca xpq",     "bacb rbcp bp0q",  "bb0a bcba tcpq",  "xac qbc dpq"),  # 0x42
    ("na mbcp xbq",      "na mbcp xbq",     "na mbcp xbq",     "abc qab dqp"),  # 0x43
    ("bc0b",             "bc0b",            "bc0b",            "dbc"),  # 0x44
    ("bab1 bc0p",        "bab1 bc0p",       "bab1 bc0p",       "eba dpc"),  # 0x45
    ("macb xcp",         "macb xcp",        "macb xcp",        "eba xbc apq"),  # 0x46
    ("bbca np",          "bbca! np",        "bbca! np",        "eba fbc qpq"),  # 0x47
    ("bbca xap",         "xac abp",         "tabc bp0b",       "xac abp"),  # 0x48
    ("bca1 bbcp xaq",    "bca1 bbcp xaq",   "na macb tcpq",    "oac qbp fac aqr"),  # 0x49
    ("bc0b! bapc",       "bc0b! bapc",      "bc0b! bapc",      "eba qac dpq"),  # 0x4a
    ("bbc1 xap",         "bbc1 xap",        "bbc1 xap",        "ecb xap"),  # 0x4b
    ("aac bp0b",         "aac bp0b",        "aac bp0b",        "aac dbp"),  # 0x4c
    ("na bcpb bqbp",     "qab bpcb xpq",    "qbc bpab xpq",    "oac fac fbq fpr"),  # 0x4d
    ("bcab xcp",         "bcab xcp",        "na! bcpb",        "ecb dca eqp"),  # 0x4e
    ("bc0b bap1",        "bc0b bap1",       "bc0b bap1",       "ecb fap"),  # 0x4f
    ("bc0a",             "bc0a",            "bc0a",            "dac"),  # 0x50
    ("bba1 bc0p",        "bba1 bc0p",       "bba1 bc0p",       "dba gcp"),  # 0x51
    ("mbca xcp",         "mbca xcp",        "mbca xcp",        "xac eab apq"),  # 0x52
    ("bacb np",          "bacb! np",        "bacb! np",        "eca gab eqp"),  # 0x53
    ("rabc bc0p",        "rabc xcp",        "oab bc0p",        "oab dpc"),  # 0x54
    ("nc",               "nc",              "nc",              "nc"),  # 0x55
    ("oab xcp",          "oab xcp",         "bb0a tbcp",       "oab xcp"),  # 0x56
    ("na bb0p bcq1",     "na bb0p bcq1",    "na bb0p bcq1",    "oab fcp"),  # 0x57
    ("ba0b! bcpa",       "ba0b! bcpa",      "ba0b! bcpa",      "xac oab apq"),  # 0x58
    ("bba1 xcp",         "bba1 xcp",        "bba1 xcp",        "dba qcp"),  # 0x59
    ("xac",              "xac",             "xac",             "xac"),  # 0x5a
    ("bbc1 bacp xaq",    "qac rabc xpq",    "na rabc tcpq",    "xac oab epq"),  # 0x5b
    ("bacb xap",         "bacb xap",        "bc0a! bapb",      "eca dba eqp"),  # 0x5c
    ("ba0b bcp1",        "ba0b bcp1",       "ba0b bcp1",       "dba epc"),  # 0x5d
    ("ba0b bpbc xaq",    "nc bapc mbpq",    "na qcp mbpq",     "ecb dpa qcq"),  # 0x5e
    ("na bcp1",          "na bcp1",         "na bcp1",         "fac"),  # 0x5f
    ("bacb xbp",         "bacb xbp",        "tabc bp0a",       "qbc dap"),  # 0x60
    ("bcb1 bacp xbq",    "bbc1 babp xcq",   "nb mbca tcpq",    "eba qcp dba gqr"),  # 0x61
    ("bc0a! bbpc",       "bc0a! bbpc",      "bc0a! bbpc",      "oac abp xcq"),  # 0x62
    ("bac1 xbp",         "bc0a qbp",        "bc0a qbp",        "eca xbp"),  # 0x63
    ("bb0a! bcpb",       "bb0a! bcpb",      "bb0a! bcpb",      "eac qbc dpq"),  # 0x64
    ("bab1 xcp",         "bb0a qcp",        "bab1 xcp",        "eba xcp"),  # 0x65
    ("xbc",              "xbc",             "xbc",             "xbc"),  # 0x66
    ("oac xbc bpq1",     "bbc1 bacp xbq",   "nc rabc tbpq",    "oac xbc eqp"),  # 0x67
    ("bbca! xbc baqp",   "bacb! bcap xbq",  "tabc oac bp0q",   "oac abp aac xqr"),  # 0x68
    ("na xbp xcq",       "qab xcp",         "na tbcp",         "xac qbp"),  # 0x69
    ("xac bbpc",         "xac bbpc",        "bb0a tacp",       "aab xcp"),  # 0x6a
    ("xac bac1 bbpq",    "bbc1 xbc baqp",   "na mcpb tcpq",    "eca dca dbq xpr"),  # 0x6b
    ("aac xbp",          "aac xbp",         "bc0a tabp",       "aac xbp"),  # 0x6c
    ("bcb1 xbc baqp",    "xab bpb1 bcpq",   "xab bpb1 bcpq",   "oac abp xac qqr"),  # 0x6d
    ("ba0b bpac xbq",    "qbc ba0c bpq1",   "na xbc mbpq",     "dba dcp xbq"),  # 0x6e
    ("xbc bap1",         "xbc bap1",        "xbc bap1",        "qbc fap"),  # 0x6f
    ("abc bp0a",         "bb0a bcpa",       "bb0a bcpa",       "abc dap"),  # 0x70
    ("bcb1 bacb xpq",    "bb0c bacb qpq",   "qab! bc0p! bpqa", "eba dba fcp drq"),  # 0x71
    ("bcba xcp",         "bcba xcp",        "bb0c! bcpa",      "oac abc xpq"),  # 0x72
    ("bc0a bbp1",        "bc0a bbp1",       "bc0a bbp1",       "eca fbp"),  # 0x73
    ("bbca xbp",         "bbca xbp",        "bbca! xbp",       "eba ecb fpq"),  # 0x74
    ("bb0a bcp1",        "bb0a bcp1",       "bb0a bcp1",       "eba fcp"),  # 0x75
    ("nc bbpc mapq",     "bacb bpba xcq",   "bab1 bpca xbq",   "eba xbc eqp"),  # 0x76
    ("bcb1 xcp",         "bbc1 xbp",        "bb0c qcp",        "fbc"),  # 0x77
    ("xac bbpa",         "abc xap",         "bb0c tacp",       "abc xap"),  # 0x78
    ("xac bca1 bbpq",    "bba1 xab bcqp",   "bab1 bc0p tabq",  "eba qbc qaq fpr"),  # 0x79
    ("oac xac bbqp",     "qac bb0a bpq1",   "qac bb0a bpq1",   "eba fcp qaq"),  # 0x7a
    ("xac bbp1",         "xac bbp1",        "xac bbp1",        "xac epb"),  # 0x7b
    ("nc bbpa baqb",     "qab bc0a bpq1",   "qab bc0a bpq1",   "eca abp xaq"),  # 0x7c
    ("xab bcp1",         "xab bcp1",        "xab bcp1",        "qab fcp"),  # 0x7d
    ("bbca bpac xbq",    "bacb bpbc xaq",   "bb0a bcab tcpq",  "xac qbc epq"),  # 0x7e
    ("na mbcp xaq",      "na mbcp xaq",     "na bcpb bbq1",    "abc fap"),  # 0x7f
    ("abc aap",          "abc aap",         "abc aap",         "abc aap"),  # 0x80
    ("oac np aac bbrq",  "bacb bpbc qaq",   "bab1 bcab tcpq",  "xac qbc dqp"),  # 0x81
    ("xab bp0c",         "qab acp",         "tabc acp",        "qab acp"),  # 0x82
    ("bc0b bap1 xbq",    "bcab bpca qbq",   "abc bapb qaq",    "eca abp qaq"),  # 0x83
    ("xac bp0b",         "xac bp0b",        "tabc abp",        "xac dbp"),  # 0x84
    ("bb0c bap1 xcq",    "bb0c bp0a qcq",   "tabc macb qpq",   "eba fcp xaq"),  # 0x85
    ("xac mapb xpq",     "bacb! qab! bcqp", "bab1 bpca tabq",  "eba qbc qaq apr"),  # 0x86
    ("na xbp bcqp",      "abc qap",         "abc qap",         "abc qap"),  # 0x87
    ("abc",              "abc",             "abc",             "abc"),  # 0x88
    ("oac np bbcq",      "na bcbp bbcq",    "na bb0p bcbq",    "eba xbc dpq"),  # 0x89
    ("bbca bpbc",        "bb0a bpbc",       "bab1 acp",        "eba acp"),  # 0x8a
    ("na! bbcp",         "bbca qbp",        "bbca qbp",        "eba ecb qpq"),  # 0x8b
    ("abc bapb",         "bacb bcbp",       "bc0a bp0b",       "eca abp"),  # 0x8c
    ("na! bcbp",         "bcba qcp",        "bcba qcp",        "oac abc qpq"),  # 0x8d
    ("xac bpcb",         "bacb bpbc",       "qac bpbc",        "eba dba fcp eqr"),  # 0x8e
    ("na mbcp",          "na mbcp",         "na mbcp",         "abc epa"),  # 0x8f
    ("xbc bp0a",         "qbc aap",         "tabc aap",        "qbc aap"),  # 0x90
    ("ba0b bcp1 xbq",    "bba1 bpca qbq",   "bb0c macp qbq",   "dba dcp qbq"),  # 0x91
    ("xbc mbpa xpq",     "xab mbpc xpq",    "na mbpc tabq",    "oac abp xac xqr"),  # 0x92
    ("na bcp1 xbq",      "aac qbp",         "aac qbp",         "aac qbp"),  # 0x93
    ("xac mcpb xpq",     "xab aab bcqp",    "na mcpb tacq",    "eca dca dbq qpr"),  # 0x94
    ("na bbp1 xcq",      "aab qcp",         "bab1 tacp",       "aab qcp"),  # 0x95
    ("xac xbp",          "qab qcp",         "tabc",            "xac xbp"),  # 0x96
    ("oac xab bpq1 xcr", "bacb! bcap qbq",  "bab1 bcbp tacq",  "oac abp aac qqr"),  # 0x97
    ("bbca! bcbp",       "bb0a! bcbp",      "bb0a! bcbp",      "oac xbc dpq"),  # 0x98
    ("bcb1 bbcp",        "qbc",             "qbc",             "qbc"),  # 0x99
    ("bb0a xcp",         "bb0a xcp",        "bab1 qcp",        "eba qcp"),  # 0x9a
    ("na bcp1 bbcq",     "na bcp1 bbcq",    "na mcpb qcq",     "eac qbc eqp"),  # 0x9b
    ("bc0a xbp",         "qbc bapb",        "bc0a xbp",        "eca qbp"),  # 0x9c
    ("na bbp1 bcbq",     "na mbpc qbq",     "na mbpc qbq",     "oac abp qcq"),  # 0x9d
    ("bcb1 xab bqpc",    "bacb xac bbpq",   "tabc mbcp",       "eba qcp dba oqr"),  # 0x9e
    ("na xbc bqp1",      "bacb! qbp",       "tabc! bap1",      "qbc epa"),  # 0x9f
    ("aac",              "aac",             "aac",             "aac"),  # 0xa0
    ("na bbcp bcaq",     "na mbpc xpq",     "na bb0p bcaq",    "ecb dpa xcq"),  # 0xa1
    ("bbac acp",         "bba1 bpca",       "bb0c bacp",       "dba dcp"),  # 0xa2
    ("nb! bacp",         "bacb qap",        "bacb qap",        "eca dba dpq"),  # 0xa3
    ("bacb! bcap",       "bacb! bcap",      "bacb! bcap",      "xac oab dqp"),  # 0xa4
    ("na bcap",          "qac",             "qac",             "qac"),  # 0xa5
    ("ba0b xcp",         "bba1 qcp",        "qac bbpc",        "dba xcp"),  # 0xa6
    ("nc bbp1 bacq",     "qab mcpa qcq",    "qab mcpb tcpq",   "xac oab fpq"),  # 0xa7
    ("bcb1 bpca",        "bacb acp",        "bb0c bpac",       "oab acp"),  # 0xa8
    ("nc oab bqcp",      "oab qcp",         "bab1 tbcp",       "oab qcp"),  # 0xa9
    ("",                 "",                "",                ""),  # 0xaa
    ("bbc1 bacp",        "bbc1 bacp",       "bbc1 bacp",       "oab ecp"),  # 0xab
    ("bacb",             "bacb",            "bacb",            "eca gab dpq"),  # 0xac
    ("bcb1 bacp",        "bcb1 bacp",       "bcb1 bacp",       "xac eab fpq"),  # 0xad
    ("oac bpcb",         "na mbpc",         "na mbpc",         "dba ocp"),  # 0xae
    ("bac1",             "bac1",            "bac1",            "eca"),  # 0xaf
    ("bbca bcap",        "bbc1 aap",        "bb0a bcap",       "ecb aap"),  # 0xb0
    ("bbc1! bcap",       "bcab qcp",        "bcab qcp",        "ecb dca xpq"),  # 0xb1
    ("bbca bpac",        "qab bpca",        "bbca bpac",       "oac fac fbq apr"),  # 0xb2
    ("nb macp",          "nb macp",         "nb macp",         "aac epb"),  # 0xb3
    ("bc0b xap",         "bbc1 qap",        "tabc bcap",       "ecb qap"),  # 0xb4
    ("na bbp1 bcaq",     "na bbp1 bcaq",    "na bbp1 bcaq",    "eba qac eqp"),  # 0xb5
    ("oac xbp macq",     "bba1 xab bcpq",   "tabc macp",       "oac qbp fac fqr"),  # 0xb6
    ("na bbca xpq",      "bbca! qap",       "tabc! bbp1",      "xac fbp"),  # 0xb7
    ("bbca",             "bbca",            "bbca",            "eba fbc fpq"),  # 0xb8
    ("bca1 bbcp",        "macb qcp",        "bca1 bbcp",       "eba xbc fpq"),  # 0xb9
    ("oac bbcp",         "bbc1 bapc",       "bab1 bpca",       "eba ecp"),  # 0xba
    ("bbc1",             "bbc1",            "bbc1",            "ecb"),  # 0xbb
    ("bbca bapb",        "bacb bbpa",       "bacb bbpa",       "abc qab epq"),  # 0xbc
    ("oac bbca bpq1",    "bacb rbcp qpq",   "bab1 bcba tcpq",  "xac qbc eqp"),  # 0xbd
    ("xab ocp",          "qab bpc1",        "tabc ocp",        "qab ecp"),  # 0xbe
    ("bbca bap1",        "bacb bbp1",       "babc bpc1",       "eca epb"),  # 0xbf
    ("aab",              "aab",             "aab",             "aab"),  # 0xc0
    ("oac np bbaq",      "na mcpb xpq",     "na mcpb xpq",     "qab dcb dpq"),  # 0xc1
    ("ba0c! bbap",       "ba0c! bbap",      "bb0c! babp",      "oac dpb xaq"),  # 0xc2
    ("na bbap",          "qab",             "qab",             "qab"),  # 0xc3
    ("ba0c bp0b",        "ba0c bpab",       "babc bpab",       "eac abp"),  # 0xc4
    ("bca1! babp",       "babc qap",        "babc qap",        "oac aab qpq"),  # 0xc5
    ("ba0c xbp",         "ba0c xbp",        "tabc bcpb",       "eac qbp"),  # 0xc6
    ("nc bbp1 babq",     "nc mbpa qbq",     "qab bbc1 bqpb",   "oac abp qaq"),  # 0xc7
    ("oac bpbc",         "bba1 bpbc",       "babc bcbp",       "oac abp"),  # 0xc8
    ("oac np bbpq",      "oac qbp",         "oac qbp",         "oac qbp"),  # 0xc9
    ("babc",             "babc",            "babc",            "oac dab xpq"),  # 0xca
    ("bbc1 babp",        "bbc1 babp",       "bbc1 babp",       "abc qab opq"),  # 0xcb
    ("",                 "",                "",                ""),  # 0xcc
    ("oac bpb1",         "oac bpb1",        "bab1 bcbp",       "oac ebp"),  # 0xcd
    ("na mcpb",          "na mcpb",         "na mcpb",         "eac ebp"),  # 0xce
    ("bab1",             "bab1",            "bab1",            "eba"),  # 0xcf
    ("bcb1 aap",         "bc0a mabp",       "bc0a mabp",       "dcb dap"),  # 0xd0
    ("bcb1! bbap",       "bbac qbp",        "bbac qbp",        "xac epb xcq"),  # 0xd1
    ("bb0c xap",         "qab bcpa",        "bb0c xap",        "dcb xap"),  # 0xd2
    ("na bcp1 bbaq",     "na bcp1 bbaq",    "na bcp1 bbaq",    "eca dpb xaq"),  # 0xd3
    ("xac bpab",         "xac bpab",        "qac bpba",        "eca dca dbq erp"),  # 0xd4
    ("aab bcp1",         "aab bcp1",        "aab bcp1",        "aab epc"),  # 0xd5
    ("bcb1 xbc bapq",    "bba1 xac bqpb",   "tabc mabp",       "eca dca ebp xqr"),  # 0xd6
    ("na xbp bcq1",      "qab! bcp1",       "tabc! bcp1",      "qab epc"),  # 0xd7
    ("bcba",             "bcba",            "bcba",            "oac dcb xpq"),  # 0xd8
    ("bba1 bcbp",        "bba1 bcbp",       "mabc qbp",        "eca abp qcq"),  # 0xd9
    ("bcb1 bapc",        "xac mbcp",        "bab1 bcpa",       "xac fbc epq"),  # 0xda
    ("bcb1 bbc1 bapq",   "bba1 babc bcqp",  "bab1 bba1 bcpq",  "xac qbc opq"),  # 0xdb
    ("bcb1 mapb",        "bacb bpba",       "bc0a obp",        "eca ebp"),  # 0xdc
    ("bcb1",             "bcb1",            "bcb1",            "ebc"),  # 0xdd
    ("xac obp",          "xac obp",         "tabc obp",        "xac obp"),  # 0xde
    ("bcb1 bap1",        "bacb bpb1",       "bab1 bcp1",       "eba epc"),  # 0xdf
    ("bab1 bpac",        "bacb bpab",       "bab1 bpac",       "gbc dap"),  # 0xe0
    ("nc bb0p xaq",      "obc qap",         "bcb1 tabp",       "gbc xap"),  # 0xe1
    ("bbac",             "bbac",            "bbac",            "xac dpb xaq"),  # 0xe2
    ("bac1 bbap",        "bac1 bbap",       "bac1 bbap",       "qab fac epq"),  # 0xe3
    ("bcab",             "bcab",            "bcab",            "ecb aac eqp"),  # 0xe4
    ("bab1 bcap",        "mabc qap",        "bab1 bcap",       "ecb aap qcq"),  # 0xe5
    ("bba1 bcpb",        "bba1 bcpb",       "bba1 bcpb",       "aab xbc opq"),  # 0xe6
    ("oac bbac bpq1",    "bba1 bab1 bcpq",  "bab1 bba1 bcqp",  "xac qbc fpq"),  # 0xe7
    ("bbca! bpca",       "bacb! bpcb",      "qac! bpab",       "oac abp aac oqr"),  # 0xe8
    ("bcb1 xab bqcp",    "bba1 bcpb qaq",   "na mbcp tbcq",    "oac qbp fac eqr"),  # 0xe9
    ("mabc",             "mabc",            "mabc",            "aab ocp"),  # 0xea
    ("xab bpc1",         "qab ocp",         "tabc bpc1",       "qab ocp"),  # 0xeb
    ("macb",             "macb",            "macb",            "aac obp"),  # 0xec
    ("xac bpb1",         "xac bpb1",        "tabc bpb1",       "xac ebp"),  # 0xed
    ("obc",              "obc",             "obc",             "obc"),  # 0xee
    ("na rbcp",          "na rbcp",         "na rbcp",         "eba ocp"),  # 0xef
    ("",                 "",                "",                ""),  # 0xf0
    ("rabc bpa1",        "bba1 bcap",       "bba1 bcap",       "gbc oap"),  # 0xf1
    ("oac bbap",         "bba1 bcpa",       "bb0c oap",        "dcb oap"),  # 0xf2
    ("bba1",             "bba1",            "bba1",            "eab"),  # 0xf3
    ("oac bpab",         "bbc1 bpab",       "tabc mbpa",       "ecb eap"),  # 0xf4
    ("bca1",             "bca1",            "bca1",            "eac"),  # 0xf5
    ("xbc oap",          "qbc bpa1",        "tabc oap",        "qbc eap"),  # 0xf6
    ("bbca bpa1",        "bba1 bcp1",       "abc bpa1",        "abc eap"),  # 0xf7
    ("mbca",             "mbca",            "mbca",            "abc oap"),  # 0xf8
    ("xbc bpa1",         "bacb qcp",        "tabc bpa1",       "qbc oap"),  # 0xf9
    ("oac",              "oac",             "oac",             "oac"),  # 0xfa
    ("oac bbp1",         "bba1 mbcp",       "babc bbp1",       "oac epb"),  # 0xfb
    ("oab",              "oab",             "oab",             "oab"),  # 0xfc
    ("bcb1 rabp",        "bacb bcp1",       "bb0c bpa1",       "eac obp"),  # 0xfd
    ("rabc",             "rabc",            "rabc",            "oac obp"),  # 0xfe
    ("",                 "",                "",                ""),  # 0xff
)
# fmt: on
