"""Records that flow through nodes and topics, with rates, lag and delay."""

from __future__ import annotations

from typing import Any

from millstream.core.plan import ProcessorNode, SinkNode, SourceNode, SubTopology
from millstream.page.facts import PageFacts
from millstream.page.lags import lags_of, of_topic
from millstream.page.readings import Rates

CONSUMED, PRODUCED = "records-consumed-total", "records-produced-total"
PROCESSED = "process-total"
Row = dict[str, Any]


def parts_of(facts: PageFacts) -> list[SubTopology]:
    """Return all sub-topologies, those that fill global stores included."""
    return [*facts.plan.subtopologies, *(each.as_subtopology() for each in facts.plan.globals)]


def node_rows(facts: PageFacts, rates: Rates) -> dict[str, Row]:
    """Return records and rate of each node; processors are known at recording level DEBUG."""
    found: dict[str, Row] = {}
    counted = {
        SourceNode: (CONSUMED, facts.readings.sums(CONSUMED, "processor-node-id")),
        SinkNode: (PRODUCED, facts.readings.sums(PRODUCED, "processor-node-id")),
        ProcessorNode: (PROCESSED, facts.readings.sums(PROCESSED, "processor-node-id")),
    }
    for part in parts_of(facts):
        for node in part.nodes:
            name, totals = counted[type(node)]
            known = facts.detailed or name != PROCESSED
            total = totals.get(node.name) if known else None
            rate = rates.per_s((name, "processor-node-id", node.name)) if known else None
            found[node.name] = {
                "records_per_s": rate,
                "records": None if total is None else int(total),
            }
    return found


def topic_rows(facts: PageFacts, rates: Rates) -> dict[str, Row]:
    """Return rates, lag and delay of each topic that is known by name."""
    lags, inside = lags_of(facts.last), _between_stages(facts)
    delays = _delays(facts)
    found: dict[str, Row] = {}
    for topic in topics_of(facts):
        consumed = rates.per_s((CONSUMED, "topic", topic))
        found[topic] = {
            "consumed_per_s": consumed,
            "produced_per_s": rates.per_s((PRODUCED, "topic", topic)),
            # What a stage sends to a later one is processed in the same batch.
            "lag": 0 if topic in inside and facts.last else of_topic(lags, topic),
            "delay_ms": delays.get(topic),
        }
    return found


def topics_of(facts: PageFacts) -> list[str]:
    """Return the topics that the topology reads and writes, by their names on the broker."""
    found: dict[str, None] = {}
    for part in parts_of(facts):
        for node in part.nodes:
            if isinstance(node, SourceNode):
                found |= dict.fromkeys(node.topics)
            elif isinstance(node, SinkNode) and node.topic is not None:
                found[node.topic] = None
    return [facts.plan.internal_name(topic, facts.id) for topic in found]


def _between_stages(facts: PageFacts) -> set[str]:
    return set() if facts.layout is None else set(facts.layout.routes)


def _delays(facts: PageFacts) -> dict[str, int]:
    """Return the age of the newest record of each topic when it was processed lately."""
    ages = facts.readings.least("record-e2e-latency-min", "processor-node-id")
    found: dict[str, int] = {}
    for part in parts_of(facts):
        for source in part.sources:
            for topic in source.topics:
                if source.name in ages:
                    own = round(ages[source.name])
                    name = facts.plan.internal_name(topic, facts.id)
                    found[name] = min(found.get(name, own), own)
    return found
