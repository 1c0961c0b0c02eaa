"""Drafts of Java's streams within streams, and of those that are counted by keys."""

from __future__ import annotations

import pytest

from compat_tests.porting.running import HEAD, run
from millstream.porting.drafting.draft import draft

LISTS = "List<List<Integer>> l = List.of(List.of(1, 2), List.of(), List.of(3));"
WORDS = 'List<String> w = List.of("a", "bb", "a", "ccc");'


# What Java 17 gave for these.
@pytest.mark.parametrize(
    ("java", "found"),
    [
        (f"{LISTS} return l.stream().flatMap(List::stream).map(x -> x + 1).toList();", [2, 3, 4]),
        (f"{LISTS} return l.stream().flatMap(x -> x.stream()).mapToInt(x -> x).sum();", 6),
        (
            (f"{LISTS} return l.stream().filter(x -> x.size() > 1)"
            ".flatMap(x -> x.stream().map(y -> y * 2)).collect(Collectors.toUnmodifiableList());"),
            [2, 4],
        ),
        ((f'{WORDS} return w.stream().flatMap(s -> Stream.of(s, s + "!")).skip(2).limit(2)'
         ".collect(Collectors.joining());"), "bbbb!"),
        ((f"{WORDS} return new TreeMap<>(w.stream().collect(Collectors.groupingBy(x -> x,"
         " Collectors.counting())));"), {"a": 2, "bb": 1, "ccc": 1}),
        ((f"{WORDS} return w.stream().collect(Collectors.groupingBy(String::length,"
         " Collectors.summingDouble(x -> 2)));"), {1: 4.0, 2: 2.0, 3: 2.0}),
        (f"{WORDS} return w.stream().collect(Collectors.toCollection(TreeSet::new));",
         ["a", "bb", "ccc"]),
    ],
)  # fmt: skip
def test_a_stream(java: str, found: object) -> None:
    before = "import java.util.stream.*;"
    assert run(f"static Object f() {{ {java} }}", before)["f"]() == found
    assert not draft(f"{HEAD} {before} class A {{ static Object f() {{ {java} }} }}".encode()).left


def test_maps_and_sets_of_enums_have_their_order() -> None:
    java = (
        "enum K { B, A } static String f() { EnumMap<K, Integer> m = new EnumMap<>(K.class);"
        " m.put(K.A, 1); m.put(K.B, 2); m.merge(K.A, 4, Integer::sum);"
        " Set<K> s = EnumSet.noneOf(K.class);"
        ' s.add(K.A); s.add(K.B); return "" + m + s + EnumSet.of(K.A, K.B) + EnumSet.allOf(K.class)'
        " + s.contains(K.B); }"
    )
    assert run(java)["f"]() == "{B=2, A=5}[B, A][B, A][B, A]true"
