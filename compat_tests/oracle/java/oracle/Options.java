package oracle;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.AutoOffsetReset;
import org.apache.kafka.streams.kstream.*;
import org.apache.kafka.streams.processor.StreamPartitioner;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.SessionBytesStoreSupplier;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.StoreSupplier;
import org.apache.kafka.streams.state.Stores;
import org.apache.kafka.streams.state.WindowBytesStoreSupplier;

/** Serdes, windows, store builders and the DSL's configuration objects of a step. */
@SuppressWarnings({"unchecked", "rawtypes", "deprecation"})
final class Options {
  private Options() {}

  static Serde serde(final JsonNode n) {
    return n == null || n.isNull() || n.isMissingNode() ? null : serde(n.asText());
  }

  static Serde serde(final String s) {
    if (s.equals("string")) return Spied.of(s, Serdes.String());
    if (s.equals("long")) return Spied.of(s, Serdes.Long());
    if (s.equals("builder"))
      return Serdes.serdeFrom(
          (topic, b) -> b == null ? null : b.toString().getBytes(StandardCharsets.UTF_8),
          (topic, b) -> b == null ? null : new StringBuilder(new String(b, StandardCharsets.UTF_8)));
    final String[] p = s.split(":");
    if (p[0].equals("tw"))
      return new WindowedSerdes.TimeWindowedSerde(serde(p[1]), Long.parseLong(p[2]));
    if (p[0].equals("sw")) return new WindowedSerdes.SessionWindowedSerde(serde(p[1]));
    throw new IllegalStateException("unknown serde " + s);
  }

  static Duration ms(final JsonNode n) {
    return Duration.ofMillis(n.asLong());
  }

  static boolean has(final JsonNode n, final String f) {
    return n.hasNonNull(f);
  }

  static Named named(final JsonNode st) {
    return has(st, "name") ? Named.as(st.get("name").asText()) : null;
  }

  static Consumed consumed(final JsonNode st) {
    Consumed c = Consumed.with(serde(st.get("key")), serde(st.get("value")));
    if (has(st, "ts")) c = c.withTimestampExtractor(Fns.tsExtractor(st.get("ts")));
    if (has(st, "name")) c = c.withName(st.get("name").asText());
    if (has(st, "reset"))
      c =
          c.withOffsetResetPolicy(
              st.get("reset").asText().equals("latest")
                  ? AutoOffsetReset.latest()
                  : AutoOffsetReset.earliest());
    return c;
  }

  static Materialized mat(final JsonNode m) {
    if (m == null || m.isNull()) return null;
    Materialized r;
    final Serde k = serde(m.get("key"));
    final Serde v = serde(m.get("value"));
    if (has(m, "store")) {
      final String name = m.get("store").asText();
      if (has(m, "historyRetention")) {
        r =
            Materialized.as(
                has(m, "segmentInterval")
                    ? Stores.persistentVersionedKeyValueStore(
                        name, ms(m.get("historyRetention")), ms(m.get("segmentInterval")))
                    : Stores.persistentVersionedKeyValueStore(name, ms(m.get("historyRetention"))));
      } else if (has(m, "supplier")) {
        final String kind = m.get("supplier").asText();
        final StoreSupplier<?> made =
            HeaderStores.supplier(kind.equals("lru") ? "kv-lru" : kind, name, m);
        if (made instanceof WindowBytesStoreSupplier)
          r = Materialized.as((WindowBytesStoreSupplier) made);
        else if (made instanceof SessionBytesStoreSupplier)
          r = Materialized.as((SessionBytesStoreSupplier) made);
        else if (made != null) r = Materialized.as((KeyValueBytesStoreSupplier) made);
        else r = Materialized.as(Stores.inMemoryKeyValueStore(name));
      } else {
        r = Materialized.as(name);
      }
      if (k != null) r = r.withKeySerde(k);
      if (v != null) r = r.withValueSerde(v);
    } else {
      r = Materialized.with(k, v);
    }
    if (has(m, "storeType")) {
      r =
          r.withStoreType(
              m.get("storeType").asText().equals("in_memory")
                  ? Materialized.StoreType.IN_MEMORY
                  : Materialized.StoreType.ROCKS_DB);
    }
    if (has(m, "caching"))
      r = m.get("caching").asBoolean() ? r.withCachingEnabled() : r.withCachingDisabled();
    if (has(m, "logging") && !m.get("logging").asBoolean()) r = r.withLoggingDisabled();
    if (has(m, "retention") && !has(m, "supplier")) r = r.withRetention(ms(m.get("retention")));
    return r;
  }

