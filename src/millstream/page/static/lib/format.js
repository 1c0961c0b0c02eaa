// Numbers as people read them. Each function returns null for what is no number.

const GROUPED = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const UNITS = ["", "k", "M", "G", "T", "P"];

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

/** 3 digits and a unit: 12.3k. */
function scaled(value, units, base) {
  let rest = Math.abs(value);
  let unit = 0;
  while (rest >= base * 0.9995 && unit < units.length - 1) {
    rest /= base;
    unit += 1;
  }
  return [(value < 0 ? "−" : "") + threeDigits(rest, unit), units[unit]];
}

function threeDigits(value, unit) {
  if (Number.isInteger(value) && unit === 0) return String(value);
  if (value >= 99.95) return value.toFixed(0);
  return value.toFixed(value >= 9.995 ? 1 : 2).replace(/\.?0+$/, "") || "0";
}

/** A count: exact below a million. */
export function count(value) {
  if (!isNumber(value)) return null;
  return Math.abs(value) < 1e6 ? GROUPED.format(value) : scaled(value, UNITS, 1000).join("");
}

/** A count in a narrow place: 12.3k. */
export function short(value) {
  return isNumber(value) ? scaled(value, UNITS, 1000).join("") : null;
}

export function rate(value) {
  if (!isNumber(value)) return null;
  if (value > 0 && value < 0.01) return "<0.01/s";
  return `${scaled(value, UNITS, 1000).join("")}/s`;
}

export function bytes(value) {
  return isNumber(value) ? scaled(value, ["B", "kB", "MB", "GB", "TB", "PB"], 1000).join(" ") : null;
}

export function ratio(value) {
  return isNumber(value) ? `${(value * 100).toFixed(value > 0 && value < 0.9995 ? 1 : 0)} %` : null;
}

/** Milliseconds as a duration. */
export function duration(value) {
  if (!isNumber(value)) return null;
  if (value < 0) return `−${duration(-value)}`;
  if (value < 999.5) return `${value < 10 ? Number(value.toFixed(1)) : Math.round(value)} ms`;
  const seconds = value / 1000;
  if (seconds < 59.95) return `${Number(seconds.toFixed(seconds < 10 ? 2 : 1))} s`;
  return longer(Math.round(seconds));
}

function longer(seconds) {
  const [days, hours] = [Math.floor(seconds / 86400), Math.floor((seconds % 86400) / 3600)];
  const minutes = Math.floor((seconds % 3600) / 60);
  if (days) return hours ? `${days} d ${hours} h` : `${days} d`;
  if (hours) return minutes ? `${hours} h ${minutes} min` : `${hours} h`;
  return seconds % 60 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`;
}

/** A moment as the time of day; with the date if it is not of today. */
export function moment(value) {
  if (!isNumber(value)) return null;
  const when = new Date(value);
  if (Number.isNaN(when.getTime())) return null;
  const time = when.toLocaleTimeString("en-GB");
  const sameDay = when.toDateString() === new Date().toDateString();
  return sameDay ? time : `${when.toLocaleDateString("en-CA")} ${time}`;
}

export function ago(value, now) {
  if (!isNumber(value)) return null;
  const seconds = Math.round((now - value) / 1000);
  return seconds < 1 ? "just now" : `${duration(seconds * 1000)} ago`;
}

/** Names that Kafka Streams generates, without the zeros of their numbers. */
export function shortName(name) {
  return name.replace(/-0{1,9}(\d+)(?=$|-)/g, "-$1");
}
