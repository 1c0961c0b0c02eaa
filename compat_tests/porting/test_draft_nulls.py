"""Null in fields of objects, in texts and keys that are made of them."""

from __future__ import annotations

import pytest

from compat_tests.porting.running import run

MEMBERS = (
    "static class Sale { Integer qty; String shop; Sale(String shop) { this.shop = shop; }"
    ' String getShop() { return shop; } String key() { return shop + "-" + qty; } }'
    ' static String asked(Object o) { return o instanceof Number ? "number" : "other"; }'
)


# What Java 17 printed for these.
@pytest.mark.parametrize(
    ("java", "found"),
    [
        ('Sale s = new Sale(null); return s.shop + "-" + s.qty;', "null-null"),
        ('Sale s = new Sale("a"); return s.getShop() + "-" + s.qty;', "a-null"),
        ("return new Sale(null).key();", "null-null"),
        (
            'Sale s = new Sale(null); String k = "k"; k += s.shop; k += s.qty; return k;',
            "knullnull",
        ),
        ('Sale s = new Sale(null); return s.shop + "\\"" + s.qty;', 'null"null'),
        ("return asked(true) + asked(1) + asked(2.5);", "othernumbernumber"),
    ],
)
def test_null_is_written_as_null(java: str, found: str) -> None:
    assert run(f"static String f() {{ {java} }} {MEMBERS}")["f"]() == found


def test_a_nameless_class_with_a_field_can_be_called_where_java_asks_for_a_function() -> None:
    java = (
        "static int f() { Supplier<Integer> s = new Supplier<>() { int n = 0;"
        " public Integer get() { n += 1; return n; } }; s.get(); return s.get(); }"
    )
    assert run(java, before="import java.util.function.*;")["f"]() == 2


def test_a_variable_of_what_a_map_has_not_is_written_as_null() -> None:
    names = run(
        'static String f(Map<String, Integer> m) { Integer old = m.remove("a");'
        ' String name = "b"; return old + name; }'
    )
    assert [names["f"]({}), names["f"]({"a": 1})] == ["nullb", "1b"]
