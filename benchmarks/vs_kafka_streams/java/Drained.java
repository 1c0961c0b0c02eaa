import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.KafkaStreams;

/**
 * Waits until a topology that sends records back to itself has nothing left to do: what the input
 * has made of the caches is committed, and nothing has been read from the application's own topics
 * or written to them for two seconds. (How much was read and written cannot be compared: a task
 * that moves to another thread begins to count anew.)
 */
final class Drained {
    private static final Duration POLL = Duration.ofMillis(5);
    private static final Duration QUIET = Duration.ofSeconds(2);

    private static final Set<String> COUNTED =
        Set.of("records-produced-total", "records-consumed-total");

    private final KafkaStreams streams;
    private final Properties config;
    private final Map<TopicPartition, Long> goals = new HashMap<>();

    Drained(KafkaStreams streams, Properties config, String[] inputs, long[] end) {
        this.streams = streams;
        this.config = config;
        int partitions = end.length / inputs.length;
        for (int index = 0; index < end.length; index++) {
            goals.put(new TopicPartition(inputs[index / partitions], index % partitions), end[index]);
        }
    }

    /** Returns for how many milliseconds of its waiting there had been nothing left to do. */
    long await() throws Exception {
        Properties client = new Properties();
        client.put("bootstrap.servers", config.get("bootstrap.servers"));
        try (Admin admin = Admin.create(client)) {
            while (!committed(admin)) {
                Thread.sleep(POLL.toMillis());
            }
        }
        long since = System.nanoTime();
        double before = -1;
        while (System.nanoTime() - since < QUIET.toNanos()) {
            double passed = passed();
            if (passed != before) {
                since = System.nanoTime();
                before = passed;
            }
            Thread.sleep(POLL.toMillis());
        }
        return Duration.ofNanos(System.nanoTime() - since).toMillis();
    }

    private boolean committed(Admin admin) throws Exception {
        Map<TopicPartition, OffsetAndMetadata> offsets = admin
            .listConsumerGroupOffsets(config.getProperty("application.id"))
            .partitionsToOffsetAndMetadata()
            .get();
        return goals.entrySet().stream().allMatch(goal -> {
            OffsetAndMetadata offset = offsets.get(goal.getKey());
            return offset != null && offset.offset() >= goal.getValue();
        });
    }

    /** How many records were read from the application's own topics and written to them. */
    private double passed() {
        String own = config.getProperty("application.id") + "-";
        double total = 0;
        for (Metric metric : streams.metrics().values()) {
            String topic = metric.metricName().tags().get("topic");
            if (COUNTED.contains(metric.metricName().name()) && topic != null
                && topic.startsWith(own) && topic.endsWith("-topic")) {
                total += (Double) metric.metricValue();
            }
        }
        return total;
    }
}
