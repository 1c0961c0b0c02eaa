"""The members of a class and their annotations."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.reading.nodes import first, inner, of_kind, text

TESTS = ("Test", "ParameterizedTest", "RepeatedTest")
BEFORE = ("Before", "BeforeEach")
AFTER = ("After", "AfterEach")
# Once, before and after all tests of a class.
BEFORE_ALL = ("BeforeClass", "BeforeAll")
AFTER_ALL = ("AfterClass", "AfterAll")
SKIPPED = ("Disabled", "Ignore")
# A framework gives these fields their values: Spring, CDI, Micronaut, JUnit, Mockito.
GIVEN = (
    "Value", "Autowired", "Inject", "Resource", "ConfigProperty", "Property", "Channel", "TempDir",
    "Mock", "Spy", "InjectMocks", "Captor", "MockBean", "SpyBean", "MockitoBean", "LocalServerPort",
)  # fmt: skip
FIELDS = ("field_declaration", "constant_declaration")


def annotations_of(node: Node) -> dict[str, Node]:
    """Return the annotations of a class, a method or a field by their simple names."""
    kinds = ("marker_annotation", "annotation")
    found = of_kind(first(node, "modifiers"), *kinds)
    return {text(each.child_by_field_name("name")).rpartition(".")[2]: each for each in found}


def members(body: Node | None) -> list[Node]:
    """Return the members of a class, those of an enum after its constants too."""
    found: list[Node] = []
    for node in inner(body):
        found.extend(inner(node) if node.type == "enum_body_declarations" else [node])
    return found


def marked(body: Node | None, marks: tuple[str, ...]) -> set[str]:
    """Return the names of the methods of a class that have one of these annotations."""
    return {
        text(node.child_by_field_name("name"))
        for node in members(body)
        if node.type == "method_declaration" and set(marks) & set(annotations_of(node))
    }


def is_given(field: Node) -> bool:
    """Tell whether a framework gives a field its value."""
    return any(mark in GIVEN for mark in annotations_of(field))


def is_of_tests(body: Node | None) -> bool:
    """Tell whether a class has tests, or what runs around those of classes that extend it."""
    return has_tests(body) or bool(marked(body, (*BEFORE, *AFTER, *BEFORE_ALL, *AFTER_ALL)))


def interfaces_of(node: Node) -> list[Node]:
    """Return the interfaces that a class implements, or that an interface extends."""
    clauses = of_kind(node, "super_interfaces", "extends_interfaces")
    return [each for clause in clauses for each in inner(first(clause, "type_list") or clause)]


def has_tests(body: Node | None) -> bool:
    """Tell whether a class has tests of JUnit."""
    return any(mark in TESTS for node in members(body) for mark in annotations_of(node))
