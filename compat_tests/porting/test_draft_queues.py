"""Drafts use Java's queues, sorted maps and sets, iterators and atomic values as Java does."""

from __future__ import annotations

import pytest

from compat_tests.porting.running import HEAD, run
from millstream.porting.drafting.draft import draft

IMPORTS = "import java.util.concurrent.*; import java.util.concurrent.atomic.*;"
MEMBERS = (
    "record Ev(String k, long t, double v) {}"
    " static class Score implements Comparable<Score> { final String n; final int s;"
    " Score(String n, int s) { this.n = n; this.s = s; }"
    " public int compareTo(Score o) { return Integer.compare(o.s, s); }"
    " public String toString() { return n + s; } }"
    " static final AtomicInteger SEQ = new AtomicInteger();"
)


# What Java 17 printed for these.
@pytest.mark.parametrize(
    ("java", "found"),
    [
        (
            (
                "Queue<String> q = new LinkedList<>(); String x = q.poll(); String y = q.peek();"
                " Deque<Integer> d = new ArrayDeque<>(List.of(1, 2, 3));"
                " Integer last = d.pollLast();"
                " d.push(7); d.offerFirst(8);"
                " return x + y + last + d + d.pop() + d.removeLast() + d.peek();"
            ),
            "nullnull3[8, 7, 1, 2]827",
        ),
        (
            (
                "Queue<Integer> q = new ConcurrentLinkedQueue<>(List.of(1, 2, 3));"
                " Integer x; int s = 0;"
                ' while ((x = q.poll()) != null) { s += x; } return s + "" + q.isEmpty();'
            ),
            "6true",
        ),
        (
            (
                "PriorityQueue<Integer> q = new PriorityQueue<>();"
                ' for (int x : new int[] {5, 3, 8, 1, 9, 2, 7, 3}) q.add(x); String r = q + "";'
                " q.poll(); r += q; q.remove(8); r += q; q.remove(Integer.valueOf(99));"
                " return r + q.peek() + q.contains(9);"
            ),
            "[1, 3, 2, 3, 9, 8, 7, 5][2, 3, 5, 3, 9, 8, 7][2, 3, 5, 3, 9, 7]2true",
        ),
        (
            (
                "PriorityQueue<Ev> q = new PriorityQueue<>(Comparator.comparingLong(Ev::t));"
                ' q.add(new Ev("a", 5, 1)); q.offer(new Ev("b", 2, 1)); q.add(new Ev("c", 2, 1));'
                " StringBuilder sb = new StringBuilder();"
                ' while (!q.isEmpty()) { sb.append(q.poll().k()); } return sb + "" + q.size();'
            ),
            "bca0",
        ),
        (
            (
                "Queue<Ev> q = new PriorityQueue<>((x, y) -> Double.compare(y.v(), x.v()));"
                ' q.add(new Ev("a", 1, 1.5)); q.add(new Ev("b", 1, 2.5)); return q.poll().k();'
            ),
            "b",
        ),
        (
            (
                'TreeSet<Score> s = new TreeSet<>(); s.add(new Score("a", 5));'
                ' s.add(new Score("b", 9)); s.add(new Score("c", 5)); s.add(new Score("d", 1));'
                " String r = s.toString() + s.first() + s.last() + s.size(); s.remove(s.last());"
                ' return r + s + s.contains(new Score("zz", 9)) + s.pollFirst() + s;'
            ),
            "[b9, a5, d1]b9d13[b9, a5]trueb9[a5]",
        ),
        (
            (
                'TreeMap<Integer, String> m = new TreeMap<>(Map.of(20, "b", 10, "a", 30, "c"));'
                ' return m.floorKey(15) + "" + m.floorKey(5) + m.ceilingKey(15) + m.higherKey(20)'
                " + m.lowerKey(10) + m.floorEntry(29).getValue() + m.lowerEntry(11).getKey()"
                " + m.headMap(20) + m.headMap(20, true) + m.tailMap(20) + m.tailMap(20, false)"
                " + m.subMap(10, 30) + m.descendingMap() + m.firstEntry().getKey();"
            ),
            (
                "10null2030nullb10{10=a}{10=a, 20=b}{20=b, 30=c}{30=c}{10=a, 20=b}"
                "{30=c, 20=b, 10=a}10"
            ),
        ),
        (
            (
                "Map<String, Integer> m = new TreeMap<>(Comparator.reverseOrder());"
                ' m.put("b", 1); m.merge("a", 5, Integer::sum); m.merge("a", 5, Integer::sum);'
                ' m.putIfAbsent("c", 3); m.compute("d", (k, v) -> v == null ? 1 : v + 1);'
                ' m.remove("b"); return m + "" + m.keySet() + m.values() + m.get("z");'
            ),
            "{d=1, c=3, a=10}[d, c, a][1, 3, 10]null",
        ),
        (
            (
                "TreeMap<Long, String> m = new TreeMap<>(); for (long t = 1; t < 5; t++) {"
                ' m.put(t, "x"); } m.headMap(3L).clear(); return m + ""'
                " + m.pollFirstEntry().getKey() + m.size();"
            ),
            "{3=x, 4=x}31",
        ),
        (
            (
                'List<String> l = new ArrayList<>(List.of("a", "b", "a"));'
                ' boolean x = l.remove("a");'
                ' String y = l.remove(0); return x + y + l + l.remove("zz") + l.subList(0, 1);'
            ),
            "trueb[a]false[a]",
        ),
        (
            (
                'Set<String> s = new HashSet<>(List.of("a", "b", "c")); s.removeAll(List.of("a"));'
                ' s.retainAll(Set.of("b", "q")); return "" + s + s.containsAll(List.of("b"));'
            ),
            "[b]true",
        ),
        (
            (
                "List<Integer> l = new ArrayList<>(List.of(1, 2, 3, 4)); Iterator<Integer> it ="
                " l.iterator(); while (it.hasNext()) { if (it.next() % 2 == 0) it.remove(); }"
                ' Map<String, Integer> m = new HashMap<>(); m.put("a", 1); m.put("b", 5);'
                " Iterator<Map.Entry<String, Integer>> at = m.entrySet().iterator();"
                " while (at.hasNext()) { if (at.next().getValue() > 3) at.remove(); }"
                ' return l + "" + m;'
            ),
            "[1, 3]{a=1}",
        ),
        (
            (
                "AtomicInteger a = new AtomicInteger(); AtomicLong l = new AtomicLong(5);"
                " int x = a.incrementAndGet(); int y = a.getAndIncrement(); l.addAndGet(10);"
                " AtomicBoolean b = new AtomicBoolean(false);"
                " boolean f = b.compareAndSet(false, true);"
                " AtomicReference<String> r = new AtomicReference<>(); String was = r.get();"
                ' return x + " " + y + a + l.get() + f + b.get() + was'
                " + l.updateAndGet(v -> v * 2);"
            ),
            "1 1215truetruenull30",
        ),
        ('return "id-" + SEQ.incrementAndGet() + "-" + SEQ.incrementAndGet();', "id-1-2"),
    ],
)
def test_a_collection_is_what_it_is_in_java(java: str, found: str) -> None:
    made = run(f"static String f() {{ {java} }} {MEMBERS}", before=IMPORTS)["f"]()
    assert made == found


@pytest.mark.parametrize(
    ("java", "why"),
    [
        ("void f(List<?> l, List<Integer> a) { var x = l.get(0); a.remove(x); }", "by an index"),
        ("void f(List<Integer> a) { a.subList(0, 2).clear(); }", "is changed with it"),
        ("record R(TreeMap<String, Integer> m) {}", "TreeMap is Java's own"),
    ],
)
def test_what_could_be_something_else_is_left(java: str, why: str) -> None:
    found = draft(f"{HEAD} import java.util.TreeMap; class A {{ {java} }}".encode())
    assert why in found.text
    assert len(found.left) == 1
