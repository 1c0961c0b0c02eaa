"""What a draft knows from other files: Avro's schemas, the program's own classes."""

from __future__ import annotations

from pathlib import Path

from compat_tests.porting.running import HEAD, run
from millstream.porting.drafting.draft import draft, draft_file

SCHEMA = """{"type": "record", "name": "Ride", "namespace": "taxi.model", "fields": [
  {"name": "first_name", "type": "string"},
  {"name": "stops", "type": {"type": "array", "items": "string"}},
  {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["DAY", "NIGHT"]}}]}"""


def program(root: Path, java: str) -> Path:
    """Write a Java file of a package, beside a schema and a class."""
    folder = root / "src" / "main" / "java" / "taxi"
    folder.mkdir(parents=True)
    (root / "src" / "main" / "avro").mkdir()
    (root / "src" / "main" / "avro" / "ride.avsc").write_text(SCHEMA)
    (root / "src" / "main" / "avro" / "broken.avsc").write_text("{")
    (folder / "StateStore.java").write_text("package taxi; class StateStore { static String A; }")
    (folder / "App.java").write_text(f"package taxi; {HEAD} {java}")
    return folder / "App.java"


def test_classes_that_avro_makes_are_known(tmp_path: Path) -> None:
    path = program(
        tmp_path,
        "class App { static void f(KStream<String, Ride> s, Ride r) {"
        ' s.mapValues(v -> v.getFirstName()); r.getStops().add("x"); r.setFirstName("b");'
        ' g(Ride.newBuilder().setFirstName("a").setKind(Kind.DAY).build());'
        " switch (r.getKind()) { case DAY: g(r); break; default: g(null); } } }",
    )
    text = draft_file(path).text
    assert "s.mapValues(lambda v: v.first_name)" in text
    assert 'r.stops.append("x")' in text
    assert 'r.first_name = "b"' in text
    assert 'g(Ride(first_name="a", kind=Kind.DAY))' in text
    assert "if r.kind == Kind.DAY:" in text


def test_a_class_of_the_program_is_not_kafka_s_of_the_same_name(tmp_path: Path) -> None:
    text = draft_file(program(tmp_path, "class App { String s = StateStore.A; }")).text
    assert "import StateStore" not in text
    assert "to be ported and imported: StateStore" in text


def test_static_fields_may_use_each_other() -> None:
    names = run(
        'static final String NAME = A.class.getSimpleName(); static final String DIR = "/" + NAME;'
        " int n; void f() { n = 1; } static String g() { return DIR; }"
    )
    assert names["A"].g() == "/A"


def test_the_length_of_bytes_and_the_ends_of_lists() -> None:
    names = run(
        "static int f(List<byte[]> l) { return l.stream().mapToInt(x -> x.length).sum(); }"
        " static String g(List<String> l) { return l.getFirst() + l.getLast(); }"
        " static String h(Object o) { return o.getClass().getSimpleName(); }"
    )
    assert names["f"]([b"ab", b"c"]) == 3
    assert names["g"](["a", "b", "c"]) == "ac"
    assert names["h"]({}) == "dict"


def test_the_other_way_to_log_is_left() -> None:
    source = b"@Slf4j class A { static void f() { log.atInfo().log(1); } }"
    assert draft(source).left == (1,)


def test_streams_carry_what_serdes_of_other_files_give(tmp_path: Path) -> None:
    path = program(
        tmp_path,
        "class App { static void f(StreamsBuilder b) {"
        ' b.stream("in", Consumed.with(Serdes.String(), Letters.serde()))'
        ".filter((k, letter) -> letter.key() == null).mapValues(letter -> letter.value()); } }",
    )
    path.with_name("Letter.java").write_text(
        "package taxi; record Letter(String key, int value) {}"
    )
    path.with_name("Letters.java").write_text(
        f"package taxi; {HEAD} import org.apache.kafka.common.serialization.*;"
        " class Letters { static Serde<Letter> serde() { return null; } }"
    )
    text = draft_file(path).text
    assert "lambda k, letter: letter.key is None" in text
    assert "lambda letter: letter.value)" in text


def test_an_imported_interface_of_getters_is_no_function(tmp_path: Path) -> None:
    path = program(
        tmp_path,
        "import taxi.model.Vital; class App { static String f(Object o) {"
        " Vital vital = (Vital) o; return vital.getTime(); } }",
    )
    model = path.with_name("model")
    model.mkdir()
    (model / "Vital.java").write_text(
        "package taxi.model; public interface Vital { String getTime(); }"
    )
    (model / "Pulse.java").write_text(
        "package taxi.model; public class Pulse implements Vital { private String time;"
        " public String getTime() { return time; } }"
    )
    assert "return vital.time\n" in draft_file(path).text


def test_a_class_of_fields_may_have_an_interface_of_getters() -> None:
    names = run(
        "} interface Vital { String getTime(); } class Pulse implements Vital {"
        " private String time; public String getTime() { return time; } }"
        " class Use { static String f(Vital v) { return v.getTime(); }"
    )
    pulse = names["Pulse"](time="a")
    assert names["f"](pulse) == "a"
    assert isinstance(pulse, names["Vital"])
