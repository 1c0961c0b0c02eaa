package harbour;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KeyValueMapper;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.KTable;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.ValueJoiner;
import org.apache.kafka.streams.kstream.ValueMapper;
import org.apache.kafka.streams.processor.TimestampExtractor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

public class Harbour {
    private static final Logger log = LoggerFactory.getLogger(Harbour.class);
    private final String arrivals;
    private final int limit;
    private int from = 1;

    public Harbour(final String arrivals, final int limit) {
        this.arrivals = arrivals;
        this.limit = limit;
    }

    public static class Ship {
        private String name;
        private long tons;

        public Ship() {}

        public Ship(final String name, final long tons) {
            this.name = name;
            this.tons = tons;
        }

        public String getName() { return name; }

        public void setName(final String name) { this.name = name; }

        public long getTons() { return tons; }

        @Override
        public boolean equals(final Object other) {
            return other instanceof Ship && Objects.equals(((Ship) other).name, name);
        }

        @Override
        public int hashCode() { return Objects.hash(name); }
    }

    static class ShipSerde implements Serializer<Ship>, Deserializer<Ship> {
        @Override
        public byte[] serialize(final String topic, final Ship ship) {
            return (ship.getName() + "/" + ship.getTons()).getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public Ship deserialize(final String topic, final byte[] data) {
            final String[] parts = new String(data, StandardCharsets.UTF_8).split(Pattern.quote("/"));
            return new Ship(parts[0], Long.parseLong(parts[1]));
        }
    }

    static class ByTons implements TimestampExtractor {
        @Override
        public long extract(final ConsumerRecord<Object, Object> record, final long partitionTime) {
            final int lambda = 0;
            return record.value() instanceof Ship ? ((Ship) record.value()).getTons() + lambda : partitionTime;
        }
    }

    public Topology build(final StreamsBuilder builder) {
        final Serde<Ship> ships = Serdes.serdeFrom(new ShipSerde(), new ShipSerde());
        final KTable<String, String> flags = builder.table("flags", Consumed.with(Serdes.String(), Serdes.String()));
        final KStream<String, String> heavy = builder
            .stream(arrivals, Consumed.with(Serdes.String(), ships).withTimestampExtractor(new ByTons()))
            .filter((harbour, ship) -> ship.getTons() >= limit && !(ship.getName() == null))
            .map(new KeyValueMapper<String, Ship, KeyValue<String, Ship>>() {
                @Override
                public KeyValue<String, Ship> apply(final String harbour, final Ship ship) {
                    ship.setName(ship.getName().trim());
                    log.info("{} arrives in {}", ship.getName(), harbour);
                    return new KeyValue<>(ship.getName(), ship);
                }
            })
            .mapValues(new ValueMapper<Ship, String>() {
                @Override
                public String apply(final Ship ship) {
                    return ship.getTons() > 1000L * from ? "big" : "small";
                }
            })
            .peek((name, size) -> System.out.println(name + ": " + size));
        heavy.leftJoin(flags, (ValueJoiner<String, String, String>) (size, flag) -> size + " under " + (flag == null ? "no flag" : flag))
            .flatMapValues(text -> text.length() > 99 ? Collections.emptyList() : Collections.singletonList(text))
            .to("moored", Produced.with(Serdes.String(), Serdes.String()));
        final Map<String, Object> unused = build(heavy, new StringBuilder("x"));
        return builder.build();
    }

    private Map<String, Object> build(final KStream<String, String> heavy, final StringBuilder text) {
        outer:
        for (int i = 0; ; i += 2) {
            break outer;
        }
        return Collections.emptyMap();
    }
}
