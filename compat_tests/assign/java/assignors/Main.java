package assignors;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.ApplicationState;
import org.apache.kafka.streams.processor.assignment.AssignmentConfigs;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsAssignment.AssignedTask;
import org.apache.kafka.streams.processor.assignment.KafkaStreamsState;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.apache.kafka.streams.processor.assignment.TaskAssignor.TaskAssignment;
import org.apache.kafka.streams.processor.assignment.TaskInfo;
import org.apache.kafka.streams.processor.assignment.TaskTopicPartition;
import org.apache.kafka.streams.processor.assignment.assignors.StickyTaskAssignor;
import org.apache.kafka.streams.processor.internals.TopologyMetadata.Subtopology;
import org.apache.kafka.streams.processor.internals.assignment.ClientState;
import org.apache.kafka.streams.processor.internals.assignment.DefaultKafkaStreamsState;
import org.apache.kafka.streams.processor.internals.assignment.DefaultTaskInfo;
import org.apache.kafka.streams.processor.internals.assignment.DefaultTaskTopicPartition;
import org.apache.kafka.streams.processor.internals.assignment.HighAvailabilityTaskAssignor;
import org.apache.kafka.streams.processor.internals.assignment.RackAwareTaskAssignor;

/** Asks Kafka Streams' assignors about the clusters of a file and writes down what they answer. */
public final class Main {
    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(final String[] arguments) throws Exception {
        final File file = new File(arguments[0]);
        final ArrayNode cases = (ArrayNode) JSON.readTree(file);
        for (final JsonNode each : cases) {
            final boolean sticky = each.get("assignor").asText().equals("sticky");
            ((ObjectNode) each).set("expect", sticky ? sticky(each) : highAvailability(each));
        }
        final StringBuilder lines = new StringBuilder("[\n");
        for (int index = 0; index < cases.size(); index++) {
            lines.append(JSON.writeValueAsString(cases.get(index)));
            lines.append(index + 1 < cases.size() ? ",\n" : "\n]\n");
        }
        java.nio.file.Files.writeString(file.toPath(), lines);
    }

    private static ObjectNode highAvailability(final JsonNode given) {
        final AssignmentConfigs configs = configs(given.get("configs"));
        final Set<TaskId> tasks = tasks(given.get("tasks"));
        final Set<TaskId> stateful = tasks(given.get("stateful"));
        final Map<ProcessId, ClientState> clients = new TreeMap<>();
        final Map<ProcessId, Map<String, Optional<String>>> racks = new TreeMap<>();
        for (final JsonNode each : given.get("instances")) {
            final ProcessId id = process(each);
            clients.put(id, new ClientState(tasks(each.get("active")), tasks(each.get("standby")),
                lags(each.get("lags"), stateful), texts(each.get("tags")), each.get("threads").asInt(), id));
            racks.put(id, Map.of("consumer", rack(each)));
        }
        final boolean followup = new HighAvailabilityTaskAssignor().assign(
            clients, tasks, stateful, rackAware(given, tasks, racks, configs), configs);
        final Map<String, Collection<TaskId>> active = new TreeMap<>();
        final Map<String, Collection<TaskId>> standby = new TreeMap<>();
        clients.forEach((id, state) -> {
            active.put(id.id().toString(), state.activeTasks());
            standby.put(id.id().toString(), state.standbyTasks());
        });
        return answer(active, standby, followup);
    }

    private static RackAwareTaskAssignor rackAware(
        final JsonNode given,
        final Set<TaskId> tasks,
        final Map<ProcessId, Map<String, Optional<String>>> racks,
        final AssignmentConfigs configs
    ) {
        final List<PartitionInfo> partitions = new ArrayList<>();
        final Map<TaskId, Set<TopicPartition>> sources = new HashMap<>();
        final Map<TaskId, Set<TopicPartition>> changelogs = new HashMap<>();
        final Map<Subtopology, Set<TaskId>> groups = new HashMap<>();
        final Map<String, Node> nodes = new TreeMap<>();
        for (final TaskId task : tasks) {
            groups.computeIfAbsent(new Subtopology(task.subtopology(), null), x -> new HashSet<>()).add(task);
            sources.put(task, partitions("source", task, given.get("racks"), nodes, partitions));
            changelogs.put(task, partitions("changelog", task, given.get("changelog_racks"), nodes, partitions));
        }
        final Cluster cluster = new Cluster("cluster", nodes.values(), partitions, Set.of(), Set.of());
        return new RackAwareTaskAssignor(
            cluster, sources, changelogs, groups, racks, null, configs, Time.SYSTEM);
    }

    private static Set<TopicPartition> partitions(
        final String kind,
        final TaskId task,
        final JsonNode racks,
        final Map<String, Node> nodes,
        final List<PartitionInfo> partitions
    ) {
        final Set<TopicPartition> found = new HashSet<>();
        int number = 0;
        for (final JsonNode replicas : racks.path(task.toString())) {
            final List<Node> holders = new ArrayList<>();
            for (final JsonNode rack : replicas) {
                holders.add(nodes.computeIfAbsent(
                    rack.asText(), name -> new Node(nodes.size(), "node-" + name, 9092, name)));
            }
            final Node[] all = holders.toArray(new Node[0]);
            final String topic = kind + "-" + task.subtopology() + "-" + number++;
            partitions.add(new PartitionInfo(topic, task.partition(), all[0], all, all));
            found.add(new TopicPartition(topic, task.partition()));
        }
        return found;
    }

