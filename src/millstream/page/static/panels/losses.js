// Records that were dropped, with the reason; and what suppression buffers hold back.

import { byId, el, keyed, setText } from "../lib/dom.js";
import { bytes, count, rate } from "../lib/format.js";
import { REASONS } from "../lib/measured.js";
import { Table } from "../lib/table.js";

export class LossesPanel {
  constructor() {
    this.reasons = el("ul", { class: "reasons", "aria-label": "Dropped records by reason" });
    this.dropped = new Table({
      label: "Dropped records",
      key: (row) => `${row.reason}\n${row.node}\n${row.task}`,
      empty: "No record has been dropped.",
      few: 6,
      sort: { column: "Total", down: true },
      columns: [
        { title: "Reason", of: (row) => row.reason },
        { title: "At", wide: true, of: (row) => row.node ?? "node not known" },
        { title: "Task", of: (row) => row.task ?? "not known" },
        { title: "Total", of: (row) => row.total, format: count, reason: REASONS.records, bar: true },
        { title: "Now", of: (row) => row.per_s, format: rate, reason: REASONS.rate },
      ],
    });
    this.buffers = new Table({
      label: "Suppression buffers",
      key: (row) => `${row.name}\n${row.task}`,
      empty: "No suppression buffers.",
      few: 6,
      columns: [
        { title: "Buffer", of: (row) => row.name },
        { title: "Task", of: (row) => row.task },
        { title: "Records", of: (row) => row.records, format: count, reason: REASONS.operations },
        { title: "Size", of: (row) => row.bytes, format: bytes, reason: REASONS.operations, bar: true },
      ],
    });
    const heading = (text) => el("h3", { text });
    byId("losses-body").append(
      this.reasons, this.dropped.element, heading("Suppression buffers"), this.buffers.element);
  }

  update({ dropped, buffers, totals }) {
    const sums = new Map();
    for (const { reason, total } of dropped) sums.set(reason, (sums.get(reason) ?? 0) + (total ?? 0));
    const rows = [...sums].sort(([, one], [, other]) => other - one);
    // A record that is in the dead letter topic, too, is in two rows.
    setText(byId("losses-note"), totals.dropped ? `${count(totals.dropped)} dropped` : "");
    keyed(this.reasons, rows, ([reason]) => reason, reasonItem, (element, [, total]) => {
      setText(element.lastElementChild, count(total));
      element.lastElementChild.dataset.value = total;
    });
    this.reasons.hidden = rows.length === 0;
    this.dropped.update(dropped);
    this.buffers.update(buffers);
  }
}

function reasonItem([reason]) {
  return el("li", {}, el("span", { text: reason }), el("strong"));
}
