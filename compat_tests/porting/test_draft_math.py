"""Drafts of Java's Math, and of texts that are searched and replaced."""

from __future__ import annotations

import pytest

from compat_tests.porting.running import run


# What Java 17 printed for these.
@pytest.mark.parametrize(
    ("java", "found"),
    [
        ('return "hello".replace("l", "L") + "a.b".replace(\'.\', \'-\');', "heLLoa-b"),
        ('String s = " a "; return s.strip() + "aXbX".indexOf("X", 2);', "a3"),
        ('return "ab".startsWith("b", 1);', True),
        ("return Math.floor(-1.5) + Math.ceil(1.2);", 0.0),
        ('return "" + Math.floor(7.0) + Math.sqrt(16) + Math.hypot(3, 4);', "7.04.05.0"),
        ("return (int) Math.ceil((double) 7 / 2) / 3;", 1),
        ("double d = Math.floor(7 / 2.0) / 2; return d;", 1.5),
    ],
)
def test_functions_of_math_and_texts(java: str, found: object) -> None:
    made = run(f"static Object f() {{ {java} }}")["f"]()
    assert (made, type(made)) == (found, type(found))
