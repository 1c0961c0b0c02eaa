"""Members of the classes that the sources themselves define."""

from __future__ import annotations

from millstream.porting.checking.names import Definitions, FileNames
from millstream.porting.checking.scopes import Scope
from millstream.porting.checking.typed import OTHER, Typed
from millstream.porting.reading.syntax import Method


def this(names: FileNames, scope: Scope, word: str) -> Typed | None:
    """Return the class that ``this`` or ``super`` means."""
    receivers = scope.receivers() if word == "this" else []
    if receivers:
        return receivers[0]
    around = [each for each in scope.enclosing() if each.name or each.supers]
    if not around or (word == "super" and not around[0].supers):
        return None
    if around[0].name and word == "this":
        return Typed(around[0].name)
    return names.typed(around[0].supers[0])


def field(sources: Definitions, class_name: str, name: str) -> Typed | None:
    """Return the type of a field of a class of the sources."""
    holder, names = sources.classes.get(class_name, (None, None))
    if holder is None or names is None:
        return None
    for each in holder.fields:
        if each.name == name:
            return names.typed(each.type)
    return None


def inherited(sources: Definitions, scope: Scope, name: str) -> Typed | None:
    """Return the type of a field that an enclosing class has from the one it extends."""
    for holder in scope.enclosing():
        for kind in holder.supers:
            found = field(sources, kind.name.rpartition(".")[2], name)
            if found is not None:
                return found
    return None


def method(scope: Scope, name: str) -> Method | None:
    """Return the method of that name of an enclosing class."""
    methods = (each for holder in scope.enclosing() for each in holder.methods)
    return next((each for each in methods if each.name == name), None)


def result(sources: Definitions, receiver: Typed, name: str) -> Typed | None:
    """Return what a method of a class of the sources gives."""
    holder, names = sources.classes.get(receiver.name, (None, None))
    if holder is None or names is None:
        return OTHER
    for each in holder.methods:
        if each.name == name:
            return names.typed(each.returns)
    # Of a record, or of Lombok.
    for component in holder.fields:
        capital = component.name[:1].upper() + component.name[1:]
        if name in (component.name, f"get{capital}", f"is{capital}"):
            return names.typed(component.type)
    # A generated method (of Lombok, say), unless a class that was not read may have it.
    return None if holder.supers else OTHER
