package depot;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Function;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.*;
import org.apache.kafka.streams.kstream.*;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

import static org.apache.kafka.streams.StreamsConfig.*;

public class ParcelDelays {
    static final Map<String, Long> SEEN = new HashMap<>();

    record Scan(String depot, long minutes) {}

    static class Late extends ContextualProcessor<String, Scan, String, Long> {
        private KeyValueStore<String, Long> worst;

        @Override
        public void process(Record<String, Scan> record) {
            worst = context().getStateStore("worst");
            var before = worst.get(record.key());
            try (KeyValueIterator<String, Long> all = worst.all()) {
                System.out.println(all.next().key);
            }
            context().forward(record.withValue(record.value().minutes()));
            context().commit();
        }
    }

    /** A class of our own with methods of the same names. */
    static class Shelf {
        Shelf map(String from) { return this; }
        Shelf filter(String by) { return this; }
        long count() { return 0; }
    }

    static Topology build() {
        StreamsBuilder builder = new StreamsBuilder();
        KStream<String, String> lines = builder.stream("scans", Consumed.with(Serdes.String(), Serdes.String()));
        KStream<String, Long>[] split = lines.mapValues(line -> (long) line.length())
            .branch((depot, length) -> length > 3, (depot, length) -> true);
        split[0].to("long");
        lines.groupByKey()
            .windowedBy(TimeWindows.of(Duration.ofMinutes(5)))
            .count(Materialized.<String, Long, org.apache.kafka.streams.state.WindowStore<Bytes, byte[]>>as("counts"))
            .toStream()
            .map((window, count) -> KeyValue.pair(window.key() + "@" + window.window().start(), count))
            .to("counted", Produced.with(Serdes.String(), Serdes.Long()));
        List<String> names = List.of("a", "b");
        names.stream().map(name -> name.split(":")).filter(parts -> parts.length > 1).count();
        new Shelf().map("x").filter("y").count();
        Warehouse.open().filter(null).to("nowhere");
        return builder.build();
    }

    static Function<KStream<String, Scan>, KStream<String, Long>> delays() {
        return scans -> scans.process(Late::new).mapValues(value -> value);
    }

    public static void main(String[] args) throws Exception {
        Properties settings = new Properties();
        settings.put(APPLICATION_ID_CONFIG, "parcels");
        settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 4);
        KafkaStreams streams = new KafkaStreams(build(), settings);
        Runtime.getRuntime().addShutdownHook(new Thread(streams::close));
        streams.start();
        Thread.sleep(System.currentTimeMillis() % 10);
    }
}
