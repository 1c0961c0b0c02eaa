"""Members that Lombok adds to a class: a logger, getters and setters, a constructor, a builder."""

from __future__ import annotations

from tree_sitter import Node

from millstream.porting.drafting.context import ClassShape
from millstream.porting.drafting.members import FIELDS, annotations_of, members
from millstream.porting.reading.nodes import first, has, of_kind, text

LOGGERS = ("Slf4j", "Log4j2", "Log4j", "Log", "CommonsLog", "JBossLog", "Flogger", "XSlf4j")
ALL_FIELDS = ("AllArgsConstructor", "Value", "Builder")
# Words for a type that the value tells: Java's, and Lombok's of a local that stays.
GUESSED = ("var", "val")
FINAL_FIELDS = ("RequiredArgsConstructor", "Data")


def logs(marks: dict[str, Node]) -> bool:
    """Tell whether a class has a logger of Lombok."""
    return any(mark in LOGGERS for mark in marks)


def note(node: Node, shape: ClassShape) -> None:
    """Note what a class has by its annotations: getters, setters, a constructor, a builder."""
    marks = annotations_of(node)
    shape.builder = "Builder" in marks or "SuperBuilder" in marks
    for field in members(node.child_by_field_name("body")):
        if field.type not in FIELDS or has(first(field, "modifiers"), "static"):
            continue
        own = annotations_of(field)
        for part in of_kind(field, "variable_declarator"):
            java = text(part.child_by_field_name("name"))
            capital = java[:1].upper() + java[1:]
            if {"Data", "Value", "Getter"} & {*marks} or "Getter" in own:
                shape.accessors.setdefault(f"get{capital}", java)
                if shape.fields.get(java) == "boolean":
                    bare = java.removeprefix("is") if java[2:3].isupper() else capital
                    shape.accessors.setdefault(f"is{bare}", java)
            if {"Data", "Setter"} & {*marks, *own}:
                shape.setters.setdefault(f"set{capital}", java)
    taken = arguments(node)
    if taken:
        shape.takes.setdefault(len(taken), [shape.fields[java] for java in taken])


def arguments(node: Node | None) -> list[str]:
    """Return the fields that the constructor of Lombok takes, in its order."""
    marks = {} if node is None else annotations_of(node)
    if node is None or not any(mark in marks for mark in (*ALL_FIELDS, *FINAL_FIELDS)):
        return []
    every = any(mark in marks for mark in ALL_FIELDS)
    found: list[str] = []
    for field in members(node.child_by_field_name("body")):
        modifiers = first(field, "modifiers")
        if field.type not in FIELDS or has(modifiers, "static"):
            continue
        wanted = every or has(modifiers, "final") or "NonNull" in annotations_of(field)
        for part in of_kind(field, "variable_declarator"):
            given = part.child_by_field_name("value") is not None
            if wanted and not (given and has(modifiers, "final")) and not (given and not every):
                found.append(text(part.child_by_field_name("name")))
    return found
