package oracle;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.state.AggregationWithHeaders;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.SessionBytesStoreSupplier;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.SessionStoreWithHeaders;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.StoreSupplier;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.TimestampedKeyValueStoreWithHeaders;
import org.apache.kafka.streams.state.TimestampedWindowStoreWithHeaders;
import org.apache.kafka.streams.state.ValueTimestampHeaders;
import org.apache.kafka.streams.state.WindowBytesStoreSupplier;
import org.apache.kafka.streams.state.WindowStore;

/** Stores that keep headers: suppliers, builders, and how their values are written. */
@SuppressWarnings({"rawtypes"})
final class HeaderStores {
  /** The supplier of stores of bytes of that name; null if there is none. */
  static StoreSupplier<?> supplier(final String kind, final String n, final JsonNode s) {
    final Duration retention = has(s, "retention") ? Options.ms(s.get("retention")) : null;
    final Duration size = has(s, "windowSize") ? Options.ms(s.get("windowSize")) : null;
    final boolean twice = s.path("retainDuplicates").asBoolean();
    switch (kind) {
      case "kv":
        return Stores.persistentKeyValueStore(n);
      case "kv-inmemory":
        return Stores.inMemoryKeyValueStore(n);
      case "kv-lru":
        return Stores.lruMap(n, s.get("size").asInt());
      case "tkv":
        return Stores.persistentTimestampedKeyValueStore(n);
      case "hkv":
        return Stores.persistentTimestampedKeyValueStoreWithHeaders(n);
      case "window":
        return Stores.persistentWindowStore(n, retention, size, twice);
      case "window-inmemory":
        return Stores.inMemoryWindowStore(n, retention, size, twice);
      case "twindow":
        return Stores.persistentTimestampedWindowStore(n, retention, size, twice);
      case "hwindow":
        return Stores.persistentTimestampedWindowStoreWithHeaders(n, retention, size, twice);
      case "session":
        return Stores.persistentSessionStore(n, retention);
      case "session-inmemory":
        return Stores.inMemorySessionStore(n, retention);
      case "hsession":
        return Stores.persistentSessionStoreWithHeaders(n, retention);
      default:
        return null;
    }
  }

  /** "headers over KIND", "timestamped over KIND", "plain over KIND"; null for other kinds. */
  static StoreBuilder<?> builder(final JsonNode s, final Serde<?> k, final Serde<?> v) {
    final String[] words = s.get("kind").asText().split(" over ");
    if (words.length != 2) return null;
    final StoreSupplier<?> made = supplier(words[1], s.get("name").asText(), s);
    if (made == null) throw new IllegalStateException("unknown store kind " + words[1]);
    final boolean headers = words[0].equals("headers");
    final boolean plain = words[0].equals("plain");
    if (made instanceof WindowBytesStoreSupplier) {
      final WindowBytesStoreSupplier w = (WindowBytesStoreSupplier) made;
      if (headers) return Stores.timestampedWindowStoreWithHeadersBuilder(w, k, v);
      return plain
          ? Stores.windowStoreBuilder(w, k, v)
          : Stores.timestampedWindowStoreBuilder(w, k, v);
    }
    if (made instanceof SessionBytesStoreSupplier) {
      final SessionBytesStoreSupplier w = (SessionBytesStoreSupplier) made;
      return headers
          ? Stores.sessionStoreWithHeadersBuilder(w, k, v)
          : Stores.sessionStoreBuilder(w, k, v);
    }
    final KeyValueBytesStoreSupplier w = (KeyValueBytesStoreSupplier) made;
    if (headers) return Stores.timestampedKeyValueStoreWithHeadersBuilder(w, k, v);
    return plain
        ? Stores.keyValueStoreBuilder(w, k, v)
        : Stores.timestampedKeyValueStoreBuilder(w, k, v);
  }

  /** The value that a token of a command stands for in this store; tokens are not "null". */
  static Object value(final Object store, final String type, final String s) {
    final String[] parts = s.split("~");
    final Object v = Shell.parse(type, parts[0]);
    if (store instanceof SessionStoreWithHeaders)
      return AggregationWithHeaders.make(v, headers(parts, 1));
    return ValueTimestampHeaders.make(v, Long.parseLong(parts[1]), headers(parts, 2));
  }

  static boolean keepsHeaders(final Object store) {
    return store instanceof TimestampedKeyValueStoreWithHeaders
        || store instanceof TimestampedWindowStoreWithHeaders
        || store instanceof SessionStoreWithHeaders;
  }

  /** The text of a value with headers; null for other objects. */
  static String str(final Object o) {
    if (o instanceof ValueTimestampHeaders) {
      final ValueTimestampHeaders<?> v = (ValueTimestampHeaders<?>) o;
      return Fns.str(v.value()) + "~" + v.timestamp() + suffix(v.headers());
    }
    if (o instanceof AggregationWithHeaders) {
      final AggregationWithHeaders<?> v = (AggregationWithHeaders<?>) o;
      return Fns.str(v.aggregation()) + suffix(v.headers());
    }
    return null;
  }

  /** Store and whether its values are timestamped, by the getter of "as". */
  static Object[] handle(final TopologyTestDriver d, final String n, final String as) {
    final StateStore raw = d.getAllStateStores().get(n);
    final boolean session = raw instanceof SessionStore;
    final boolean window = raw instanceof WindowStore;
    switch (as) {
      case "headers":
        if (session) return new Object[] {d.getSessionStoreWithHeaders(n), false};
        return new Object[] {
          window
              ? d.getTimestampedWindowStoreWithHeaders(n)
              : d.getTimestampedKeyValueStoreWithHeaders(n),
          true
        };
      case "timestamped":
        return new Object[] {
          window ? d.getTimestampedWindowStore(n) : d.getTimestampedKeyValueStore(n), true
        };
      case "plain":
        if (session) return new Object[] {d.getSessionStore(n), false};
        return new Object[] {window ? d.getWindowStore(n) : d.getKeyValueStore(n), false};
      default:
        throw new IllegalStateException("unknown view " + as);
    }
  }

  private static boolean has(final JsonNode n, final String f) {
    return n.has(f) && !n.get(f).isNull();
  }

  private static Headers headers(final String[] parts, final int at) {
    final Headers h = new RecordHeaders();
    if (parts.length > at)
      for (final String one : parts[at].split(";")) {
        final int i = one.indexOf('=');
        if (i < 0) h.add(one, null);
        else h.add(one.substring(0, i), Procs.b(one.substring(i + 1)));
      }
    return h;
  }

  private static String suffix(final Headers h) {
    final List<String> r = new ArrayList<>();
    for (final Header x : h)
      r.add(
          x.value() == null
              ? x.key()
              : x.key() + "=" + new String(x.value(), StandardCharsets.UTF_8));
    return r.isEmpty() ? "" : "~" + String.join(";", r);
  }
}
