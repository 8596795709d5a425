"""Moves through other lanes that a quick search does not find, for chips without row selectors.

Comes in: a chip's features and the lanes wanted. Goes out: the steps as text, or None. A row: the
lane that each lane of a warp reads, as a digit to the base 32, and the steps (`lane_search.Step`)
for chips of gfx900, of gfx90a on, and of gfx950. They were found by a long search once; a test
plays all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ptxlift.target.features import Feature
from ptxlift.target.permutes import WARP

# fmt: off
ROWS: tuple[tuple[str, str, str, str], ...] = (
    ("010123456789abcdefghijklmnopqrst", "DPP:138:0:-:f:f DPP:138:1:1:f:f DPP:44:0:2:5:1", "DPP:138:0:-:f:f DPP:138:1:1:f:f DPP:44:0:2:5:1", "DPP:138:0:-:f:f DPP:138:1:1:f:f DPP:44:0:2:5:1"),  # up 2, width 32
    ("0120123456789abcdefghijklmnopqrs", "DPP:138:0:-:f:f DPP:138:1:1:f:f DPP:138:2:2:f:f DPP:24:0:3:5:1", "DPP:138:0:-:f:f DPP:138:1:1:f:f DPP:138:2:2:f:f DPP:24:0:3:5:1", "LOWER:10:0:-:f:f DPP:123:1:1:a:f DPP:113:0:2:f:f"),  # up 3, width 32
    ("01230123456789abcdefghijklmnopqr", "", "", "LOWER:10:0:-:f:f DPP:124:1:1:a:f DPP:114:0:2:f:f"),  # up 4, width 32
    ("012340123456789abcdefghijklmnopq", "", "", "LOWER:10:0:-:f:f DPP:125:1:1:a:f DPP:115:0:2:f:f"),  # up 5, width 32
    ("0123450123456789abcdefghijklmnop", "", "", "LOWER:10:0:-:f:f DPP:126:1:1:a:f DPP:116:0:2:f:f"),  # up 6, width 32
    ("01234560123456789abcdefghijklmno", "", "", "LOWER:10:0:-:f:f DPP:127:1:1:a:f DPP:117:0:2:f:f"),  # up 7, width 32
    ("012345670123456789abcdefghijklmn", "", "", "LOWER:10:0:-:f:f DPP:108:1:1:a:f DPP:118:0:2:f:f"),  # up 8, width 32
    ("0123456780123456789abcdefghijklm", "", "", "LOWER:10:0:-:f:f DPP:107:1:1:a:f DPP:119:0:2:f:f"),  # up 9, width 32
    ("01234567890123456789abcdefghijkl", "", "", "LOWER:10:0:-:f:f DPP:106:1:1:a:f DPP:11a:0:2:f:f"),  # up 10, width 32
    ("0123456789a0123456789abcdefghijk", "", "", "LOWER:10:0:-:f:f DPP:105:1:1:a:f DPP:11b:0:2:f:f"),  # up 11, width 32
    ("0123456789ab0123456789abcdefghij", "", "", "LOWER:10:0:-:f:f DPP:104:1:1:a:f DPP:11c:0:2:f:f"),  # up 12, width 32
    ("0123456789abc0123456789abcdefghi", "", "", "LOWER:10:0:-:f:f DPP:103:1:1:a:f DPP:11d:0:2:f:f"),  # up 13, width 32
    ("0123456789abcd0123456789abcdefgh", "", "", "LOWER:10:0:-:f:f DPP:102:1:1:a:f DPP:11e:0:2:f:f"),  # up 14, width 32
    ("0123456789abcde0123456789abcdefg", "", "", "LOWER:10:0:-:f:f DPP:101:1:1:a:f DPP:11f:0:2:f:f"),  # up 15, width 32
    ("0123456789abcdefg0123456789abcde", "", "", "LOWER:10:0:-:f:f DPP:111:1:0:a:f"),  # up 17, width 32
    ("0123456789abcdefgh0123456789abcd", "", "", "LOWER:10:0:-:f:f DPP:112:1:0:a:f"),  # up 18, width 32
    ("0123456789abcdefghi0123456789abc", "", "", "LOWER:10:0:-:f:f DPP:113:1:0:a:f"),  # up 19, width 32
    ("0123456789abcdefghijk0123456789a", "", "", "LOWER:10:0:-:f:f DPP:115:1:0:a:f"),  # up 21, width 32
    ("0123456789abcdefghijkl0123456789", "", "", "LOWER:10:0:-:f:f DPP:116:1:0:a:f"),  # up 22, width 32
    ("0123456789abcdefghijklm012345678", "", "", "LOWER:10:0:-:f:f DPP:117:1:0:a:f"),  # up 23, width 32
    ("0123456789abcdefghijklmno0123456", "", "", "LOWER:10:0:-:f:f DPP:119:1:0:a:f"),  # up 25, width 32
    ("0123456789abcdefghijklmnop012345", "", "", "LOWER:10:0:-:f:f DPP:11a:1:0:a:f"),  # up 26, width 32
    ("0123456789abcdefghijklmnopq01234", "", "", "LOWER:10:0:-:f:f DPP:11b:1:0:a:f"),  # up 27, width 32
    ("0123456789abcdefghijklmnopqrs012", "", "", "LOWER:10:0:-:f:f DPP:11d:1:0:a:f"),  # up 29, width 32
    ("0123456789abcdefghijklmnopqrst01", "", "", "LOWER:10:0:-:f:f DPP:11e:1:0:a:f"),  # up 30, width 32
    ("0123456789abcdefghijklmnopqrstu0", "DPP:11f:0:-:f:f DPP:138:1:1:f:f DPP:11f:2:0:a:f", "DPP:11f:0:-:f:f DPP:138:1:1:f:f DPP:11f:2:0:a:f", "LOWER:10:0:-:f:f DPP:11f:1:0:a:f"),  # up 31, width 32
    ("23456789abcdefghijklmnopqrstuvuv", "DPP:130:0:-:f:f DPP:130:1:1:f:f DPP:44:2:2:a:8", "DPP:130:0:-:f:f DPP:130:1:1:f:f DPP:44:2:2:a:8", "DPP:130:0:-:f:f DPP:130:1:1:f:f DPP:44:2:2:a:8"),  # down 2, width 32
    ("3456789abcdefghijklmnopqrstuvtuv", "DPP:130:0:-:f:f DPP:130:1:1:f:f DPP:130:2:2:f:f DPP:e7:0:3:a:8", "DPP:130:0:-:f:f DPP:130:1:1:f:f DPP:130:2:2:f:f DPP:e7:0:3:a:8", "UPPER:10:0:-:f:f DPP:11d:1:1:5:f DPP:103:0:2:f:f"),  # down 3, width 32
    ("456789abcdefghijklmnopqrstuvstuv", "", "", "UPPER:10:0:-:f:f DPP:11c:1:1:5:f DPP:104:0:2:f:f"),  # down 4, width 32
    ("56789abcdefghijklmnopqrstuvrstuv", "", "", "UPPER:10:0:-:f:f DPP:11b:1:1:5:f DPP:105:0:2:f:f"),  # down 5, width 32
    ("6789abcdefghijklmnopqrstuvqrstuv", "", "", "UPPER:10:0:-:f:f DPP:11a:1:1:5:f DPP:106:0:2:f:f"),  # down 6, width 32
    ("789abcdefghijklmnopqrstuvpqrstuv", "", "", "UPPER:10:0:-:f:f DPP:119:1:1:5:f DPP:107:0:2:f:f"),  # down 7, width 32
    ("89abcdefghijklmnopqrstuvopqrstuv", "", "", "UPPER:10:0:-:f:f DPP:118:1:1:5:f DPP:108:0:2:f:f"),  # down 8, width 32
    ("9abcdefghijklmnopqrstuvnopqrstuv", "", "", "UPPER:10:0:-:f:f DPP:117:1:1:5:f DPP:109:0:2:f:f"),  # down 9, width 32
    ("abcdefghijklmnopqrstuvmnopqrstuv", "", "", "UPPER:10:0:-:f:f DPP:116:1:1:5:f DPP:10a:0:2:f:f"),  # down 10, width 32
    ("bcdefghijklmnopqrstuvlmnopqrstuv", "", "", "UPPER:10:0:-:f:f DPP:115:1:1:5:f DPP:10b:0:2:f:f"),  # down 11, width 32
    ("cdefghijklmnopqrstuvklmnopqrstuv", "", "", "UPPER:10:0:-:f:f DPP:114:1:1:5:f DPP:124:0:2:f:1"),  # down 12, width 32
    ("defghijklmnopqrstuvjklmnopqrstuv", "", "", "UPPER:10:0:-:f:f DPP:113:1:1:5:f DPP:10d:0:2:f:f"),  # down 13, width 32
    ("efghijklmnopqrstuvijklmnopqrstuv", "", "", "UPPER:10:0:-:f:f DPP:112:1:1:5:f DPP:10e:0:2:f:f"),  # down 14, width 32
    ("fghijklmnopqrstuvhijklmnopqrstuv", "", "", "UPPER:10:0:-:f:f DPP:111:1:1:5:f DPP:10f:0:2:f:f"),  # down 15, width 32
    ("hijklmnopqrstuvfghijklmnopqrstuv", "", "", "UPPER:10:0:-:f:f DPP:101:1:0:5:f"),  # down 17, width 32
    ("ijklmnopqrstuvefghijklmnopqrstuv", "", "", "UPPER:10:0:-:f:f DPP:102:1:0:5:f"),  # down 18, width 32
    ("jklmnopqrstuvdefghijklmnopqrstuv", "", "", "UPPER:10:0:-:f:f DPP:103:1:0:5:f"),  # down 19, width 32
    ("lmnopqrstuvbcdefghijklmnopqrstuv", "", "", "UPPER:10:0:-:f:f DPP:105:1:0:5:f"),  # down 21, width 32
    ("mnopqrstuvabcdefghijklmnopqrstuv", "", "", "UPPER:10:0:-:f:f DPP:106:1:0:5:f"),  # down 22, width 32
    ("nopqrstuv9abcdefghijklmnopqrstuv", "", "", "UPPER:10:0:-:f:f DPP:107:1:0:5:f"),  # down 23, width 32
    ("pqrstuv789abcdefghijklmnopqrstuv", "", "", "UPPER:10:0:-:f:f DPP:109:1:0:5:f"),  # down 25, width 32
    ("qrstuv6789abcdefghijklmnopqrstuv", "", "", "UPPER:10:0:-:f:f DPP:10a:1:0:5:f"),  # down 26, width 32
    ("rstuv56789abcdefghijklmnopqrstuv", "", "", "UPPER:10:0:-:f:f DPP:10b:1:0:5:f"),  # down 27, width 32
    ("tuv3456789abcdefghijklmnopqrstuv", "", "", "UPPER:10:0:-:f:f DPP:10d:1:0:5:f"),  # down 29, width 32
    ("uv23456789abcdefghijklmnopqrstuv", "", "", "UPPER:10:0:-:f:f DPP:10e:1:0:5:f"),  # down 30, width 32
    ("v123456789abcdefghijklmnopqrstuv", "DPP:121:0:-:f:f DPP:130:1:1:f:f DPP:10f:2:0:5:f", "DPP:121:0:-:f:f DPP:130:1:1:f:f DPP:10f:2:0:5:f", "UPPER:10:0:-:f:f DPP:10f:1:0:5:f"),  # down 31, width 32
    ("0123456789abcdef1032547698badcfe", "", "", "LOWER:10:0:-:f:f DPP:b1:1:1:a:f"),  # bfly 17, width 16
    ("0123456789abcdef23016745ab89efcd", "", "", "LOWER:10:0:-:f:f DPP:4e:1:1:a:f"),  # bfly 18, width 16
    ("0123456789abcdef32107654ba98fedc", "", "", "LOWER:10:0:-:f:f DPP:1b:1:1:a:f"),  # bfly 19, width 16
    ("0123456789abcdef76543210fedcba98", "", "", "LOWER:10:0:-:f:f DPP:141:1:1:a:f"),  # bfly 23, width 16
    ("0123456789abcdef89abcdef01234567", "", "", "LOWER:10:0:-:f:f DPP:128:1:1:a:f"),  # bfly 24, width 16
    ("0123456789abcdeffedcba9876543210", "", "", "LOWER:10:0:-:f:f DPP:140:1:1:a:f"),  # bfly 31, width 16
    ("0123456710325476ghijklmnhgjilknm", "DPP:118:0:0:f:f DPP:b1:1:1:f:c", "DPP:118:0:0:f:f DPP:b1:1:1:f:c", "DPP:118:0:0:f:f DPP:b1:1:1:f:c"),  # bfly 9, width 8
    ("0123456723016745ghijklmnijghmnkl", "DPP:118:0:0:f:f DPP:4e:1:1:f:c", "DPP:118:0:0:f:f DPP:4e:1:1:f:c", "DPP:118:0:0:f:f DPP:4e:1:1:f:c"),  # bfly 10, width 8
    ("0123456732107654ghijklmnjihgnmlk", "DPP:118:0:0:f:f DPP:1b:1:1:f:c", "DPP:118:0:0:f:f DPP:1b:1:1:f:c", "DPP:118:0:0:f:f DPP:1b:1:1:f:c"),  # bfly 11, width 8
    ("0123456754761032ghijklmnlknmhgji", "DPP:140:0:0:f:c DPP:4e:1:1:f:c", "DPP:140:0:0:f:c DPP:4e:1:1:f:c", "DPP:140:0:0:f:c DPP:4e:1:1:f:c"),  # bfly 13, width 8
    ("0123456767452301ghijklmnmnklijgh", "DPP:140:0:0:f:c DPP:b1:1:1:f:c", "DPP:140:0:0:f:c DPP:b1:1:1:f:c", "DPP:140:0:0:f:c DPP:b1:1:1:f:c"),  # bfly 14, width 8
    ("0123103289ab98baghijhgjiopqrporq", "DPP:141:0:0:f:a DPP:4e:1:1:f:a", "DPP:141:0:0:f:a DPP:4e:1:1:f:a", "DPP:141:0:0:f:a DPP:4e:1:1:f:a"),  # bfly 5, width 4
    ("0123230189abab89ghijijghopqrqrop", "DPP:141:0:0:f:a DPP:b1:1:1:f:a", "DPP:141:0:0:f:a DPP:b1:1:1:f:a", "DPP:141:0:0:f:a DPP:b1:1:1:f:a"),  # bfly 6, width 4
    ("00000000000000000000000000000000", "", "DPP:150:0:0:5:f DPP:142:1:1:a:f", ""),  # idx 0, width 32
    ("11111111111111111111111111111111", "", "DPP:151:0:0:5:f DPP:142:1:1:a:f", ""),  # idx 1, width 32
    ("22222222222222222222222222222222", "", "DPP:152:0:0:5:f DPP:142:1:1:a:f", ""),  # idx 2, width 32
    ("33333333333333333333333333333333", "", "DPP:153:0:0:5:f DPP:142:1:1:a:f", ""),  # idx 3, width 32
    ("44444444444444444444444444444444", "", "DPP:154:0:0:5:f DPP:142:1:1:a:f", ""),  # idx 4, width 32
    ("55555555555555555555555555555555", "", "DPP:155:0:0:5:f DPP:142:1:1:a:f", ""),  # idx 5, width 32
    ("66666666666666666666666666666666", "", "DPP:156:0:0:5:f DPP:142:1:1:a:f", ""),  # idx 6, width 32
    ("77777777777777777777777777777777", "", "DPP:157:0:0:5:f DPP:142:1:1:a:f", ""),  # idx 7, width 32
    ("88888888888888888888888888888888", "", "DPP:158:0:0:5:f DPP:142:1:1:a:f", ""),  # idx 8, width 32
    ("99999999999999999999999999999999", "", "DPP:159:0:0:5:f DPP:142:1:1:a:f", ""),  # idx 9, width 32
    ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "", "DPP:15a:0:0:5:f DPP:142:1:1:a:f", ""),  # idx 10, width 32
    ("bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", "", "DPP:15b:0:0:5:f DPP:142:1:1:a:f", ""),  # idx 11, width 32
    ("cccccccccccccccccccccccccccccccc", "", "DPP:15c:0:0:5:f DPP:142:1:1:a:f", ""),  # idx 12, width 32
    ("dddddddddddddddddddddddddddddddd", "", "DPP:15d:0:0:5:f DPP:142:1:1:a:f", ""),  # idx 13, width 32
    ("eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "", "DPP:15e:0:0:5:f DPP:142:1:1:a:f", ""),  # idx 14, width 32
    ("gggggggggggggggggggggggggggggggg", "", "DPP:11f:0:0:f:f DPP:130:1:1:5:f DPP:15f:2:2:f:f", ""),  # idx 16, width 32
    ("hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh", "", "DPP:151:0:-:f:f DPP:130:1:1:5:f DPP:15f:2:2:f:f", ""),  # idx 17, width 32
    ("iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii", "", "DPP:152:0:-:f:f DPP:130:1:1:5:f DPP:15f:2:2:f:f", ""),  # idx 18, width 32
    ("jjjjjjjjjjjjjjjjjjjjjjjjjjjjjjjj", "", "DPP:153:0:-:f:f DPP:130:1:1:5:f DPP:15f:2:2:f:f", ""),  # idx 19, width 32
    ("kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk", "", "DPP:154:0:-:f:f DPP:130:1:1:5:f DPP:15f:2:2:f:f", ""),  # idx 20, width 32
    ("llllllllllllllllllllllllllllllll", "", "DPP:155:0:-:f:f DPP:130:1:1:5:f DPP:15f:2:2:f:f", ""),  # idx 21, width 32
    ("mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm", "", "DPP:156:0:-:f:f DPP:130:1:1:5:f DPP:15f:2:2:f:f", ""),  # idx 22, width 32
    ("nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn", "", "DPP:157:0:-:f:f DPP:130:1:1:5:f DPP:15f:2:2:f:f", ""),  # idx 23, width 32
    ("oooooooooooooooooooooooooooooooo", "", "DPP:158:0:-:f:f DPP:130:1:1:5:f DPP:15f:2:2:f:f", ""),  # idx 24, width 32
    ("pppppppppppppppppppppppppppppppp", "", "DPP:159:0:-:f:f DPP:130:1:1:5:f DPP:15f:2:2:f:f", ""),  # idx 25, width 32
    ("qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq", "", "DPP:15a:0:-:f:f DPP:130:1:1:5:f DPP:15f:2:2:f:f", ""),  # idx 26, width 32
    ("rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr", "", "DPP:15b:0:-:f:f DPP:130:1:1:5:f DPP:15f:2:2:f:f", ""),  # idx 27, width 32
    ("ssssssssssssssssssssssssssssssss", "", "DPP:15c:0:-:f:f DPP:130:1:1:5:f DPP:15f:2:2:f:f", ""),  # idx 28, width 32
    ("tttttttttttttttttttttttttttttttt", "", "DPP:15d:0:-:f:f DPP:130:1:1:5:f DPP:15f:2:2:f:f", ""),  # idx 29, width 32
    ("uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu", "", "DPP:15e:0:-:f:f DPP:130:1:1:5:f DPP:15f:2:2:f:f", ""),  # idx 30, width 32
    ("vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv", "", "DPP:121:0:-:f:f DPP:130:1:0:5:f DPP:15f:2:2:f:f", ""),  # idx 31, width 32
    ("0000000000000000gggggggggggggggg", "DPP:0:0:-:f:f DPP:114:1:1:f:f DPP:118:2:2:f:f", "", ""),  # idx 0, width 16
    ("1111111111111111hhhhhhhhhhhhhhhh", "DPP:55:0:-:f:f DPP:114:1:1:f:f DPP:118:2:2:f:f", "", ""),  # idx 1, width 16
    ("2222222222222222iiiiiiiiiiiiiiii", "DPP:aa:0:-:f:f DPP:114:1:1:f:f DPP:118:2:2:f:f", "", ""),  # idx 2, width 16
    ("3333333333333333jjjjjjjjjjjjjjjj", "DPP:ff:0:-:f:f DPP:114:1:1:f:f DPP:118:2:2:f:f", "", ""),  # idx 3, width 16
    ("4444444444444444kkkkkkkkkkkkkkkk", "DPP:0:0:-:f:f DPP:118:1:1:f:f DPP:104:2:2:f:5", "", ""),  # idx 4, width 16
    ("5555555555555555llllllllllllllll", "DPP:55:0:-:f:f DPP:118:1:1:f:f DPP:104:2:2:f:5", "", ""),  # idx 5, width 16
    ("6666666666666666mmmmmmmmmmmmmmmm", "DPP:aa:0:-:f:f DPP:118:1:1:f:f DPP:104:2:2:f:5", "", ""),  # idx 6, width 16
    ("7777777777777777nnnnnnnnnnnnnnnn", "DPP:ff:0:-:f:f DPP:118:1:1:f:f DPP:104:2:2:f:5", "", ""),  # idx 7, width 16
    ("8888888888888888oooooooooooooooo", "DPP:0:0:-:f:f DPP:108:1:1:f:f DPP:114:2:2:f:a", "", ""),  # idx 8, width 16
    ("9999999999999999pppppppppppppppp", "DPP:55:0:-:f:f DPP:108:1:1:f:f DPP:114:2:2:f:a", "", ""),  # idx 9, width 16
    ("aaaaaaaaaaaaaaaaqqqqqqqqqqqqqqqq", "DPP:aa:0:-:f:f DPP:108:1:1:f:f DPP:114:2:2:f:a", "", ""),  # idx 10, width 16
    ("bbbbbbbbbbbbbbbbrrrrrrrrrrrrrrrr", "DPP:ff:0:-:f:f DPP:108:1:1:f:f DPP:114:2:2:f:a", "", ""),  # idx 11, width 16
    ("ccccccccccccccccssssssssssssssss", "DPP:0:0:-:f:f DPP:104:1:1:f:f DPP:108:2:2:f:f", "", ""),  # idx 12, width 16
    ("ddddddddddddddddtttttttttttttttt", "DPP:55:0:-:f:f DPP:104:1:1:f:f DPP:108:2:2:f:f", "", ""),  # idx 13, width 16
    ("eeeeeeeeeeeeeeeeuuuuuuuuuuuuuuuu", "DPP:aa:0:-:f:f DPP:104:1:1:f:f DPP:108:2:2:f:f", "", ""),  # idx 14, width 16
    ("ffffffffffffffffvvvvvvvvvvvvvvvv", "DPP:ff:0:-:f:f DPP:104:1:1:f:f DPP:108:2:2:f:f", "", ""),  # idx 15, width 16
    ("0000000088888888ggggggggoooooooo", "DPP:114:0:0:f:a DPP:0:1:-:f:f", "", ""),  # idx 0, width 8
    ("1111111199999999hhhhhhhhpppppppp", "DPP:114:0:0:f:a DPP:55:1:-:f:f", "", ""),  # idx 1, width 8
    ("22222222aaaaaaaaiiiiiiiiqqqqqqqq", "DPP:114:0:0:f:a DPP:aa:1:-:f:f", "", ""),  # idx 2, width 8
    ("33333333bbbbbbbbjjjjjjjjrrrrrrrr", "DPP:114:0:0:f:a DPP:ff:1:-:f:f", "", ""),  # idx 3, width 8
    ("44444444cccccccckkkkkkkkssssssss", "DPP:104:0:0:f:5 DPP:0:1:-:f:f", "", ""),  # idx 4, width 8
    ("55555555ddddddddlllllllltttttttt", "DPP:104:0:0:f:5 DPP:55:1:-:f:f", "", ""),  # idx 5, width 8
    ("66666666eeeeeeeemmmmmmmmuuuuuuuu", "DPP:104:0:0:f:5 DPP:aa:1:-:f:f", "", ""),  # idx 6, width 8
    ("77777777ffffffffnnnnnnnnvvvvvvvv", "DPP:104:0:0:f:5 DPP:ff:1:-:f:f", "", ""),  # idx 7, width 8
    ("0123456789abcdefghij0123456789ab", "", "", "DPP:114:0:-:f:f LOWER:10:1:-:f:f DPP:e4:2:0:a:e"),  # up 20, width 32
    ("0123456789abcdefghijklmn01234567", "", "", "DPP:118:0:-:f:f LOWER:10:1:-:f:f DPP:e4:2:0:a:c"),  # up 24, width 32
    ("0123456789abcdefghijklmnopqr0123", "", "", "DPP:11c:0:-:f:f LOWER:10:1:-:f:f DPP:e4:2:0:a:8"),  # up 28, width 32
    ("klmnopqrstuvcdefghijklmnopqrstuv", "", "", "DPP:104:0:-:f:f UPPER:10:1:-:f:f DPP:e4:2:0:5:7"),  # down 20, width 32
    ("opqrstuv89abcdefghijklmnopqrstuv", "", "", "DPP:108:0:-:f:f UPPER:10:1:-:f:f DPP:e4:2:0:5:3"),  # down 24, width 32
    ("stuv456789abcdefghijklmnopqrstuv", "", "", "DPP:124:0:-:f:f UPPER:10:1:-:f:f DPP:e4:2:0:5:1"),  # down 28, width 32
    ("0123456789abcdef45670123cdef89ab", "", "", "DPP:1b:0:-:f:f DPP:141:1:1:f:f LOWER:10:2:-:f:f DPP:e4:3:0:a:f"),  # bfly 20, width 16
    ("0123456789abcdef54761032dcfe98ba", "", "", "DPP:4e:0:-:f:f DPP:141:1:1:f:f LOWER:10:2:-:f:f DPP:e4:3:0:a:f"),  # bfly 21, width 16
    ("0123456789abcdef67452301efcdab89", "", "", "DPP:b1:0:-:f:f DPP:141:1:1:f:f LOWER:10:2:-:f:f DPP:e4:3:0:a:f"),  # bfly 22, width 16
    ("0123456789abcdef98badcfe10325476", "", "", "DPP:b1:0:-:f:f DPP:128:1:1:f:f LOWER:10:2:-:f:f DPP:e4:3:0:a:f"),  # bfly 25, width 16
    ("0123456789abcdefab89efcd23016745", "", "", "DPP:4e:0:-:f:f DPP:128:1:1:f:f LOWER:10:2:-:f:f DPP:e4:3:0:a:f"),  # bfly 26, width 16
    ("0123456789abcdefba98fedc32107654", "", "", "DPP:1b:0:-:f:f DPP:128:1:1:f:f LOWER:10:2:-:f:f DPP:e4:3:0:a:f"),  # bfly 27, width 16
    ("0123456789abcdefcdef89ab45670123", "", "", "DPP:1b:0:-:f:f DPP:140:1:1:f:f LOWER:10:2:-:f:f DPP:e4:3:0:a:f"),  # bfly 28, width 16
    ("0123456789abcdefdcfe98ba54761032", "", "", "DPP:4e:0:-:f:f DPP:140:1:1:f:f LOWER:10:2:-:f:f DPP:e4:3:0:a:f"),  # bfly 29, width 16
    ("0123456789abcdefefcdab8967452301", "", "", "DPP:b1:0:-:f:f DPP:140:1:1:f:f LOWER:10:2:-:f:f DPP:e4:3:0:a:f"),  # bfly 30, width 16

)
# fmt: on


def relay_of(features: frozenset[Feature], wanted: Sequence[int]) -> str | None:
    """The steps for a warp's lanes, or for two warps in a wave that want the same."""
    column = _column(features)
    lanes = wanted[:WARP]
    if column is None or min(wanted) < 0:
        return None
    if len(wanted) > WARP and list(wanted[WARP:]) != [at + WARP for at in lanes]:
        return None
    return _steps(column).get(tuple(lanes)) or None


def _column(features: frozenset[Feature]) -> int | None:
    if Feature.DPP_WAVE_SHIFT not in features:
        return None
    if Feature.PERMLANE16_SWAP in features:
        return 3
    return 2 if Feature.DPP_ROW_NEWBCAST in features else 1


@cache
def _steps(column: int) -> dict[tuple[int, ...], str]:
    return {tuple(int(digit, WARP) for digit in row[0]): row[column] for row in ROWS}
