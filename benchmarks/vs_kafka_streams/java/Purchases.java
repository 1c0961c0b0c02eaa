import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.streams.kstream.Produced;

/** A workload on Avro, without a schema registry; decoders and encoders are used again. */
final class Purchases {
    private static final Schema SCHEMA = new Schema.Parser().parse(String.join("\n",
        "{\"type\": \"record\", \"name\": \"Purchase\", \"fields\": [",
        "  {\"name\": \"user\", \"type\": \"string\"},",
        "  {\"name\": \"number\", \"type\": \"long\"},",
        "  {\"name\": \"amount\", \"type\": \"double\"},",
        "  {\"name\": \"tags\", \"type\": {\"type\": \"array\", \"items\": \"string\"}},",
        "  {\"name\": \"note\", \"type\": [\"null\", \"string\"], \"default\": null}]}"));

    private Purchases() {
    }

    static void doubled(Inputs inputs, String output) {
        inputs.stream(0, serde())
            .mapValues(purchase -> {
                purchase.put("amount", 2 * (Double) purchase.get("amount"));
                return purchase;
            })
            .to(output, Produced.with(Serdes.String(), serde()));
    }

    private static Serde<GenericRecord> serde() {
        return Serdes.serdeFrom(new Writer(), new Reader());
    }

    // Each thread of Kafka Streams may use the same serde, so each has its own decoder.
    private static final class Reader implements Deserializer<GenericRecord> {
        private final GenericDatumReader<GenericRecord> records = new GenericDatumReader<>(SCHEMA);
        private final ThreadLocal<BinaryDecoder> decoders = new ThreadLocal<>();

        @Override
        public GenericRecord deserialize(String topic, byte[] data) {
            if (data == null) {
                return null;
            }
            BinaryDecoder decoder = DecoderFactory.get().binaryDecoder(data, decoders.get());
            decoders.set(decoder);
            try {
                return records.read(null, decoder);
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
        }
    }

    private static final class Writer implements Serializer<GenericRecord> {
        private final GenericDatumWriter<GenericRecord> records = new GenericDatumWriter<>(SCHEMA);
        private final ThreadLocal<BinaryEncoder> encoders = new ThreadLocal<>();

        @Override
        public byte[] serialize(String topic, GenericRecord data) {
            if (data == null) {
                return null;
            }
            ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
            BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, encoders.get());
            encoders.set(encoder);
            try {
                records.write(data, encoder);
                encoder.flush();
            } catch (IOException error) {
                throw new UncheckedIOException(error);
            }
            return bytes.toByteArray();
        }
    }
}
