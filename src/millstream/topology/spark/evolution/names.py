"""Generated names: what is left of one without its number.

``StreamsBuilder`` numbers operators, stores and repartition topics in the order of the calls
(``graph/names.py``), so one more call shifts every number behind it.
"""

from __future__ import annotations

import re

# Ten digits, as Kafka pads them. No program has a million operators, but names of users may end in
# a time in seconds.
_NUMBER = re.compile(r"(?<=-)0000\d{6}(?=-|$)")
_INTERNAL = ("-repartition", "-subscription-registration-topic", "-subscription-response-topic")
_SAME_ROLE = {
    "KSTREAM-OUTERTHIS-": "KSTREAM-JOINTHIS-",
    "KSTREAM-OUTEROTHER-": "KSTREAM-JOINOTHER-",
}
_PARTS = {
    "windowed": ("KSTREAM-WINDOWED-#", "-this-windowed", "-other-windowed"),
    "this": ("KSTREAM-JOINTHIS-#", "KSTREAM-OUTERTHIS-#", "-this-join"),
    "other": ("KSTREAM-JOINOTHER-#", "KSTREAM-OUTEROTHER-#", "-other-join"),
    "both": ("KSTREAM-MERGE-#", "-merge"),
}
_OF_JOINS = (
    ("-outer-this-join-store", "-this-join-store"),
    ("-outer-other-join-store", "-other-join-store"),
    ("-outer-shared-join-store", "-left-shared-join-store"),
)


def is_generated(name: str) -> bool:
    """Tell whether a name was made by ``StreamsBuilder``.

    >>> is_generated("KSTREAM-AGGREGATE-STATE-STORE-0000000003"), is_generated("at-1732310000")
    (True, False)
    """
    return _NUMBER.search(name) is not None


def kind_of(name: str) -> str:
    """Return a generated name without its number; any other name as it is.

    >>> kind_of("KSTREAM-JOINTHIS-0000000012-store"), kind_of("counts")
    ('KSTREAM-JOINTHIS-#-store', 'counts')
    """
    return _NUMBER.sub("#", name)


def role_of(store: str) -> str:
    """Return what a store with a generated name is for; an inner and an outer join's are alike.

    >>> role_of("KSTREAM-OUTEROTHER-0000000012-store")
    'KSTREAM-JOINOTHER-#-store'
    """
    kind = kind_of(store)
    for prefix, role in _SAME_ROLE.items():
        if kind.startswith(prefix):
            return role + kind.removeprefix(prefix)
    return kind


def as_other_join(store: str) -> str | None:
    """Return what a store of a join with a name of the user's is called where the join is an inner
    or left one in the place of an outer one, or the other way; None for any other store.

    >>> as_other_join("pairs-other-join-store"), as_other_join("pairs-outer-this-join-store")
    ('pairs-outer-other-join-store', 'pairs-this-join-store')
    """
    for one, other in _OF_JOINS:
        for was, becomes in ((one, other), (other, one)):
            if store.endswith(was):
                return store.removesuffix(was) + becomes
    return None


def join_part_of(node: str) -> str:
    """Return which part of a join of streams an operator is; empty for any other operator.

    >>> join_part_of("KSTREAM-OUTERTHIS-0000000006"), join_part_of("pairs-this-join")
    ('this', 'this')
    """
    kind = kind_of(node)
    for part, names in _PARTS.items():
        if kind.endswith(names):
            return part
    return ""


def is_internal(topic: str) -> bool:
    """Tell whether a topic that the program itself writes is one of ``StreamsBuilder``'s."""
    return is_generated(topic) or topic.endswith(_INTERNAL)
