// What is known of the item of the graph that the reader points at or has chosen.

import { el, keyed } from "../lib/dom.js";
import { bytes, count, duration, rate } from "../lib/format.js";
import { REASONS, show } from "../lib/measured.js";
import { stageRate } from "./shapes.js";

/** Return [title, facts]; a fact is [name, value, format, reason], or [name, text]. */
export function factsOf(shape, topology, snapshot) {
  return FACTS[shape.kind](shape, snapshot, topology);
}

const FACTS = {
  node({ item }, snapshot) {
    const facts = snapshot.nodes[item.name] ?? {};
    return [`${capital(item.kind)} ${item.name}`, [
      ["Records", facts.records, count, REASONS.nodeRate],
      ["Rate", facts.records_per_s, rate, REASONS.nodeRate],
      ["Sub-topology", String(item.subtopology)],
      ...(item.topics.length ? [["Topics", item.topics.join(", ")]] : []),
      ...item.stores.flatMap((name) => storeFacts(name, snapshot)),
    ]];
  },
  topic({ item }, snapshot) {
    const facts = snapshot.topics[item.name] ?? {};
    return [`Topic ${item.name}`, [
      ["Read", facts.consumed_per_s, rate, REASONS.topicRate],
      ["Written", facts.produced_per_s, rate, REASONS.topicRate],
      ["Lag", facts.lag, count, REASONS.topicLag],
      ["Delay", facts.delay_ms, duration, REASONS.delay],
      ["Role", item.internal ? `${item.role}, internal` : item.role],
    ]];
  },
  stage({ item, nodes }, snapshot) {
    const tasks = snapshot.tasks.filter((task) => item.indexes.includes(task.stage));
    return [`Sub-topology ${item.subtopology}`, [
      ["Rate", stageRate(nodes, snapshot), rate, REASONS.nodeRate],
      ["Stage", item.indexes.join(", ") || "none"],
      ["Nodes", nodes.length, count],
      ["Tasks", tasks.length, count],
      ["Reads", item.sources.join(", ") || "nothing"],
      ["Writes", item.sinks.join(", ") || "nothing"],
      ...(item.stores.length ? [["Stores", item.stores.join(", ")]] : []),
    ]];
  },
};

function storeFacts(name, snapshot) {
  const store = snapshot.stores.find((each) => each.name === name) ?? {};
  return [["Store", name], ["Entries", store.entries, count, REASONS.entries], ["Size", store.bytes, bytes, REASONS.size]];
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** The line of facts under the graph. */
export class Details {
  constructor(hint) {
    this.hint = hint;
    this.title = el("strong");
    this.list = el("dl", { class: "inline" });
    this.element = el("div", { class: "details" }, this.title, this.list);
    this.clear();
  }

  clear() {
    this.title.textContent = "";
    this.list.hidden = true;
    this.title.append(el("span", { class: "hint", text: this.hint }));
  }

  update([title, facts]) {
    this.title.textContent = title;
    this.list.hidden = false;
    const items = facts.map((fact, index) => ({ fact, key: `${index} ${fact[0]}` }));
    keyed(this.list, items, ({ key }) => key, () => el("div", {}, el("dt"), el("dd")), (element, { fact }) => {
      const [name, value, format, reason] = fact;
      element.firstElementChild.textContent = name;
      if (format) show(element.lastElementChild, value, format, reason);
      else plain(element.lastElementChild, value);
    });
  }
}

function plain(element, text) {
  element.textContent = text;
  element.className = "";
  element.removeAttribute("title");
  element.removeAttribute("data-value");
}
