"""`run --check`: what the devices look for, with the line."""

from __future__ import annotations

from pathlib import Path

from command import SAXPY, ptxlift, refused

RACY = """.version 8.3
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .b32 %r<3>; .reg .b64 %d<2>;
.shared .align 4 .b8 s[512];
ld.param.u64 %d0, [out];
mov.u32 %r0, %tid.x;
mov.u32 %r1, s;
mad.lo.u32 %r1, %r0, 4, %r1;
st.shared.u32 [%r1], %r0;
xor.b32 %r1, %r1, 256;
ld.shared.u32 %r2, [%r1];
mad.wide.u32 %d1, %r0, 4, %d0;
st.global.u32 [%d1], %r2;
}
"""


def test_command_shows_races_with_the_line(tmp_path: Path) -> None:
    path = tmp_path / "racy.ptx"
    path.write_text(RACY)
    words = ("run", path, "u32[128]=zeros", "-b", "128")
    assert ptxlift(*words, "--device", "interpreter").status == 0
    ended = refused(ptxlift(*words, "--device", "both", "--check", "races,hazards"))
    assert ended.codes() == ["PTX409"]
    assert ended.first_place() == (14, 1, "PTX409")
    assert "ld.shared.u32 %r2, [%r1];\n" in ended.errors


def test_command_refuses_a_check_that_nobody_has() -> None:
    ended = refused(ptxlift("run", SAXPY, "--check", "everything", "-b", "32"))
    assert ended.codes()[-1:] == ["PTX307"]