  /** Drops, sends to one partition, leaves it to Kafka, or fails, by value or by key. */
  static StreamPartitioner<Object, Object> partitioner(final JsonNode p) {
    if (p == null || p.isNull() || p.isMissingNode()) return null;
    final Object x = Fns.val(p.get(1));
    return (topic, k, v, n) -> {
      switch (p.get(0).asText()) {
        case "dropValue":
          return Optional.of(Objects.equals(v, x) ? Set.of() : Set.of(0));
        case "dropKey":
          return Optional.of(Objects.equals(k, x) ? Set.of() : Set.of(0));
        case "default":
          return Optional.empty();
        case "throwKey":
          if (Objects.equals(k, x)) throw new IllegalStateException("boom");
          return Optional.of(Set.of(0));
        default:
          throw new IllegalStateException("unknown partitioner " + p);
      }
    };
  }

  private static WindowBytesStoreSupplier joinStore(final JsonNode s) {
    final Duration retention = ms(s.get("retention"));
    final Duration size = ms(s.get("windowSize"));
    final boolean duplicates = s.path("retainDuplicates").asBoolean(true);
    final String name = s.get("name").asText();
    return s.get("kind").asText().equals("window-inmemory")
        ? Stores.inMemoryWindowStore(name, retention, size, duplicates)
        : Stores.persistentWindowStore(name, retention, size, duplicates);
  }

  static StreamJoined streamJoined(final JsonNode st) {
    StreamJoined sj =
        StreamJoined.with(serde(st.get("key")), serde(st.get("value")), serde(st.get("other")));
    if (has(st, "name")) sj = sj.withName(st.get("name").asText());
    if (has(st, "storeName")) sj = sj.withStoreName(st.get("storeName").asText());
    if (has(st, "logging"))
      sj =
          st.get("logging").asBoolean()
              ? sj.withLoggingEnabled(Collections.emptyMap())
              : sj.withLoggingDisabled();
    if (has(st, "storeType"))
      sj =
          sj.withDslStoreSuppliers(
              st.get("storeType").asText().equals("in_memory")
                  ? Materialized.StoreType.IN_MEMORY
                  : Materialized.StoreType.ROCKS_DB);
    if (has(st, "thisStore")) sj = sj.withThisStoreSupplier(joinStore(st.get("thisStore")));
    if (has(st, "otherStore")) sj = sj.withOtherStoreSupplier(joinStore(st.get("otherStore")));
    return sj;
  }

  static TableJoined tableJoined(final JsonNode st) {
    TableJoined tj =
        has(st, "partitioner") || has(st, "otherPartitioner")
            ? TableJoined.with(
                (StreamPartitioner) partitioner(st.get("partitioner")),
                (StreamPartitioner) partitioner(st.get("otherPartitioner")))
            : TableJoined.with(null, null);
    return has(st, "name") ? tj.withName(st.get("name").asText()) : tj;
  }

  static Object window(final JsonNode w) {
    final boolean g = has(w, "grace");
    switch (w.get("type").asText()) {
      case "tumbling":
      case "hopping":
        {
          TimeWindows t =
              g
                  ? TimeWindows.ofSizeAndGrace(ms(w.get("size")), ms(w.get("grace")))
                  : TimeWindows.ofSizeWithNoGrace(ms(w.get("size")));
          if (has(w, "advance")) t = t.advanceBy(ms(w.get("advance")));
          return t;
        }
      case "sliding":
        return g
            ? SlidingWindows.ofTimeDifferenceAndGrace(ms(w.get("diff")), ms(w.get("grace")))
            : SlidingWindows.ofTimeDifferenceWithNoGrace(ms(w.get("diff")));
      case "session":
        return g
            ? SessionWindows.ofInactivityGapAndGrace(ms(w.get("gap")), ms(w.get("grace")))
            : SessionWindows.ofInactivityGapWithNoGrace(ms(w.get("gap")));
      case "unlimited":
        return has(w, "start")
            ? UnlimitedWindows.of().startOn(Instant.ofEpochMilli(w.get("start").asLong()))
            : UnlimitedWindows.of();
      case "daily":
        return new OwnWindows.Daily(w);
      case "slots":
        return new OwnWindows.Slots(w);
      default:
        throw new IllegalStateException("unknown window " + w);
    }
  }

  static JoinWindows joinWindows(final JsonNode w) {
    final Duration d = ms(w.get("diff"));
    JoinWindows j =
        has(w, "grace")
            ? JoinWindows.ofTimeDifferenceAndGrace(d, ms(w.get("grace")))
            : JoinWindows.ofTimeDifferenceWithNoGrace(d);
    if (has(w, "before")) j = j.before(ms(w.get("before")));
    if (has(w, "after")) j = j.after(ms(w.get("after")));
    return j;
  }

