"""Enums and classes that Java can compare, sorted by Python."""

from __future__ import annotations

import pytest

from compat_tests.porting.running import run

MEMBERS = (
    "enum Level { LOW, MID, HIGH }"
    " static class Size implements Comparable<Size> { int n; String s;"
    " Size(int n, String s) { this.n = n; this.s = s; }"
    " public int compareTo(Size o) { return Integer.compare(n, o.n); }"
    " public String toString() { return s + n; } }"
    " record Place(int x, int y) implements Comparable<Place> {"
    " public int compareTo(Place o) { return x != o.x ? x - o.x : y - o.y; } }"
    " record Job(Level level, String name) {}"
    ' static List<Job> jobs() { return List.of(new Job(Level.HIGH, "a"), new Job(Level.LOW, "b"),'
    ' new Job(Level.MID, "c")); }'
)


# What Java 17 printed for these.
@pytest.mark.parametrize(
    ("java", "found"),
    [
        (
            (
                "List<Level> l = new ArrayList<>(List.of(Level.HIGH, Level.LOW, Level.MID));"
                ' Collections.sort(l); return "" + l;'
            ),
            "[LOW, MID, HIGH]",
        ),
        (
            (
                "return jobs().stream().sorted(Comparator.comparing(Job::level))"
                ".map(Job::name).toList();"
            ),
            ["b", "c", "a"],
        ),
        (
            ("return jobs().stream().map(Job::level).max(Comparator.naturalOrder()).get().name();"),
            "HIGH",
        ),
        (
            (
                'List<Size> l = new ArrayList<>(List.of(new Size(5, "a"), new Size(2, "b")));'
                ' Collections.sort(l); return "" + l;'
            ),
            "[b2, a5]",
        ),
        (
            (
                "List<Place> l = new ArrayList<>(List.of(new Place(1, 5), new Place(1, 2)));"
                ' Collections.sort(l); return "" + l.get(0);'
            ),
            "Place[x=1, y=2]",
        ),
        ('return Stream.of("b", "a").sorted(String::compareTo).toList();', ["a", "b"]),
        ("return Stream.of(3, 1).sorted(Integer::compare).toList();", [1, 3]),
        (
            "return jobs().stream().map(Job::level).map(Level::name).toList();",
            ["HIGH", "LOW", "MID"],
        ),
        ("return jobs().stream().map(Job::level).map(Level::ordinal).toList();", [2, 0, 1]),
        ('return Stream.of(" a ").map(String::strip).map(String::isEmpty).toList();', [False]),
        ("return Stream.of(-3, 2).map(Math::abs).toList();", [3, 2]),
    ],
)
def test_what_java_can_compare_is_sorted(java: str, found: object) -> None:
    before = "import java.util.stream.*;"
    assert run(f"static Object f() {{ {java} }} {MEMBERS}", before=before)["f"]() == found


def test_a_reference_to_a_method_of_java_that_python_lacks_is_left() -> None:
    java = 'static Object f() { return Stream.of("a").map(String::intern).toList(); }'
    with pytest.raises(NotImplementedError, match="line 2"):
        run(java, before="import java.util.stream.*;")["f"]()
