"""The uses of Kafka that have been found in a file, each with its verdict."""

from __future__ import annotations

from millstream.porting.checking import api, knowledge
from millstream.porting.checking.typed import OTHER, PARTS, Typed
from millstream.porting.checking.verdicts import Judgement, Status, Use
from millstream.porting.reading.syntax import Call, Reference


class Recorder:
    """Collects uses."""

    def __init__(self) -> None:
        self.uses: list[Use] = []
        self.parameters: dict[tuple[int, str], str] = {}
        """Simple types of parameters of functions, by line of the function and name."""
        self._types: set[str] = set()

    def parameter(self, line: int, name: str, held: Typed | None) -> Typed | None:
        """Note and return a parameter's type; "" where functions of one line differ in it."""
        known = "" if held is None or held.short in ("Object", "[]") else held.short
        before = self.parameters.setdefault((line, name), known)
        self.parameters[line, name] = known if before == known else ""
        return held

    def type(self, line: int, full: str) -> None:
        """Note a class where it is named first."""
        if full not in self._types:
            self._types.add(full)
            self.uses.append(Use(line, "type", full, "", knowledge.of_type(full)))

    def new(self, line: int, full: str, count: int) -> None:
        """Note a constructor with its number of arguments."""
        verdict = knowledge.of_member(full, "<init>", count)
        self.uses.append(Use(line, "new", full, "<init>", verdict))

    def call(self, node: Call | Reference, receiver: Typed, count: int | None) -> None:
        """Note a method; methods of Object, and Kotlin's for everything, are not noted."""
        name = node.name
        if api.declaring(receiver.name, name) is None and name in (*api.OBJECT, *api.KOTLIN):
            return
        verdict = knowledge.of_member(receiver.name, name, -1 if count is None else count)
        self.uses.append(Use(node.line, "call", receiver.name, name, verdict, node.column))

    def member(self, line: int, owner: Typed, name: str) -> Typed | None:
        """Note a constant or a field, in Kotlin also a getter without its ``get``; say its type."""
        if name in ("length", "class", "java", "javaClass"):
            return OTHER
        getter = f"get{name[:1].upper()}{name[1:]}"
        read = not owner.static and not api.declaring(owner.name, name)
        if read and api.declaring(owner.name, getter):
            name = getter
        full = f"{owner.name}.{name}"
        named_as_class = name[:1].isupper() and not name.isupper()
        if owner.static and (full in api.classes() or named_as_class):
            return Typed(full, static=True)
        kind = "constant" if owner.static else "field"
        self.uses.append(Use(line, kind, owner.name, name, knowledge.of_member(owner.name, name)))
        if f"{owner.short}.{name}" in PARTS:
            return owner.argument(PARTS[f"{owner.short}.{name}"])
        made = api.returns(owner.name, name)
        return Typed(made) if made else OTHER

    def unknown(self, line: int, method: str) -> None:
        """Note a method by its name alone, with the classes that have such a method."""
        owners = api.owners(method)
        short = [name.rpartition(".")[2] for name in owners]
        listed = ", ".join(dict.fromkeys(short[:4])) + (", ..." if len(short) > 4 else "")
        verdicts = {knowledge.of_member(owner, method, 0).status for owner in owners}
        may = "may be" if Status.MISSING in verdicts else "the same here, if it is"
        how = f"{may} a method of {listed}"
        self.uses.append(Use(line, "call", "", method, Judgement(Status.UNKNOWN, how)))
