// The topology's numbers as tables: topics and nodes.

import { el } from "../lib/dom.js";
import { count, duration, rate } from "../lib/format.js";
import { REASONS } from "../lib/measured.js";
import { Table } from "../lib/table.js";

export class TopologyTables {
  constructor() {
    this.topics = new Table({
      label: "Topics",
      key: (row) => row.name,
      empty: "The topology has no topics.",
      columns: [
        { title: "Topic", of: (row) => row.name },
        { title: "Role", of: (row) => (row.internal ? `${row.role}, internal` : row.role) },
        { title: "Read", of: (row) => row.facts.consumed_per_s, format: rate, reason: REASONS.topicRate },
        { title: "Written", of: (row) => row.facts.produced_per_s, format: rate, reason: REASONS.topicRate },
        { title: "Lag", of: (row) => row.facts.lag, format: count, reason: REASONS.topicLag },
        { title: "Delay", of: (row) => row.facts.delay_ms, format: duration, reason: REASONS.delay },
      ],
    });
    this.nodes = new Table({
      label: "Nodes",
      key: (row) => row.name,
      empty: "The topology has no nodes.",
      columns: [
        { title: "Node", of: (row) => row.name },
        { title: "Kind", of: (row) => row.kind },
        { title: "Sub-topology", of: (row) => row.subtopology, format: String, reason: "" },
        { title: "Topics and stores", wide: true, of: (row) => [...row.topics, ...row.stores].join(", ") },
        { title: "Rate", of: (row) => row.facts.records_per_s, format: rate, reason: REASONS.nodeRate },
        { title: "Records", of: (row) => row.facts.records, format: count, reason: REASONS.nodeRate },
      ],
    });
    this.element = el("div", { class: "topology-tables" }, this.topics.element, this.nodes.element);
  }

  update(topology, snapshot) {
    const withFacts = (items, facts) => items.map((item) => ({ ...item, facts: facts[item.name] ?? {} }));
    this.topics.update(withFacts(topology.topics, snapshot.topics));
    this.nodes.update(withFacts(topology.nodes, snapshot.nodes));
  }
}
