package oracle;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;

/**
 * Runs scenarios' topologies on a broker: each line of standard input names a scenario file, whose
 * application is started, runs until it has read everything, and is closed. Answers "done".
 */
public final class Relay {
  private static final Duration POLL = Duration.ofMillis(50);
  private static final int QUIET_ROUNDS = 6;

  public static void main(final String[] args) throws Exception {
    final BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String line;
    while ((line = lines.readLine()) != null) {
      try {
        run(Main.JSON.readTree(Files.readAllBytes(Path.of(line))));
        System.out.println("done");
      } catch (final Throwable t) {
        t.printStackTrace();
        System.out.println("failed " + t);
      }
      System.out.flush();
    }
  }

  private static void run(final JsonNode sc) throws Exception {
    final Properties props = new Properties();
    final String text = "org.apache.kafka.common.serialization.Serdes$StringSerde";
    props.put("default.key.serde", text);
    props.put("default.value.serde", text);
    sc.path("config").fields().forEachRemaining(e -> props.put(e.getKey(), e.getValue().asText()));
    Spied.begin(sc);
    final KafkaStreams streams = new KafkaStreams(new Topo(sc, props).build(), props);
    final Throwable[] failure = new Throwable[1];
    streams.setUncaughtExceptionHandler(
        error -> {
          failure[0] = error;
          return org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler
              .StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
    streams.start();
    final Properties client = new Properties();
    client.put("bootstrap.servers", props.get("bootstrap.servers"));
    client.put("isolation.level", "read_committed");
    client.put("key.deserializer", ByteArrayDeserializer.class.getName());
    client.put("value.deserializer", ByteArrayDeserializer.class.getName());
    client.put("enable.auto.commit", "false");
    final Set<String> inputs = new HashSet<>();
    sc.get("inputs").forEach(name -> inputs.add(name.asText()));
    final String id = props.getProperty("application.id");
    try (Admin admin = Admin.create(client);
        KafkaConsumer<byte[], byte[]> reader = new KafkaConsumer<>(client)) {
      final long giveUp = System.nanoTime() + Duration.ofMinutes(3).toNanos();
      int quiet = 0;
      while (quiet < QUIET_ROUNDS) {
        if (failure[0] != null) throw new IllegalStateException(failure[0]);
        if (System.nanoTime() > giveUp) throw new IllegalStateException("it does not come to rest");
        quiet = unread(admin, reader, id, inputs) == 0 ? quiet + 1 : 0;
        // Between reading and writing a record is seen by no client: it has to be quiet for long.
        Thread.sleep(POLL.toMillis() * 4);
      }
    }
    streams.close(
        CloseOptions.timeout(Duration.ofMinutes(1))
            .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
    if (failure[0] != null) throw new IllegalStateException(failure[0]);
  }

  /** How many records of its topics the application has not read and committed. */
  private static long unread(
      final Admin admin,
      final KafkaConsumer<byte[], byte[]> reader,
      final String id,
      final Set<String> inputs)
      throws Exception {
    final Map<TopicPartition, OffsetAndMetadata> committed =
        admin.listConsumerGroupOffsets(id).partitionsToOffsetAndMetadata().get();
    final Set<TopicPartition> places = new HashSet<>();
    reader
        .listTopics()
        .forEach(
            (topic, partitions) -> {
              final boolean internal =
                  topic.startsWith(id + "-")
                      && (topic.endsWith("-repartition") || topic.endsWith("-topic"));
              if (inputs.contains(topic) || internal) {
                partitions.forEach(p -> places.add(new TopicPartition(topic, p.partition())));
              }
            });
    final Map<TopicPartition, Long> ends = reader.endOffsets(places);
    final Map<TopicPartition, Long> starts = reader.beginningOffsets(places);
    final Map<TopicPartition, Long> behind = new HashMap<>();
    for (final TopicPartition place : places) {
      final OffsetAndMetadata found = committed.get(place);
      final long next = Math.max(found == null ? 0 : found.offset(), starts.get(place));
      if (next < ends.get(place)) behind.put(place, next);
    }
    long count = 0;
    for (final Map.Entry<TopicPartition, Long> each : behind.entrySet()) {
      reader.assign(List.of(each.getKey()));
      reader.seek(each.getKey(), each.getValue());
      // Markers of transactions have offsets, and are no records.
      while (reader.position(each.getKey()) < ends.get(each.getKey())) {
        final int found = reader.poll(POLL).count();
        count += found;
        if (found > 0) break;
      }
    }
    return count;
  }
}
