package millstream;

import java.util.EnumSet;
import java.util.Set;

import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.kafka010.KafkaMicroBatchStream;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import org.apache.spark.util.CollectionAccumulator;

/** The table of Spark's Kafka source, whose rows are chunks of records. */
public class ChunkTable implements Table, SupportsRead {
    private final SupportsRead kafka;
    private final StructType schema;
    private final ChunkReaders readers;
    private final CollectionAccumulator measured;
    private final BatchShares shares;

    public ChunkTable(
        SupportsRead kafka, StructType schema, ChunkReaders readers,
        CollectionAccumulator measured, BatchShares shares
    ) {
        this.kafka = kafka;
        this.schema = schema;
        this.readers = readers;
        this.measured = measured;
        this.shares = shares;
    }

    public String name() {
        return kafka.name();
    }

    public StructType schema() {
        return schema;
    }

    public Set capabilities() {
        return EnumSet.of(TableCapability.MICRO_BATCH_READ, TableCapability.BATCH_READ);
    }

    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
        return new Chunks(kafka.newScanBuilder(options).build());
    }

    private class Chunks implements ScanBuilder, Scan, Batch {
        private final Scan records;

        Chunks(Scan records) {
            this.records = records;
        }

        public Scan build() {
            return this;
        }

        public StructType readSchema() {
            return schema;
        }

        public String description() {
            return records.description();
        }

        public CustomMetric[] supportedCustomMetrics() {
            return records.supportedCustomMetrics();
        }

        public Batch toBatch() {
            return this;
        }

        public InputPartition[] planInputPartitions() {
            return records.toBatch().planInputPartitions();
        }

        public PartitionReaderFactory createReaderFactory() {
            return readers;
        }

        public MicroBatchStream toMicroBatchStream(String checkpoint) {
            KafkaMicroBatchStream stream =
                (KafkaMicroBatchStream) records.toMicroBatchStream(checkpoint);
            return new ChunkStream(stream, readers, measured, shares);
        }
    }
}
