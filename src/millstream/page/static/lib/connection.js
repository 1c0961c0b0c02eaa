// The stream of snapshots, and what to do while it is away.

const FIRST_WAIT = 1000;
const LONGEST_WAIT = 15000;

/**
 * Keeps one stream of events open. `onOpen` is called at each new connection, because the
 * application behind it may be another one by then; `onStatus` gets "connecting", "live" or "lost".
 */
export class Connection {
  constructor({ onOpen, onSnapshot, onStatus }) {
    Object.assign(this, { onOpen, onSnapshot, onStatus });
    this.wait = FIRST_WAIT;
    this.lostAt = null;
    this.#open();
  }

  #open() {
    this.source = new EventSource("api/events");
    this.source.addEventListener("open", () => this.#opened());
    this.source.addEventListener("snapshot", (event) => this.#received(event.data));
    this.source.addEventListener("error", () => this.#failed());
  }

  #opened() {
    this.wait = FIRST_WAIT;
    this.lostAt = null;
    this.onStatus("live", null);
    this.onOpen();
  }

  #received(data) {
    let snapshot;
    try {
      snapshot = JSON.parse(data);
    } catch (error) {
      console.error("a snapshot is not JSON", error);
      return;
    }
    this.onSnapshot(snapshot);
  }

  /** The browser opens a broken stream again by itself, but not one that was refused. */
  #failed() {
    this.lostAt ??= Date.now();
    this.onStatus("lost", this.lostAt);
    if (this.source.readyState !== EventSource.CLOSED) return;
    setTimeout(() => this.#open(), this.wait);
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
  }
}

/** A refusal of the server, with its hint. */
export class Refused extends Error {
  constructor(status, { error, hint } = {}) {
    super(error ?? `the server answered ${status}`);
    this.status = status;
    this.hint = hint ?? "";
  }
}

/** Return the JSON of a route, or throw Refused. */
export async function fetched(path) {
  const response = await fetch(path, { headers: { Accept: "application/json" } });
  const body = await response.json().catch(() => undefined);
  if (!response.ok) throw new Refused(response.status, body ?? {});
  return body;
}
