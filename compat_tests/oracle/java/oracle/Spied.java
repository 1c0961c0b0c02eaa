package oracle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.Serializer;

/** Serdes that note each call, and may add a header to what they are given. */
@SuppressWarnings({"unchecked", "rawtypes"})
public final class Spied {
  private static boolean wanted;
  private static boolean adds;
  private static boolean building;
  private static final List<String> CALLS = new ArrayList<>();

  private Spied() {}

  static void begin(final JsonNode sc) {
    wanted = sc.path("serdeCalls").asBoolean();
    adds = sc.path("serdeHeaders").asBoolean();
    building = true;
    CALLS.clear();
  }

  /** From here on serdes are those of topics and store commands. */
  static void built() {
    building = false;
    CALLS.clear();
  }

  static boolean active() {
    return wanted || adds;
  }

  static Serde of(final String type, final Serde inner) {
    return building && active() ? new Watched(type, inner) : inner;
  }

  static ArrayNode calls() {
    final ArrayNode a = Main.JSON.createArrayNode();
    CALLS.forEach(a::add);
    CALLS.clear();
    return a;
  }

  static boolean notes() {
    return wanted;
  }

  private static void note(
      final String what, final String type, final String topic, final Object data, final Headers h) {
    final StringBuilder b = new StringBuilder();
    b.append(what).append(' ').append(type).append(' ').append(topic).append(' ');
    b.append(Fns.str(data));
    if (h == null) {
      b.append(" without headers");
    } else {
      String sep = " ";
      for (final Header x : h) {
        b.append(sep).append(x.key());
        sep = ",";
      }
    }
    CALLS.add(b.toString());
  }

  /** A default serde. */
  public static final class Text extends Watched {
    public Text() {
      super("default", Serdes.String());
    }
  }

  static class Watched implements Serde, Serializer, Deserializer {
    private final String type;
    private final Serde inner;

    Watched(final String type, final Serde inner) {
      this.type = type;
      this.inner = inner;
    }

    @Override
    public void configure(final Map configs, final boolean isKey) {}

    @Override
    public void close() {}

    @Override
    public Serializer serializer() {
      return this;
    }

    @Override
    public Deserializer deserializer() {
      return this;
    }

    @Override
    public byte[] serialize(final String topic, final Object data) {
      note("write", type, topic, data, null);
      return inner.serializer().serialize(topic, data);
    }

    @Override
    public byte[] serialize(final String topic, final Headers headers, final Object data) {
      note("write", type, topic, data, headers);
      if (adds) headers.add("w", Fns.str(data).getBytes(StandardCharsets.UTF_8));
      return inner.serializer().serialize(topic, data);
    }

    @Override
    public Object deserialize(final String topic, final byte[] data) {
      final Object found = inner.deserializer().deserialize(topic, data);
      note("read", type, topic, found, null);
      return found;
    }

    @Override
    public Object deserialize(final String topic, final Headers headers, final byte[] data) {
      final Object found = inner.deserializer().deserialize(topic, data);
      note("read", type, topic, found, headers);
      return found;
    }
  }
}
