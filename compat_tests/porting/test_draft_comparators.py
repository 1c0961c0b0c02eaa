"""Drafts of Java's comparators, and of streams that are sorted, cut or collected by keys."""

from __future__ import annotations

import pytest

from compat_tests.porting.running import HEAD, run
from millstream.porting.drafting.draft import draft

ITEMS = (
    "record Item(String name, int qty, double price) {}"
    " static List<Item> items() { List<Item> made = new ArrayList<>();"
    ' made.add(new Item("pear", 3, 1.5)); made.add(new Item("apple", 5, 0.5));'
    ' made.add(new Item("fig", 3, 4.0)); return made; }'
    " static List<String> names(List<Item> l) { return l.stream().map(Item::name).toList(); }"
    " static class Bag { Map<String, Integer> byName() {"
    " return items().stream().collect(Collectors.toMap(Item::name, i -> i.qty())); } }"
)
SORTED = "return names(items().stream().sorted({}).toList());"
FOUND = "items().stream().filter(i -> i.qty() > {}).map(Item::name)"
PAIRS = 'Map<String, Integer> m = new LinkedHashMap<>(); m.put("a", 1); m.put("b", 2); '


# What Java 17 printed for these.
@pytest.mark.parametrize(
    ("java", "found"),
    [
        (SORTED.format("Comparator.comparing(Item::name)"), ["apple", "fig", "pear"]),
        (SORTED.format("Comparator.comparing(Item::qty).reversed()"), ["apple", "pear", "fig"]),
        (
            SORTED.format("Comparator.comparingInt(Item::qty).thenComparing(Item::name)"),
            ["fig", "pear", "apple"],
        ),
        (
            SORTED.format("(x, y) -> Integer.compare(y.qty(), x.qty())"),
            ["apple", "pear", "fig"],
        ),
        ("return names(items().stream().skip(1).limit(1).toList());", ["apple"]),
        (
            "return Stream.of(3, 1, 3, 2).distinct().sorted(Comparator.reverseOrder()).toList();",
            [3, 2, 1],
        ),
        (f'return {FOUND.format(9)}.findFirst().orElse("none") + 1;', "none1"),
        (f"return {FOUND.format(4)}.findAny().isPresent();", True),
        (f"return {FOUND.format(4)}.findFirst().get();", "apple"),
        ("return items().stream().min(Comparator.comparing(Item::qty)).get().name();", "pear"),
        (
            "return items().stream().min(Comparator.comparing(Item::qty).reversed()).get().name();",
            "apple",
        ),
        ("return items().stream().mapToInt(Item::qty).max().getAsInt();", 5),
        ("return items().stream().mapToInt(Item::qty).filter(q -> q > 9).max().orElse(-4);", -4),
        ('return new Bag().byName().get("fig");', 3),
        (
            (
                "return items().stream()"
                ".collect(Collectors.toMap(Item::qty, Item::name, (a, b) -> a + b)).get(3);"
            ),
            "pearfig",
        ),
        (
            (
                "Map<Integer, List<Item>> m = items().stream()"
                ".collect(Collectors.groupingBy(Item::qty)); return names(m.get(3));"
            ),
            ["pear", "fig"],
        ),
        (
            (
                f"{PAIRS} Map.Entry<String, Integer> e = m.entrySet().stream()"
                ".max(Map.Entry.comparingByValue()).get(); return e.getKey();"
            ),
            "b",
        ),
        (
            (
                "List<Item> l = items(); l.sort(Comparator.comparingDouble(Item::price));"
                " Collections.sort(l, (a, b) -> a.qty() - b.qty()); return names(l);"
            ),
            ["pear", "fig", "apple"],
        ),
    ],
)
def test_a_value_is_what_it_is_in_java(java: str, found: object) -> None:
    made = run(f"static Object f() {{ {java} }} {ITEMS}")["f"]()
    assert (made, type(made)) == (found, type(found))


@pytest.mark.parametrize(
    ("java", "message"),
    [
        ("items().stream().collect(Collectors.toMap(Item::qty, Item::name))", "Duplicate key 3"),
        (f"{FOUND.format(9)}.findFirst().get()", "null"),
    ],
)
def test_what_java_refuses_is_an_error(java: str, message: str) -> None:
    function = run(f"static Object f() {{ return {java}; }} {ITEMS}")["f"]
    with pytest.raises(Exception, match=message):
        function()


@pytest.mark.parametrize(
    "java",
    [
        SORTED.format("Comparator.comparing(Item::name, String.CASE_INSENSITIVE_ORDER)"),
        SORTED.format("Comparator.comparing(Item::qty).reversed().thenComparing(Item::name)"),
        SORTED.format("String.CASE_INSENSITIVE_ORDER"),
        f"{PAIRS} return m.entrySet().stream().max(Map.Entry.comparingByValue()).get().getKey();",
        "return items().stream().mapToInt(Item::qty).average().getAsDouble();",
    ],
)
def test_other_orders_are_left(java: str) -> None:
    assert draft(f"{HEAD} class A {{ static Object f() {{ {java} }} {ITEMS} }}".encode()).left
