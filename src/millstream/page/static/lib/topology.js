// The topology as the panels use it: one stage for each sub-topology, and no name that is missing.

/**
 * Return a topology whose stages are its sub-topologies.
 *
 * Before the start the server knows no stages; a global store has none; and what a source with a
 * pattern reads is no topic of the list.
 */
export function completed(topology) {
  const { nodes = [], topics = [], stages = [] } = topology;
  const numbers = new Set([...nodes, ...stages].map(({ subtopology }) => subtopology));
  const names = new Set(topics.map(({ name }) => name));
  const added = [];
  for (const node of nodes) {
    for (const name of node.topics) {
      if (names.has(name)) continue;
      names.add(name);
      added.push({ name, internal: false, role: node.kind });
    }
  }
  return {
    ...topology,
    nodes,
    edges: topology.edges ?? [],
    stores: topology.stores ?? [],
    topics: [...topics, ...added],
    stages: [...numbers].sort((one, other) => one - other).map((number) => stageOf(number, nodes, stages)),
  };
}

function stageOf(number, nodes, stages) {
  const own = nodes.filter(({ subtopology }) => subtopology === number);
  const topics = (kind) => [...new Set(own.filter((node) => node.kind === kind).flatMap((node) => node.topics))];
  return {
    subtopology: number,
    indexes: stages.filter(({ subtopology }) => subtopology === number).map(({ index }) => index),
    sources: topics("source"),
    sinks: topics("sink"),
    stores: [...new Set(own.flatMap((node) => node.stores))],
  };
}
