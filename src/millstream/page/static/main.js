// The page: one stream of snapshots, shown by panels.

import { Connection, Refused, fetched } from "./lib/connection.js";
import { completed } from "./lib/topology.js";
import { TopologyPanel } from "./graph/panel.js";
import { BatchesPanel } from "./panels/batches.js";
import { ErrorsPanel } from "./panels/errors.js";
import { LossesPanel } from "./panels/losses.js";
import { QueryPanel } from "./panels/query.js";
import { StoresPanel } from "./panels/stores.js";
import { TasksPanel } from "./panels/tasks.js";
import { Top } from "./panels/top.js";

const HEALTH_EVERY = 10000;

const head = new Top();
const topology = new TopologyPanel();
const query = new QueryPanel();
const stores = new StoresPanel((name) => query.open(name));
const panels = [head, topology, new BatchesPanel(), new TasksPanel(), stores, new LossesPanel(), new ErrorsPanel()];

let latest = null;
let lastHealth = { at: 0, state: null };

/** A panel that fails does not take the others with it. */
function show(snapshot) {
  const changed = latest !== null && latest.application.state !== snapshot.application.state;
  latest = snapshot;
  if (changed) loadTopology();
  for (const panel of panels) {
    try {
      panel.update(snapshot);
    } catch (error) {
      console.error("a panel cannot show the snapshot", error);
    }
  }
  document.documentElement.dataset.ready = "snapshot";
  checkHealth(snapshot.application.state);
}

async function checkHealth(state) {
  const now = Date.now();
  if (state === lastHealth.state && now - lastHealth.at < HEALTH_EVERY) return;
  lastHealth = { at: now, state };
  try {
    const response = await fetch("health/ready", { headers: { Accept: "application/json" } });
    const { reason } = await response.json().catch(() => ({}));
    head.setHealth({ ready: response.ok, reason });
  } catch {
    head.setHealth({ ready: null });
  }
}

let known = null;

/** Stages are known from the start on; and behind a new connection may be another application. */
async function loadTopology() {
  try {
    const found = await fetched("api/topology");
    const text = JSON.stringify(found);
    if (text === known) return;
    known = text;
    const whole = completed(found);
    for (const panel of [topology, stores, query]) panel.setTopology(whole);
    if (latest) show(latest);
    document.documentElement.dataset.topology = "shown";
  } catch (error) {
    refused(error);
  }
}

function refused(error) {
  const locked = error instanceof Refused && (error.status === 401 || error.status === 403);
  head.setLocked(locked);
  if (!locked) console.warn("the topology cannot be read", error.message);
}

/** A stream that was refused does not say why; a request does. */
async function askWhy() {
  try {
    await fetched("api/topology");
    head.setLocked(false);
  } catch (error) {
    if (error instanceof Refused) refused(error);
  }
}

new Connection({
  onOpen: loadTopology,
  onSnapshot: show,
  onStatus(status, since) {
    head.setConnection(status, since);
    if (status === "lost") askWhy();
  },
});

setInterval(() => head.tick(), 1000);
