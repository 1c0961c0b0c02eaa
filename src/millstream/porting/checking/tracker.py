"""The walk through a source that finds what it uses of Kafka, following types as it goes."""

from __future__ import annotations

from collections.abc import Sequence

from millstream.porting.checking import api, own
from millstream.porting.checking.java_types import of_other
from millstream.porting.checking.names import Definitions, FileNames, dotted
from millstream.porting.checking.recorder import Recorder
from millstream.porting.checking.scopes import Scope
from millstream.porting.checking.typed import (
    FUNCTIONS,
    OTHER,
    Typed,
    element,
    function_types,
    given,
    lambda_types,
)
from millstream.porting.checking.verdicts import Use
from millstream.porting.reading.syntax import (
    Call,
    Cast,
    Class,
    Expression,
    Lambda,
    Literal,
    Local,
    Method,
    Name,
    New,
    Part,
    Reference,
    Several,
    TypeName,
    Unit,
)

# Calls of Kotlin that run a function on what they are called on, and what they give.
ON_THIS = ("apply", "run", "with")
ON_IT = ("also", "let", "use", "takeIf", "takeUnless")
GIVES_RECEIVER = ("apply", "also", "takeIf", "takeUnless")


class Tracker:
    """Finds the uses of one file."""

    def __init__(self, unit: Unit, sources: Definitions) -> None:
        self._record = Recorder()
        self.parameters = self._record.parameters
        self._sources = sources
        self._names = FileNames(unit, sources)
        self._unit = unit
        self._branched: list[Typed] = []

    def run(self) -> list[Use]:
        """Return all uses in order of lines."""
        for each in self._unit.imports:
            if api.is_kafka(each.name) and not each.wildcard:
                member = self._names.static_member(each.simple) if each.static else None
                self._record.type(each.line, each.name if member is None else member[0])
        self._class(self._unit.top, Scope())
        return sorted(self._record.uses, key=lambda use: use.line)

    # --- declarations

    def _class(self, node: Class, outer: Scope) -> None:
        scope = Scope(outer, inside=node)
        for kind in node.supers:
            self._named(kind)
        for field in node.fields:
            scope.names[field.name] = self._names.typed(field.type)
        for field in node.fields:
            self._named(field.type)
            found = self._value(field.value, scope, self._names.typed(field.type))
            if field.type is None:
                scope.names[field.name] = found
        for part in node.initial:
            self._visit(part, scope)
        for method in node.methods:
            self._method(method, scope)
        for each in node.classes:
            self._class(each, scope)

    def _method(self, node: Method, outer: Scope) -> Typed | None:
        scope = Scope(outer)
        if node.extended is not None:
            self._named(node.extended)
            scope.receiver = self._names.typed(node.extended)
            scope.names["this"] = scope.receiver
        self._named(node.returns)
        for name, kind in node.parameters:
            self._named(kind)
            scope.names[name] = self._names.typed(kind)
        scope.returns = self._names.typed(node.returns)
        return self._value(node.body, scope, scope.returns)

    def _value(self, node: Expression | None, scope: Scope, wanted: Typed | None) -> Typed | None:
        """Visit what has to be of a type; a function has the parameters of that type."""
        if isinstance(node, Lambda) and wanted is not None:
            return self._lambda(node, scope, function_types(wanted, len(node.parameters)), wanted)
        if isinstance(node, Several) and node.passes and len(node.children) == 1:
            return self._value(node.children[0], scope, wanted)
        return self._visit(node, scope) if node is not None else None

    def _named(self, name: TypeName | None) -> None:
        """Note a class where it is written with its package; imports are noted by themselves."""
        for each in () if name is None else (name, *name.arguments):
            full = self._names.class_name(each.name)
            if full is not None and api.is_kafka(full):
                self._record.type(each.line, full)

    # --- expressions

    def _visit(self, node: Expression, scope: Scope) -> Typed | None:
        match node:
            case Name():
                return self._name(node, scope)
            case Literal():
                return Typed(node.type_name)
            case Part():
                return self._member(node, scope)
            case Call():
                return self._call(node, scope)
            case New():
                return self._new(node, scope)
            case Lambda():
                return self._lambda(node, scope, (None,) * len(node.parameters))
            case Reference():
                return self._reference(node, scope)
            case Cast():
                self._named(node.type)
                self._visit(node.value, scope)
                return self._names.typed(node.type)
            case Local():
                return self._local(node, scope)
            case Several():
                return self._group(node, scope)
            case Class():
                self._class(node, scope)
        return None

    def _group(self, node: Several, scope: Scope) -> Typed | None:
        if node.passes and len(node.children) == 1 and isinstance(node.children[0], Lambda):
            return self._value(node, scope, scope.returned())
        inside = Scope(scope) if node.scope else scope
        found = [self._visit(child, inside) for child in node.children]
        return next((each for each in found if each is not None), None) if node.passes else None

    def _local(self, node: Local, scope: Scope) -> Typed | None:
        self._named(node.type)
        declared = self._names.typed(node.type)
        value = self._value(node.value, scope, None if node.element else declared)
        if node.element:
            value = element(value)
        scope.names[node.name] = declared if declared is not None else value
        return None

    def _name(self, node: Name, scope: Scope) -> Typed | None:
        if node.text in ("this", "super") and not scope.has("this"):
            return own.this(self._names, scope, node.text)
        if scope.has(node.text):
            return scope.get(node.text)
        full = self._names.class_name(node.text)
        if full is not None:
            return Typed(full, static=True)
        member = self._names.static_member(node.text)
        if member is not None and api.is_kafka(member[0]):
            return self._record.member(node.line, Typed(member[0], static=True), member[1])
        inherited = own.inherited(self._sources, scope, node.text)
        if inherited is not None:
            return inherited
        # A class of java.lang, or of the same package.
        return Typed(node.text, static=True) if node.text[:1].isupper() else None

    def _member(self, node: Part, scope: Scope) -> Typed | None:
        written = dotted(node)
        if written is not None and not scope.has(written.partition(".")[0]):
            full = self._names.class_name(written)
            a_class = node.name[:1].isupper() and not node.name.isupper()
            if full is not None and (a_class or full in api.classes()):
                return Typed(full, static=True)
        receiver = self._visit(node.receiver, scope)
        if _is_this(node.receiver) and scope.has(node.name):
            return scope.get(node.name)
        if receiver is None:
            return None
        if receiver.kafka:
            return self._record.member(node.line, receiver, node.name)
        found = own.field(self._sources, receiver.name, node.name)
        if found is not None or receiver.name in self._sources.classes:
            return found
        return element(receiver) if receiver.arguments else OTHER

    def _new(self, node: New, scope: Scope) -> Typed | None:
        made = self._names.typed(node.type)
        for each in node.type.arguments:
            self._named(each)
        types = [self._visit(each, scope) for each in node.arguments]
        if made is not None and made.kafka:
            self._record.new(node.line, made.name, len(node.arguments))
            if made.short == "KeyValue" and not any(made.arguments):
                made = Typed(made.name, tuple(types))
        if node.body is not None:
            self._class(node.body, scope)
        return made

    def _lambda(
        self,
        node: Lambda,
        scope: Scope,
        types: Sequence[Typed | None],
        wanted: Typed | None = None,
        receiver: Typed | None = None,
    ) -> Typed | None:
        result = wanted.arguments[-1] if wanted is not None and wanted.arguments else None
        inside = Scope(scope, receiver=receiver, returns=result)
        if node.implicit and types:
            inside.names["it"] = types[0]
        for index, (name, declared) in enumerate(node.parameters):
            self._named(declared)
            guess = types[index] if index < len(types) else None
            found = self._names.typed(declared) if declared is not None else guess
            inside.names[name] = self._record.parameter(node.line, name, found)
        return self._value(node.body, inside, result)

    def _reference(self, node: Reference, scope: Scope) -> Typed | None:
        if isinstance(node.receiver, TypeName):
            receiver = self._names.typed(node.receiver)
        else:
            called = own.method(scope, node.name) if _is_this(node.receiver) else None
            if called is not None:
                return self._names.typed(called.returns)
            receiver = self._visit(node.receiver, scope)
        if receiver is None:
            return None
        if not receiver.kafka:
            made = own.result(self._sources, receiver, node.name)
            return receiver if node.name == "new" else made
        if node.name == "new":
            self._record.new(node.line, receiver.name, 0)
            return Typed(receiver.name, receiver.arguments)
        if node.name != "class":
            self._record.call(node, receiver, None)
        return given(receiver, node.name, (), ())

    # --- calls

    def _call(self, node: Call, scope: Scope) -> Typed | None:
        for each in node.types:
            self._named(each)
        itself = _is_this(node.receiver) and own.method(scope, node.name) is not None
        if node.receiver is None or itself:
            return self._plain_call(node, scope)
        receiver = self._visit(node.receiver, scope)
        return self._call_on(receiver, node, scope)

    def _call_on(self, receiver: Typed | None, node: Call, scope: Scope) -> Typed | None:
        last = node.arguments[-1] if node.arguments else None
        of_all = self._unit.language == "Kotlin" and node.name in (*ON_THIS, *ON_IT)
        if of_all and isinstance(last, Lambda):
            return self._scope_function(receiver, node.name, last, scope)
        if receiver is None:
            self._arguments(node, scope, None)
            if self._names.uses_streams and node.name in api.method_names():
                self._record.unknown(node.line, node.name)
            return None
        if receiver.kafka:
            return self._kafka_call(receiver, node, scope)
        if receiver.name in self._sources.classes:
            return self._own_call(receiver, node, scope)
        extension = self._sources.functions.get(node.name)
        self._arguments(node, scope, receiver)
        if extension is not None and extension[0].extended is not None:
            return extension[1].typed(extension[0].returns)
        return of_other(receiver, node.name)

    def _scope_function(
        self, receiver: Typed | None, name: str, body: Lambda, scope: Scope
    ) -> Typed | None:
        this = receiver if name in ON_THIS else None
        result = self._lambda(body, scope, (receiver,), receiver=this)
        return receiver if name in GIVES_RECEIVER else result

    def _kafka_call(self, receiver: Typed, node: Call, scope: Scope) -> Typed | None:
        extension = self._sources.functions.get(node.name)
        if (
            extension is not None
            and extension[0].extended is not None
            and (not api.declaring(receiver.name, node.name))
        ):
            self._arguments(node, scope, receiver)
            return extension[1].typed(extension[0].returns)
        if receiver.short == "Branched":
            receiver = Typed(receiver.name, tuple(self._branched[-1:]), static=receiver.static)
        if receiver.short == "BranchedKStream":
            self._branched.append(Typed(api.STREAMS + "kstream.KStream", receiver.arguments))
        types, results = self._arguments(node, scope, receiver)
        if receiver.short == "BranchedKStream":
            self._branched.pop()
        nested = f"{receiver.name}.{node.name}"
        if receiver.static and (nested in api.classes() or node.name.endswith("Serde")):
            self._record.new(node.line, nested, len(node.arguments))
            return Typed(nested)
        self._record.call(node, receiver, len(node.arguments))
        explicit = tuple(self._names.typed(each) for each in node.types)
        if explicit and explicit[0] is not None:
            found = api.returns(receiver.name, node.name)
            by_type = node.name in ("getStateStore", "store")
            return explicit[0] if by_type else Typed(found or receiver.name, explicit)
        return given(receiver, node.name, types, results)

    def _own_call(self, receiver: Typed, node: Call, scope: Scope) -> Typed | None:
        holder, names = self._sources.classes[receiver.name]
        if not any(method.name == node.name for method in holder.methods):
            for kind in holder.supers:
                parent = names.typed(kind)
                if parent is not None and parent.kafka and api.declaring(parent.name, node.name):
                    return self._kafka_call(parent, node, scope)
                if parent is not None and parent.name in self._sources.classes:
                    return self._call_on(parent, node, scope)
        self._arguments(node, scope, None)
        return own.result(self._sources, receiver, node.name)

    def _plain_call(self, node: Call, scope: Scope) -> Typed | None:
        if node.name == "with" and len(node.arguments) == 2 and self._unit.language == "Kotlin":
            subject, body = node.arguments
            receiver = self._visit(subject, scope)
            if isinstance(body, Lambda):
                return self._lambda(body, scope, (), receiver=receiver)
        for receiver in scope.receivers():
            if receiver.kafka and api.declaring(receiver.name, node.name):
                return self._kafka_call(receiver, node, scope)
        called = own.method(scope, node.name)
        if called is not None:
            self._arguments(node, scope, None)
            return self._names.typed(called.returns)
        for holder in scope.enclosing():
            for kind in holder.supers:
                parent = self._names.typed(kind)
                if parent is not None and parent.kafka and api.declaring(parent.name, node.name):
                    return self._kafka_call(parent, node, scope)
        return self._free_call(node, scope)

    def _free_call(self, node: Call, scope: Scope) -> Typed | None:
        member = self._names.static_member(node.name)
        if member is not None and api.is_kafka(member[0]):
            return self._kafka_call(
                Typed(member[0], static=True),
                Call(node.line, None, member[1], node.arguments, node.types, node.column),
                scope,
            )
        full = self._names.class_name(node.name)
        types, _ = self._arguments(node, scope, None)
        if full is not None:
            if api.is_kafka(full):
                self._record.new(node.line, full, len(node.arguments))
            written = tuple(self._names.typed(each) for each in node.types)
            return Typed(full, written or (tuple(types) if full.endswith(".KeyValue") else ()))
        if node.name in self._sources.functions:
            function, names = self._sources.functions[node.name]
            return names.typed(function.returns)
        if self._unit.language == "Kotlin" and node.name.endswith(("Of", "OfNotNull")):
            return OTHER  # listOf, mutableMapOf ...
        return OTHER if node.name[:1].isupper() else None

    def _arguments(
        self, node: Call, scope: Scope, receiver: Typed | None
    ) -> tuple[list[Typed | None], list[Typed | None]]:
        """Visit the arguments; return their types, and what the functions among them return."""
        types: list[Typed | None] = []
        results: list[Typed | None] = []
        for each in node.arguments:
            if not isinstance(each, Lambda):
                found = self._visit(each, scope)
                types.append(found)
                if isinstance(each, Reference):
                    results.append(found)
                elif found is not None and found.short in FUNCTIONS and found.arguments:
                    results.append(found.arguments[-1])
                continue
            count = len(each.parameters) or (1 if each.implicit else 0)
            known: Sequence[Typed | None] = (None,) * count
            if receiver is not None and receiver.short == "Branched":
                known = receiver.arguments[:count]
            elif receiver is not None and receiver.kafka:
                made = results[0] if results else None
                known = lambda_types(receiver, node.name, count, types, made)
            elif receiver is not None:
                known = receiver.arguments[-count:] if count else ()
                known = known if len(known) == count else (OTHER,) * count
            results.append(self._lambda(each, scope, known))
            types.append(None)
        return types, results


def _is_this(node: Expression | None) -> bool:
    return isinstance(node, Name) and node.text == "this"
