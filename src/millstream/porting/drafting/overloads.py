"""Methods of one name: Java tells them apart by their parameters, Python has the last one only."""

from __future__ import annotations

from dataclasses import dataclass, field

from tree_sitter import Node

from millstream.porting.drafting import words
from millstream.porting.drafting.context import Context
from millstream.porting.drafting.kinds import simple
from millstream.porting.drafting.members import TESTS, annotations_of, members
from millstream.porting.drafting.names import class_reference
from millstream.porting.reading.nodes import first, has, inner, line, text


@dataclass(slots=True)
class Overloads:
    """The methods of a class that have their name in common, by the number of parameters."""

    told_apart: dict[str, list[int]]
    """Of each name the numbers of parameters, where these differ."""
    kinds: dict[str, dict[str, str]] = field(default_factory=dict)
    """Of each name the Java types of the parameter that tells the methods apart, with Python's."""
    places: dict[str, int] = field(default_factory=dict)
    """Which parameter that is."""
    seen: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, body: Node | None, context: Context) -> Overloads:
        """Find them in a class."""
        by_name: dict[str, list[Node]] = {}
        for node in members(body):
            if node.type == "method_declaration":
                by_name.setdefault(python_name(node), []).append(node)
        found: dict[str, list[int]] = {}
        made = cls(found)
        for name, nodes in by_name.items():
            counts = [_count(node) for node in nodes]
            static = {_static(node) for node in nodes}
            plain = len(nodes) > 1 and len(set(counts)) == len(nodes) and -1 not in counts
            java = text(nodes[0].child_by_field_name("name"))
            if plain and len(static) == 1 and java not in context.referred:
                found[name] = sorted(counts)
            elif len(nodes) > 1 and len(set(counts)) == 1 and counts[0] > 0 and len(static) == 1:
                made._note_kinds(name, nodes, context)
        return made

    def _note_kinds(self, name: str, nodes: list[Node], context: Context) -> None:
        """Note the first parameter that is of another class of Python in each method."""
        for place in range(_count(nodes[0])):
            javas = [_type(node, place) for node in nodes]
            kinds = {java: _python(java, context) for java in javas}
            if "int" not in kinds.values():  # Java makes a whole number a double
                kinds = {
                    j: "(int, float)" if kind == "float" else kind for j, kind in kinds.items()
                }
            if "" not in kinds.values() and len(set(kinds.values())) == len(nodes):
                # What others extend is asked for last; True and False are an int, too.
                order = sorted(
                    kinds, key=lambda java: (_above(java, context), "int" in kinds[java])
                )
                self.kinds[name] = {java: kinds[java] for java in order}
                self.places[name] = place
                return

    def name(self, node: Node, made: str, context: Context) -> tuple[str, list[str]]:
        """Return what a method is called, and a note above it where Python cannot have it."""
        name = python_name(node)
        self.seen[name] = self.seen.get(name, 0) + 1
        if any(mark in TESTS for mark in annotations_of(node)):
            return (made if self.seen[name] == 1 else f"{made}_{self.seen[name]}"), []
        if name in self.told_apart:
            return f"{made}_of_{_count(node)}", []
        if name in self.kinds:
            return f"{made}_of_{_type(node, self.places[name]).replace('[]', 's')}", []
        if self.seen[name] == 1:
            return made, []
        context.left.append(line(node))
        note = f"# Java, line {line(node)}: another method of this name; the last one is Python's."
        return made, [note]

    def chooser(self, node: Node, made: str, *, bound: bool, context: Context) -> list[str]:
        """Return, after the last method of a name, the function that chooses among them."""
        name = python_name(node)
        if name in self.kinds and self.seen[name] == len(self.kinds[name]):
            return self._by_kind(node, made, bound=bound, context=context)
        counts = self.told_apart.get(name, [])
        tests = any(mark in TESTS for mark in annotations_of(node))
        if not counts or self.seen[name] != len(counts) or tests:
            return []
        held = ""
        if bound:
            held = f"{words.name(context.around[-1].name)}." if _static(node) else "self."
        chosen = ", ".join(f"{count}: {held}{made}_of_{count}" for count in counts)
        first_ = ["self"] if bound and not _static(node) else []
        lines = [
            f"def {made}({', '.join([*first_, '*given'])}):",
            "    # Of the methods of this name, the one with so many parameters.",
            f"    return {{{chosen}}}[len(given)](*given)",
        ]
        return ["", "" if not bound else "@staticmethod", *lines] if not first_ else ["", *lines]

    def _by_kind(self, node: Node, made: str, *, bound: bool, context: Context) -> list[str]:
        """Return the function that chooses by the class of what it is given."""
        name, static = python_name(node), _static(node)
        of = f"{words.name(context.around[-1].name)}." if static else "self."
        held, place = of if bound else "", self.places[name]
        rows: list[str] = []
        for java, kind in self.kinds[name].items():
            call = f"return {held}{made}_of_{java.replace('[]', 's')}(*given)"
            rows.extend([f"    if isinstance(given[{place}], {kind}):", f"        {call}"])
        first_ = ["self"] if bound and not static else []
        return [
            "",
            *(["@staticmethod"] if bound and static else []),
            f"def {made}({', '.join([*first_, '*given'])}):",
            "    # Of the methods of this name, the one that takes such a value.",
            *rows[:-2],
            rows[-1].removeprefix("    "),
        ]


def _type(node: Node, place: int) -> str:
    declared = inner(node.child_by_field_name("parameters"))
    return simple(declared[place].child_by_field_name("type"))


def _python(java: str, context: Context) -> str:
    """Return the class of Python that tells a parameter of a type from others; "" for none."""
    if context.known(java) is not None:
        return class_reference(java, context)
    if java in ("byte[]", "Object", "Void") or java.endswith("[]"):
        return "bytes" if java == "byte[]" else ""
    made = words.TYPES.get(java, "")
    return made if made in ("str", "int", "float", "bool", "list", "dict", "set") else ""


def _above(java: str, context: Context) -> int:
    """Return how many classes extend a class or an interface."""
    shape = context.known(java)
    return 0 if shape is None else len(context.below(shape))


def python_name(node: Node) -> str:
    """Return what a method of a class is called: `equals(a, b)` is not `equals(a)`."""
    return words.method_name(text(node.child_by_field_name("name")), _count(node))


def _static(node: Node) -> bool:
    return has(first(node, "modifiers"), "static")


def _count(node: Node) -> int:
    """Return the number of parameters; -1 if the last one takes any number."""
    given = inner(node.child_by_field_name("parameters"))
    return -1 if any(each.type == "spread_parameter" for each in given) else len(given)
