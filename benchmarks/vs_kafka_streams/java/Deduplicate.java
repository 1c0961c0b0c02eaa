import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorContext;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/**
 * KIP-655 as one would write it today: the first record of each key within an interval passes.
 *
 * <p>One store has time and offset of each key's record that passed; the other has the same by time,
 * so that what is over can be found. It is looked for only when its first entry is over.
 */
final class Deduplicate extends ContextualFixedKeyProcessor<String, String, String> {
    private static final String SEEN = "seen";
    private static final String BY_TIME = "by-time";
    private static final byte[] NOTHING = new byte[0];

    private final long interval;
    private KeyValueStore<String, byte[]> seen;
    private KeyValueStore<Bytes, byte[]> byTime;
    private long streamTime = -1;
    private long earliest = Long.MIN_VALUE;

    private Deduplicate(Duration interval) {
        this.interval = interval.toMillis();
    }

    static FixedKeyProcessorSupplier<String, String, String> supplier(Duration interval) {
        return new FixedKeyProcessorSupplier<>() {
            @Override
            public FixedKeyProcessor<String, String, String> get() {
                return new Deduplicate(interval);
            }

            @Override
            public Set<StoreBuilder<?>> stores() {
                return Set.of(
                    Stores.keyValueStoreBuilder(
                        Stores.persistentKeyValueStore(SEEN), Serdes.String(), Serdes.ByteArray()),
                    Stores.keyValueStoreBuilder(
                        Stores.persistentKeyValueStore(BY_TIME), Serdes.Bytes(), Serdes.ByteArray()));
            }
        };
    }

    @Override
    public void init(FixedKeyProcessorContext<String, String> context) {
        super.init(context);
        seen = context.getStateStore(SEEN);
        byTime = context.getStateStore(BY_TIME);
    }

    @Override
    public void process(FixedKeyRecord<String, String> record) {
        RecordMetadata at = context().recordMetadata().orElseThrow();
        long timestamp = record.timestamp();
        streamTime = Math.max(streamTime, timestamp);
        purge();
        if (record.key() == null) {
            context().forward(record);
            return;
        }
        byte[] found = seen.get(record.key());
        if (found != null) {
            ByteBuffer before = ByteBuffer.wrap(found);
            boolean near = Math.abs(timestamp - before.getLong()) <= interval;
            if (near && before.getLong() != at.offset()) {
                return;
            }
        }
        context().forward(record);
        if (found == null && timestamp >= streamTime - interval) {
            seen.put(
                record.key(),
                ByteBuffer.allocate(16).putLong(timestamp).putLong(at.offset()).array());
            byTime.put(timed(timestamp, record.key()), NOTHING);
            earliest = Math.min(earliest, timestamp);
        }
    }

    private void purge() {
        if (earliest >= streamTime - interval) {
            return;
        }
        // From there on, so that what has been deleted before need not be stepped over.
        Bytes first = timed(Math.max(0, earliest), "");
        earliest = Long.MAX_VALUE;
        try (KeyValueIterator<Bytes, byte[]> entries = byTime.range(first, null)) {
            while (entries.hasNext()) {
                KeyValue<Bytes, byte[]> entry = entries.next();
                ByteBuffer key = ByteBuffer.wrap(entry.key.get());
                long timestamp = key.getLong();
                if (timestamp >= streamTime - interval) {
                    earliest = timestamp;
                    return;
                }
                seen.delete(StandardCharsets.UTF_8.decode(key).toString());
                byTime.delete(entry.key);
            }
        }
    }

    private static Bytes timed(long timestamp, String key) {
        byte[] text = key.getBytes(StandardCharsets.UTF_8);
        return Bytes.wrap(ByteBuffer.allocate(8 + text.length).putLong(timestamp).put(text).array());
    }
}
