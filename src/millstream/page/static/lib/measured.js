// A number in an element; or "not measured", with the reason.

import { setAttribute, setText } from "./dom.js";

export const REASONS = {
  lag: "the end of the topics has not been read yet",
  batch: "no batch has ended yet",
  state: "Spark reports it after a batch with stores",
  nodeRate: "counted at metrics.recording.level=DEBUG, or of sources and sinks only",
  topicRate: "no batch has read or written this topic yet",
  topicLag: "the topic is not read from the broker, or its end is not known yet",
  delay: "no record of this topic has been consumed yet",
  taskLag: "the end of the task's partitions is not known yet",
  executor: "Spark runs in local mode, or the task has not run yet",
  cores: "Spark does not report it here",
  entries: "this kind of store does not count its entries",
  size: "Spark reports it after a batch with this store",
  operations: "recorded at metrics.recording.level=DEBUG",
  cache: "recorded at metrics.recording.level=DEBUG, of stores with a cache",
  records: "no batch has reported it yet",
  rate: "no batch has reported it yet",
};

/**
 * Show a value. `data-value` keeps the number as it came, for tests and for scripts of readers;
 * the title says it exactly, or why there is none.
 */
export function show(element, value, format, reason) {
  const text = value === null || value === undefined ? null : format(value);
  setText(element, text ?? "not measured");
  element.classList.toggle("unmeasured", text === null);
  setAttribute(element, "data-value", text === null ? "" : value);
  setAttribute(element, "title", text === null ? `not measured: ${reason}` : exact(value, text));
}

function exact(value, text) {
  if (typeof value !== "number") return null;
  const whole = value.toLocaleString("en", { maximumFractionDigits: 3 });
  return text.startsWith(whole) ? null : whole;
}