  static StoreBuilder storeBuilder(final JsonNode s) {
    final String n = s.get("name").asText();
    final Serde k = serde(s.get("key"));
    final Serde v = serde(s.get("value"));
    StoreBuilder b = HeaderStores.builder(s, k, v);
    if (b != null) return flags(b, s);
    switch (s.get("kind").asText()) {
      case "kv":
        b = Stores.keyValueStoreBuilder(Stores.persistentKeyValueStore(n), k, v);
        break;
      case "kv-inmemory":
        b = Stores.keyValueStoreBuilder(Stores.inMemoryKeyValueStore(n), k, v);
        break;
      case "kv-lru":
        b = Stores.keyValueStoreBuilder(Stores.lruMap(n, s.get("size").asInt()), k, v);
        break;
      case "tkv":
        b =
            Stores.timestampedKeyValueStoreBuilder(
                Stores.persistentTimestampedKeyValueStore(n), k, v);
        break;
      case "tkv-inmemory":
        b = Stores.timestampedKeyValueStoreBuilder(Stores.inMemoryKeyValueStore(n), k, v);
        break;
      case "window":
        b =
            Stores.windowStoreBuilder(
                Stores.persistentWindowStore(
                    n,
                    ms(s.get("retention")),
                    ms(s.get("windowSize")),
                    s.path("retainDuplicates").asBoolean()),
                k,
                v);
        break;
      case "window-inmemory":
        b =
            Stores.windowStoreBuilder(
                Stores.inMemoryWindowStore(
                    n,
                    ms(s.get("retention")),
                    ms(s.get("windowSize")),
                    s.path("retainDuplicates").asBoolean()),
                k,
                v);
        break;
      case "twindow":
        b =
            Stores.timestampedWindowStoreBuilder(
                Stores.persistentTimestampedWindowStore(
                    n,
                    ms(s.get("retention")),
                    ms(s.get("windowSize")),
                    s.path("retainDuplicates").asBoolean()),
                k,
                v);
        break;
      case "session":
        b =
            Stores.sessionStoreBuilder(
                Stores.persistentSessionStore(n, ms(s.get("retention"))), k, v);
        break;
      case "session-inmemory":
        b =
            Stores.sessionStoreBuilder(
                Stores.inMemorySessionStore(n, ms(s.get("retention"))), k, v);
        break;
      case "versioned":
        b =
            Stores.versionedKeyValueStoreBuilder(
                has(s, "segmentInterval")
                    ? Stores.persistentVersionedKeyValueStore(
                        n, ms(s.get("historyRetention")), ms(s.get("segmentInterval")))
                    : Stores.persistentVersionedKeyValueStore(n, ms(s.get("historyRetention"))),
                k,
                v);
        break;
      default:
        throw new IllegalStateException("unknown store kind " + s);
    }
    return flags(b, s);
  }

  private static StoreBuilder flags(StoreBuilder b, final JsonNode s) {
    if (has(s, "caching"))
      b = s.get("caching").asBoolean() ? b.withCachingEnabled() : b.withCachingDisabled();
    if (has(s, "logging"))
      b =
          s.get("logging").asBoolean()
              ? b.withLoggingEnabled(Collections.emptyMap())
              : b.withLoggingDisabled();
    return b;
  }

  static String[] strings(final JsonNode a) {
    if (a == null || a.isNull()) return new String[0];
    final List<String> l = new ArrayList<>();
    a.forEach(x -> l.add(x.asText()));
    return l.toArray(new String[0]);
  }

  static Grouped grouped(final JsonNode st) {
    Grouped g = Grouped.with(serde(st.get("key")), serde(st.get("value")));
    return has(st, "name") ? g.withName(st.get("name").asText()) : g;
  }

  static Suppressed suppressed(final JsonNode st) {
    Suppressed.BufferConfig b = null;
    if (has(st, "maxRecords"))
      b = Suppressed.BufferConfig.maxRecords(st.get("maxRecords").asLong());
    if (has(st, "maxBytes"))
      b =
          b == null
              ? Suppressed.BufferConfig.maxBytes(st.get("maxBytes").asLong())
              : b.withMaxBytes(st.get("maxBytes").asLong());
    if (b == null) b = Suppressed.BufferConfig.unbounded();
    if (has(st, "full"))
      b = st.get("full").asText().equals("shutdown") ? b.shutDownWhenFull() : b.emitEarlyWhenFull();
    if (has(st, "logging") && !st.get("logging").asBoolean()) b = b.withLoggingDisabled();
    Suppressed s =
        st.get("until").asText().equals("windowCloses")
            ? Suppressed.untilWindowCloses((Suppressed.StrictBufferConfig) b)
            : Suppressed.untilTimeLimit(ms(st.get("ms")), b);
    return has(st, "name") ? (Suppressed) s.withName(st.get("name").asText()) : s;
  }
}
