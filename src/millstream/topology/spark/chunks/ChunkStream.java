package millstream;

import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.apache.spark.sql.connector.read.streaming.ReportsSourceMetrics;
import org.apache.spark.sql.connector.read.streaming.SupportsTriggerAvailableNow;
import org.apache.spark.sql.kafka010.KafkaMicroBatchStream;
import org.apache.spark.util.CollectionAccumulator;

/** Spark's own stream of a Kafka source in all that concerns offsets; only its readers are ours. */
public class ChunkStream
    implements SupportsTriggerAvailableNow, ReportsSourceMetrics, MicroBatchStream {
    private final KafkaMicroBatchStream kafka;
    private final ChunkReaders readers;
    private final CollectionAccumulator measured;

    public ChunkStream(
        KafkaMicroBatchStream kafka, ChunkReaders readers, CollectionAccumulator measured
    ) {
        this.kafka = kafka;
        this.readers = readers;
        this.measured = measured;
    }

    /** Return Spark's own stream, for what asks after its clients. */
    public KafkaMicroBatchStream kafka() {
        return kafka;
    }

    public InputPartition[] planInputPartitions(Offset start, Offset end) {
        return kafka.planInputPartitions(start, end);
    }

    public PartitionReaderFactory createReaderFactory() {
        return readers;
    }

    /** Add how many records the batch's tasks have read, and how long the slowest took for it. */
    public Map metrics(Optional latestConsumed) {
        Map found = new HashMap(kafka.metrics(latestConsumed));
        List each = measured.value();
        measured.reset();
        long records = 0;
        long longest = 0;
        for (Iterator numbers = each.iterator(); numbers.hasNext();) {
            records += ((Long) numbers.next()).longValue();
            longest = Math.max(longest, ((Long) numbers.next()).longValue());
        }
        found.put("millstreamRecords", Long.toString(records));
        found.put("millstreamReadMs", Double.toString(longest / 1e6));
        return found;
    }

    public void prepareForTriggerAvailableNow() {
        kafka.prepareForTriggerAvailableNow();
    }

    public ReadLimit getDefaultReadLimit() {
        return kafka.getDefaultReadLimit();
    }

    public Offset latestOffset(Offset start, ReadLimit limit) {
        return kafka.latestOffset(start, limit);
    }

    public Offset latestOffset() {
        return kafka.latestOffset();
    }

    public Offset reportLatestOffset() {
        return kafka.reportLatestOffset();
    }

    public Offset initialOffset() {
        return kafka.initialOffset();
    }

    public Offset deserializeOffset(String json) {
        return kafka.deserializeOffset(json);
    }

    public void commit(Offset end) {
        kafka.commit(end);
    }

    public void stop() {
        kafka.stop();
    }

    public String toString() {
        return "MillstreamChunks[" + kafka + "]";
    }
}