    private static ObjectNode sticky(final JsonNode given) {
        final Set<TaskId> stateful = tasks(given.get("stateful"));
        final AssignmentConfigs configs = configs(given.get("configs"));
        final Map<TaskId, TaskInfo> infos = new HashMap<>();
        for (final TaskId task : tasks(given.get("tasks"))) {
            final Set<TaskTopicPartition> partitions = new HashSet<>();
            if (stateful.contains(task)) {
                partitions.add(new DefaultTaskTopicPartition(
                    new TopicPartition("changelog-" + task.subtopology(), task.partition()), false, true, () -> { }));
            }
            infos.put(task, new DefaultTaskInfo(task, stateful.contains(task), Set.of(), partitions));
        }
        final Map<ProcessId, KafkaStreamsState> states = new HashMap<>();
        for (final JsonNode each : given.get("instances")) {
            final ProcessId id = process(each);
            final SortedMap<String, Set<TaskId>> consumers = new TreeMap<>();
            states.put(id, new DefaultKafkaStreamsState(id, each.get("threads").asInt(),
                texts(each.get("tags")), new TreeSet<>(tasks(each.get("active"))),
                new TreeSet<>(tasks(each.get("standby"))), consumers, Optional.empty(),
                Optional.of(lags(each.get("lags"), stateful)), rack(each)));
        }
        final TaskAssignment found = new StickyTaskAssignor().assign(new ApplicationState() {
            @Override
            public Map<ProcessId, KafkaStreamsState> kafkaStreamsStates(final boolean computeTaskLags) {
                return states;
            }

            @Override
            public AssignmentConfigs assignmentConfigs() {
                return configs;
            }

            @Override
            public Map<TaskId, TaskInfo> allTasks() {
                return infos;
            }
        });
        final Map<String, Collection<TaskId>> active = new TreeMap<>();
        final Map<String, Collection<TaskId>> standby = new TreeMap<>();
        boolean followup = false;
        for (final KafkaStreamsAssignment each : found.assignment()) {
            final String id = each.processId().id().toString();
            active.put(id, new TreeSet<>());
            standby.put(id, new TreeSet<>());
            for (final AssignedTask task : each.tasks().values()) {
                (task.type() == AssignedTask.Type.ACTIVE ? active : standby).get(id).add(task.id());
            }
            followup |= each.followupRebalanceDeadline().isPresent();
        }
        return answer(active, standby, followup);
    }

    private static ObjectNode answer(
        final Map<String, Collection<TaskId>> active,
        final Map<String, Collection<TaskId>> standby,
        final boolean followup
    ) {
        final ObjectNode found = JSON.createObjectNode();
        found.set("active", byInstance(active));
        found.set("standby", byInstance(standby));
        return found.put("followup", followup);
    }

    private static ObjectNode byInstance(final Map<String, Collection<TaskId>> tasks) {
        final ObjectNode found = JSON.createObjectNode();
        tasks.forEach((id, own) -> {
            final ArrayNode names = found.putArray(id);
            new TreeSet<>(own).forEach(task -> names.add(task.toString()));
        });
        return found;
    }

    private static AssignmentConfigs configs(final JsonNode given) {
        final List<String> tags = new ArrayList<>();
        given.get("tags").forEach(tag -> tags.add(tag.asText()));
        return new AssignmentConfigs(given.get("lag").asLong(), given.get("warmups").asInt(),
            given.get("standbys").asInt(), 600_000L, tags, cost(given.get("traffic")),
            cost(given.get("non_overlap")), given.get("strategy").asText());
    }

    private static OptionalInt cost(final JsonNode given) {
        return given.isNull() ? OptionalInt.empty() : OptionalInt.of(given.asInt());
    }

    private static ProcessId process(final JsonNode instance) {
        return new ProcessId(UUID.fromString(instance.get("id").asText()));
    }

    private static Optional<String> rack(final JsonNode instance) {
        return instance.get("rack").isNull() ? Optional.empty() : Optional.of(instance.get("rack").asText());
    }

    private static Set<TaskId> tasks(final JsonNode names) {
        final Set<TaskId> found = new TreeSet<>();
        names.forEach(name -> found.add(TaskId.parse(name.asText())));
        return found;
    }

    private static Map<TaskId, Long> lags(final JsonNode given, final Set<TaskId> stateful) {
        final Map<TaskId, Long> found = new HashMap<>();
        stateful.forEach(task -> found.put(task, Long.MAX_VALUE));
        given.fields().forEachRemaining(each -> found.put(TaskId.parse(each.getKey()), each.getValue().asLong()));
        return found;
    }

    private static Map<String, String> texts(final JsonNode given) {
        final Map<String, String> found = new HashMap<>();
        given.fields().forEachRemaining(each -> found.put(each.getKey(), each.getValue().asText()));
        return found;
    }
}
