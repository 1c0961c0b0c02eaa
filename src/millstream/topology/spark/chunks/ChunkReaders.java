package millstream;

import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.kafka010.KafkaBatchInputPartition;
import org.apache.spark.util.CollectionAccumulator;

/** Makes the readers of a stage's topics, on the executors. */
public class ChunkReaders implements PartitionReaderFactory {
    private static final long serialVersionUID = 1L;

    /** The stage's index on the line. */
    final int stage;
    /** The group key of the task of each partition: as many as the stage has tasks. */
    final int[] keys;
    /** The most records of a chunk. */
    final int most;
    /** Above so many bytes a chunk takes no further record. */
    final int pieceBytes;
    /** What an Arrow stream of a chunk without headers begins with, and of one with headers. */
    final byte[] plain;
    final byte[] withHeaders;
    /** Whether the sinks are told of a range whose last offsets are of no record. */
    final boolean tellsEnds;
    /**
     * Where a task reports the number of its records and the nanoseconds that it took, as numbers;
     * and what was deleted before it was read, as text: topic, partition, and the offsets where
     * that begins and where reading went on.
     */
    final CollectionAccumulator measured;

    public ChunkReaders(
        int stage, int[] keys, int most, int pieceBytes, byte[] plain, byte[] withHeaders,
        boolean tellsEnds, CollectionAccumulator measured
    ) {
        this.stage = stage;
        this.keys = keys;
        this.most = most;
        this.pieceBytes = pieceBytes;
        this.plain = plain;
        this.withHeaders = withHeaders;
        this.tellsEnds = tellsEnds;
        this.measured = measured;
    }

    public PartitionReader createReader(InputPartition partition) {
        return new ChunkReader((KafkaBatchInputPartition) partition, this);
    }
}
