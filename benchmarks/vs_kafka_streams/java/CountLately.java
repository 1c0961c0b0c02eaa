import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.TimestampedKeyValueStore;
import org.apache.kafka.streams.state.ValueAndTimestamp;

/**
 * Counts each key's records; a key that has not come for 20 s begins anew.
 *
 * <p>A punctuation deletes such keys every 10 s of stream time. When it does makes no difference to
 * the counts.
 */
final class CountLately extends ContextualProcessor<String, String, String, Long> {
    static final String STORE = "lately";
    private static final long EXPIRY_MS = 20_000;
    private static final Duration SWEEP = Duration.ofSeconds(10);

    private TimestampedKeyValueStore<String, Long> lately;

    static StoreBuilder<TimestampedKeyValueStore<String, Long>> store() {
        return Stores.timestampedKeyValueStoreBuilder(
            Stores.persistentTimestampedKeyValueStore(STORE), Serdes.String(), Serdes.Long());
    }

    @Override
    public void init(ProcessorContext<String, Long> context) {
        super.init(context);
        lately = context.getStateStore(STORE);
        context.schedule(SWEEP, PunctuationType.STREAM_TIME, this::sweep);
    }

    @Override
    public void process(Record<String, String> record) {
        long now = record.timestamp();
        ValueAndTimestamp<Long> found = lately.get(record.key());
        boolean over = found == null || now - found.timestamp() > EXPIRY_MS;
        long count = over ? 1 : found.value() + 1;
        lately.put(record.key(), ValueAndTimestamp.make(count, now));
        context().forward(record.withValue(count));
    }

    private void sweep(long now) {
        List<String> over = new ArrayList<>();
        try (KeyValueIterator<String, ValueAndTimestamp<Long>> entries = lately.all()) {
            while (entries.hasNext()) {
                KeyValue<String, ValueAndTimestamp<Long>> entry = entries.next();
                if (now - entry.value.timestamp() > EXPIRY_MS) {
                    over.add(entry.key);
                }
            }
        }
        over.forEach(lately::delete);
    }
}
