package wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.apache.kafka.streams.processor.internals.assignment.AssignmentInfo;
import org.apache.kafka.streams.processor.internals.assignment.SubscriptionInfo;
import org.apache.kafka.streams.state.HostInfo;

/** Writes into each case of a file the bytes that Kafka's classes make of its fields. */
public final class Main {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private Main() {}

  public static void main(final String[] args) throws Exception {
    final ObjectNode file = (ObjectNode) JSON.readTree(Path.of(args[0]).toFile());
    for (final JsonNode each : file.get("subscriptions")) {
      fill((ObjectNode) each, subscription(each));
    }
    for (final JsonNode each : file.get("assignments")) {
      fill((ObjectNode) each, assignment(each));
    }
    JSON.writeValue(Path.of(args[1]).toFile(), file);
  }

  private static void fill(final ObjectNode each, final ByteBuffer bytes) {
    final byte[] copy = new byte[bytes.remaining()];
    bytes.duplicate().get(copy);
    each.put("hex", HexFormat.of().formatHex(copy));
  }

  private static ByteBuffer subscription(final JsonNode each) {
    final Map<TaskId, Long> sums = new LinkedHashMap<>();
    each.get("task_offset_sums").fields().forEachRemaining(
        entry -> sums.put(TaskId.parse(entry.getKey()), entry.getValue().asLong()));
    final Map<String, String> tags = new LinkedHashMap<>();
    each.get("client_tags").fields().forEachRemaining(
        entry -> tags.put(entry.getKey(), entry.getValue().asText()));
    final SubscriptionInfo info = new SubscriptionInfo(
        each.get("version").asInt(),
        each.get("latest_supported_version").asInt(),
        new ProcessId(UUID.fromString(each.get("process_id").asText())),
        each.get("user_end_point").isNull() ? null : each.get("user_end_point").asText(),
        sums,
        (byte) each.get("unique_field").asInt(),
        each.get("error_code").asInt(),
        tags);
    final ByteBuffer bytes = info.encode();
    if (!SubscriptionInfo.decode(bytes.duplicate()).equals(info)) {
      throw new IllegalStateException("not read back: " + each);
    }
    return bytes;
  }

  private static ByteBuffer assignment(final JsonNode each) {
    final List<TaskId> active = new ArrayList<>();
    each.get("active_tasks").forEach(task -> active.add(TaskId.parse(task.asText())));
    final Map<TaskId, Set<TopicPartition>> standby = new LinkedHashMap<>();
    each.get("standby_tasks").fields().forEachRemaining(
        entry -> standby.put(TaskId.parse(entry.getKey()), partitions(entry.getValue())));
    final AssignmentInfo info = new AssignmentInfo(
        each.get("version").asInt(),
        each.get("commonly_supported_version").asInt(),
        active,
        standby,
        hosts(each.get("partitions_by_host")),
        hosts(each.get("standby_partitions_by_host")),
        each.get("error_code").asInt());
    if (each.has("next_rebalance_ms")) {
      info.setNextRebalanceTime(each.get("next_rebalance_ms").asLong());
    }
    final ByteBuffer bytes = info.encode();
    AssignmentInfo.decode(bytes.duplicate());
    return bytes;
  }

  private static Map<HostInfo, Set<TopicPartition>> hosts(final JsonNode node) {
    final Map<HostInfo, Set<TopicPartition>> hosts = new LinkedHashMap<>();
    node.fields().forEachRemaining(entry -> {
      final int colon = entry.getKey().lastIndexOf(':');
      final int port = Integer.parseInt(entry.getKey().substring(colon + 1));
      hosts.put(
          new HostInfo(entry.getKey().substring(0, colon), port), partitions(entry.getValue()));
    });
    return hosts;
  }

  private static Set<TopicPartition> partitions(final JsonNode node) {
    final Set<TopicPartition> partitions = new LinkedHashSet<>();
    final ArrayNode listed = (ArrayNode) node;
    listed.forEach(each -> {
      final int dash = each.asText().lastIndexOf('-');
      partitions.add(new TopicPartition(
          each.asText().substring(0, dash), Integer.parseInt(each.asText().substring(dash + 1))));
    });
    return partitions;
  }
}
