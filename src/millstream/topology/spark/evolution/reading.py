"""Reader of described topologies: the text of ``describe()`` becomes facts.

The text is what a checkpoint keeps of its program; it is always one of ours.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from millstream.core.errors import StreamsException
from millstream.topology.spark.checkpoint.descriptor import Checkpoint
from millstream.topology.spark.checkpoint.store_notes import StoreNote
from millstream.topology.spark.evolution.facts import Facts, NodeFacts, StoreFacts

_PART = re.compile(r"^ +Sub-topology: (\d+)( for global store \(will not generate tasks\))?$")
_NODE = re.compile(r"^    (Source|Processor|Sink): (.*)$", re.DOTALL)
_HEADS = {
    "Source": re.compile(r"(.*) \(topics: (.*)\)", re.DOTALL),
    "Processor": re.compile(r"(.*) \(stores: \[(.*)\]\)", re.DOTALL),
    "Sink": re.compile(r"(.*) \((topic|extractor class): (.*)\)", re.DOTALL),
}
_BELOW, _ABOVE = "      --> ", "      <-- "


def facts_of(
    description: str,
    *,
    application_id: str,
    tasks: Mapping[int, int] | None = None,
    notes: Mapping[str, StoreNote] | None = None,
    topics: Mapping[str, list[str]] | None = None,
    store_format: str = "DEFAULT",
    partitions: Mapping[str, int] | None = None,
    words: Collection[str] = (),
) -> Facts:
    """Read the text of ``describe()``.

    Args:
        description: The text.
        application_id: Prefix of internal topics on the broker.
        tasks: Sub-topology -> number of tasks; what is not known is absent.
        notes: Notes of stores, as far as there are some.
        topics: Source node with a pattern -> the topics that matched, as far as they are known.
        store_format: ``dsl.store.format``.
        partitions: Topic, as described -> its number of partitions, as far as that is known.
        words: Words for stores that have had their effect on this state.

    Raises:
        StreamsException: The text is not one of ``describe()``.
    """
    noted, patterns = notes or {}, topics or {}
    read = _Reader(description, noted, patterns)
    facts = Facts(
        application_id=application_id,
        nodes={node.name: node for node in read.nodes},
        tasks=dict(tasks or {}),
        topics={name: list(found) for name, found in patterns.items()},
        store_format=store_format.upper(),
        partitions=dict(partitions or {}),
        words=frozenset(words),
    )
    return replace(facts, stores=_stores(facts, noted, read.globals))


def checkpoint_facts(checkpoint: Checkpoint, application_id: str) -> Facts:
    """Return the facts about the program that a checkpoint belongs to.

    Raises:
        StreamsException: Its description cannot be read.
    """
    facts = facts_of(
        checkpoint.topology,
        application_id=application_id,
        tasks={int(number): count for number, count in checkpoint.tasks.items()},
        notes=checkpoint.stores,
        topics=checkpoint.topics,
        store_format=checkpoint.store_format,
        partitions=checkpoint.partitions,
        words=checkpoint.words,
    )
    return replace(facts, every_word=checkpoint.every_word)


class _Reader:
    """Nodes of a text, in its order."""

    def __init__(
        self, text: str, notes: Mapping[str, StoreNote], patterns: Mapping[str, list[str]]
    ) -> None:
        self.globals: set[int] = set()
        self._patterns = patterns
        self._stores = notes.keys()
        blocks = list(self._blocks(text))
        heads = [_head(kind, lines[0]) for _, kind, lines in blocks]
        self._names = {match[1] for match in heads}
        self.nodes = [
            self._node(part, kind, match, lines[1:])
            for (part, kind, lines), match in zip(blocks, heads, strict=True)
        ]

    def _blocks(self, text: str) -> Iterator[tuple[int, str, list[str]]]:
        """Yield sub-topology, kind and lines of each node; the first line without the kind."""
        lines = text.split("\n")
        if lines[0] != "Topologies:":
            raise _unreadable(lines[0])
        # Kafka writes a space after the first line end, before the first part.
        part, block = None, None
        for line in lines[1:]:
            found, node = _PART.match(line), _NODE.match(line)
            if found or node or not line.strip():
                if block is not None:
                    yield block
                block = None
            if found:
                part = int(found[1])
                if found[2]:
                    self.globals.add(part)
            elif node and part is not None:
                block = (part, node[1], [node[2]])
            elif block is not None:
                # What an extractor says of itself may take several lines.
                block[2].append(line)
            elif line.strip():
                raise _unreadable(line)
        if block is not None:
            yield block

    def _node(self, part: int, kind: str, match: re.Match[str], lines: Sequence[str]) -> NodeFacts:
        name = match[1]
        above = next((line[len(_ABOVE) :] for line in lines if line.startswith(_ABOVE)), "none")
        below = next((line[len(_BELOW) :] for line in lines if line.startswith(_BELOW)), "none")
        topics: tuple[str, ...] = ()
        pattern = name in self._patterns
        if kind == "Source":
            listed = match[2]
            pattern = pattern or not (listed.startswith("[") and listed.endswith("]"))
            topics = (listed,) if pattern else tuple(listed[1:-1].split(", "))
        elif kind == "Sink" and match[2] == "topic":
            topics = (match[3],)
        stores = _names(match[2], self._stores) if kind == "Processor" else ()
        return NodeFacts(
            name=name,
            kind=kind.lower(),
            subtopology=part,
            topics=topics,
            pattern=pattern,
            stores=stores,
            parents=() if above == "none" else _names(above, self._names, strict=True),
            children=() if below == "none" else _names(below, self._names, strict=True),
        )


def _head(kind: str, text: str) -> re.Match[str]:
    match = _HEADS[kind].fullmatch(text)
    if match is None and kind == "Sink":
        # An extractor of several lines: the rest of its text follows.
        match = re.fullmatch(r"(.*) \((extractor class): (.*)", text, re.DOTALL)
    if match is None:
        raise _unreadable(text)
    return match


def _names(text: str, known: Collection[str], *, strict: bool = False) -> tuple[str, ...]:
    """Return the names in a list; a name may have a comma in it."""
    found: list[str] = []
    pieces = text.split(", ") if text else []
    while pieces:
        ends = range(len(pieces), 0, -1)
        end = next((end for end in ends if ", ".join(pieces[:end]) in known), None)
        if end is None and strict:
            raise _unreadable(text)
        # Not every store has a note.
        found.append(", ".join(pieces[: end or 1]))
        pieces = pieces[end or 1 :]
    return tuple(found)


def _stores(
    facts: Facts, notes: Mapping[str, StoreNote], global_parts: Collection[int]
) -> dict[str, StoreFacts]:
    users: dict[str, list[NodeFacts]] = {}
    for node in facts.nodes.values():
        for store in node.stores:
            users.setdefault(store, []).append(node)
    return {
        name: StoreFacts(
            name=name,
            subtopology=None if nodes[0].subtopology in global_parts else nodes[0].subtopology,
            note=notes.get(name),
            partitions=None,
            users=tuple(node.name for node in nodes),
        )
        for name, nodes in users.items()
    }


def _unreadable(line: str) -> StreamsException:
    return StreamsException(
        "cannot read the description of the topology in a checkpoint",
        detail=f'It has the line "{line.strip()}".',
        hint="Restore millstream.json of the checkpoint from a copy.",
    )
