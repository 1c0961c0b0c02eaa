package toll;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.*;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.WindowStore;

/** Cars pass gates; the road wants to know how many, and who did not pay. */
public final class TollRoad {
    public static final String PASSES = "passes";
    static final String COUNTS = "counts";
    static final Duration WINDOW = Duration.ofMinutes(5);
    private static final Map<String, Integer> PRICES = Map.of("car", 3, "truck", 9);

    private TollRoad() {}

    enum Lane { LEFT, RIGHT }

    /** A car or a truck at a gate. */
    record Pass(String gate, String kind, int wheels) {
        static Pass parse(String line) {
            final String[] parts = line.split(",");
            return new Pass(parts[0].trim(), parts[1], Integer.parseInt(parts[2]));
        }

        boolean isTruck() {
            return wheels > 4 || "truck".equals(kind);
        }
    }

    /** Remembers the last kind of each gate. */
    static class LastKind extends ContextualProcessor<String, String, String, String> {
        private KeyValueStore<String, String> last;

        @Override
        public void process(final Record<String, String> record) {
            last = context().getStateStore("last");
            final String before = last.get(record.key());
            if (before != null && !before.equals(record.value())) {
                context().forward(record.withValue(before + " then " + record.value()));
            }
            last.put(record.key(), record.value());
            try (final KeyValueIterator<String, String> all = last.all()) {
                while (all.hasNext()) {
                    final KeyValue<String, String> entry = all.next();
                    if (entry.value.isEmpty()) {
                        last.delete(entry.key);
                    }
                }
            }
        }
    }

    static int price(final String kind, final int wheels) {
        int price = PRICES.getOrDefault(kind, 5);
        for (int axle = 2; axle < wheels / 2; axle++) {
            price += 2;
        }
        switch (kind) {
            case "bus":
            case "tram":
                price = 0;
                break;
            default:
                price = Math.max(price, 1);
        }
        return price;
    }

    static Topology topology() {
        final StreamsBuilder builder = new StreamsBuilder();
        builder.addStateStore(Stores.keyValueStoreBuilder(
            Stores.inMemoryKeyValueStore("last"), Serdes.String(), Serdes.String()));
        final KStream<String, String> lines =
            builder.stream(PASSES, Consumed.with(Serdes.String(), Serdes.String()));
        final KStream<String, Pass> passes = lines
            .filter((key, line) -> line != null && line.contains(","))
            .mapValues(line -> Pass.parse(line.toLowerCase(Locale.ROOT)));
        // How many pass each gate.
        passes.map((key, pass) -> KeyValue.pair(pass.gate(), pass.kind()))
            .groupByKey(Grouped.with(Serdes.String(), Serdes.String()))
            .windowedBy(TimeWindows.ofSizeWithNoGrace(WINDOW))
            .count(Materialized.<String, Long, WindowStore<Bytes, byte[]>>as("counts-store"))
            .toStream()
            .map((window, count) -> new KeyValue<>(
                String.format("%s@%d", window.key(), window.window().start()), count))
            .to(COUNTS, Produced.with(Serdes.String(), Serdes.Long()));
        passes.mapValues(pass -> {
            final List<String> words = new ArrayList<>();
            for (final String word : Arrays.asList(pass.gate(), pass.kind())) {
                words.add(word.toUpperCase());
            }
            Map<String, Integer> lengths = new HashMap<>();
            words.forEach(word -> lengths.put(word, word.length()));
            final String joined = words.stream().filter(word -> !word.isEmpty()).collect(Collectors.joining("-"));
            return joined + ":" + price(pass.kind(), pass.wheels()) + (pass.isTruck() ? "!" : "");
        }).to("priced", Produced.with(Serdes.String(), Serdes.String()));
        passes.split(Named.as("side-"))
            .branch((key, pass) -> pass.wheels() % 4 == 0, Branched.withConsumer(even -> even.mapValues(Pass::kind).to("even")))
            .defaultBranch(Branched.withConsumer(odd -> odd.mapValues(pass -> Lane.LEFT.name()).to("odd")));
        lines.process(LastKind::new, "last").to("changes");
        return builder.build();
    }

    public static void main(final String[] args) {
        final Properties settings = new Properties();
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "toll-road");
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, args.length > 0 ? args[0] : "localhost:9092");
        settings.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.String().getClass().getName());
        settings.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        final KafkaStreams streams = new KafkaStreams(topology(), settings);
        streams.start();
        Runtime.getRuntime().addShutdownHook(new Thread(streams::close));
    }
}
