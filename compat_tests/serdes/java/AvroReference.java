import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;

/** Reads lines "writer's schema TAB reader's schema TAB bytes"; prints the bytes that the reader's schema gives. */
public class AvroReference {
    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] parts = line.split("\t", -1);
            try {
                System.out.println(answer(parts[0], parts[1], HexFormat.of().parseHex(parts[2])));
            } catch (Exception error) {
                System.out.println("refused: " + error.toString().replace('\n', ' '));
            }
        }
    }

    private static String answer(String writer, String reader, byte[] data) throws Exception {
        Schema from = new Schema.Parser().parse(writer);
        Schema to = new Schema.Parser().parse(reader);
        Object found = new GenericDatumReader<>(from, to).read(null, DecoderFactory.get().binaryDecoder(data, null));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(out, null);
        new GenericDatumWriter<>(to).write(found, encoder);
        return HexFormat.of().formatHex(out.toByteArray());
    }
}
