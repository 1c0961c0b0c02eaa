"""Classes of fields in drafts: the constructor's order, first values, names in JSON."""

from __future__ import annotations

from compat_tests.porting.running import HEAD, run
from millstream.porting.drafting.draft import draft

IMPORT = b"import com.fasterxml.jackson.annotation.*;\n"


def test_arguments_come_in_the_order_of_the_constructor() -> None:
    names = run(
        "} class P { private String first; private String last;"
        " P(String last, String first) { this.first = first; this.last = last; }"
    )
    made = names["P"]("Doe", "Jane")
    assert (made.first, made.last) == ("Jane", "Doe")


def test_fields_have_their_first_values() -> None:
    names = run(
        '} class P { private String state = "NEW"; private int n = 1; private double d;'
        " private List<String> l = new ArrayList<>(); private Map<String, String> m = Map.of();"
    )
    one, two = names["P"](), names["P"]()
    assert (one.state, one.n, one.d, one.l, one.m) == ("NEW", 1, 0.0, [], {})
    one.l.append("a")
    assert two.l == []


def test_another_constructor_with_other_fields_is_told() -> None:
    java = b"""class P { String a; String b;
        P(String a, String b) { this.a = a; this.b = b; }
        P(String b) { this.b = b; } }"""
    made = draft(java)
    assert made.left == (3,)
    assert "# Java, line 3: another constructor, of b; give these by name." in made.text


def test_a_shorter_constructor_with_the_first_fields_is_not() -> None:
    java = b"""class P { String a; String b;
        P(String a, String b) { this.a = a; this.b = b; } P() { } P(String a) { this.a = a; } }"""
    assert draft(java).left == ()


def test_another_name_in_json_is_told() -> None:
    made = draft(
        IMPORT
        + b"""record P(@JsonProperty("first_name") String first,
        @JsonProperty("last") String last) {}
        class Q { @JsonProperty(value = "A") String a;
        @com.google.gson.annotations.SerializedName("B") String b;
        @JsonIgnore String c; }"""
    )
    assert made.left == (2, 4, 5, 6)
    assert '# Java, line 2: JSON calls it "first_name"; call the field so.' in made.text
    assert "# Java, line 6: JSON leaves it out (@JsonIgnore)." in made.text


def test_fields_to_which_a_framework_gives_values_are_left() -> None:
    made = draft(
        b"""class A { @Value("${window:5}") private int window; int f() { return window + 1; } }
        @Data class Q { @ConfigProperty(name = "topic") String topic; int n = 3; }
        class OneTest { @Mock Props props; @TempDir Path dir; int n;
        @Test void works() { n++; } }"""
    )
    assert made.left == (1, 2, 3, 3)
    assert "# Java, line 1 (a framework gives it):" in made.text
    assert "# Java, line 2: a framework gives it; give it yourself." in made.text


def test_a_record_may_have_constants() -> None:
    names = run(
        "} record P(double a) { static final int MAX = 3;"
        ' static P of() { return new P(1); } String shown() { return "" + a; }'
    )
    assert names["P"].of().shown() == "1.0"
    assert names["P"].MAX == 3


def test_a_field_of_java_s_own_class_is_left() -> None:
    source = (
        f"{HEAD} import java.time.*; record Log(Map<LocalDate, Integer> days, Instant last,"
        " java.util.List<String> names) {}"
    )
    found = draft(source.encode())
    assert "LocalDate is Java's own; name a type of Python here" in found.text
    assert len(found.left) == 1
