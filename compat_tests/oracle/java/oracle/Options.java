package oracle;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.AutoOffsetReset;
import org.apache.kafka.streams.kstream.*;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/** Serdes, windows, store builders and the DSL's configuration objects of a step. */
@SuppressWarnings({"unchecked", "rawtypes", "deprecation"})
final class Options {
  private Options() {}

  static Serde serde(final JsonNode n) {
    return n == null || n.isNull() || n.isMissingNode() ? null : serde(n.asText());
  }

  static Serde serde(final String s) {
    if (s.equals("string")) return Serdes.String();
    if (s.equals("long")) return Serdes.Long();
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
    if (has(m, "retention")) r = r.withRetention(ms(m.get("retention")));
    return r;
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
    StoreBuilder b;
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
