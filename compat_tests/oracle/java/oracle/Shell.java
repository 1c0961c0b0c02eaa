package oracle;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.kstream.internals.SessionWindow;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.ValueAndTimestamp;
import org.apache.kafka.streams.state.VersionedKeyValueStore;
import org.apache.kafka.streams.state.WindowStore;

/** Command language over stores; used by the "shell" processor and by query events. */
@SuppressWarnings({"unchecked", "rawtypes"})
final class Shell {
  static Object parse(final String type, final String s) {
    if (s.equals("*") || s.equals("null")) return null;
    return type.equals("long") ? (Object) Long.parseLong(s) : s;
  }

  static String iter(final KeyValueIterator<?, ?> it) {
    final List<String> r = new ArrayList<>();
    try (it) {
      while (it.hasNext()) {
        final KeyValue<?, ?> e = it.next();
        r.add(Fns.str(e.key) + "=" + Fns.str(e.value));
      }
    }
    return "[" + String.join(",", r) + "]";
  }

  static String run(
      final Object st,
      final String kt,
      final String vt,
      final String cmd,
      final boolean timestamped) {
    final String[] c = cmd.split(" ");
    if (st instanceof VersionedKeyValueStore)
      return versioned((VersionedKeyValueStore) st, kt, vt, c);
    if (st instanceof WindowStore) return window((WindowStore) st, kt, vt, c, timestamped);
    if (st instanceof SessionStore) return session((SessionStore) st, kt, vt, c);
    if (st instanceof KeyValueStore) return kv((KeyValueStore) st, kt, vt, c, timestamped);
    throw new IllegalStateException("store type " + st);
  }

  /** value token; for timestamped stores "v~ts", with headers "v~ts~h=1;g" */
  private static Object value(
      final Object store, final String vt, final String s, final boolean timestamped) {
    if (HeaderStores.keepsHeaders(store) && !s.equals("null"))
      return HeaderStores.value(store, vt, s);
    if (!timestamped) return parse(vt, s);
    final int i = s.indexOf('~');
    if (s.equals("null")) return null;
    return ValueAndTimestamp.make(parse(vt, s.substring(0, i)), Long.parseLong(s.substring(i + 1)));
  }

  static String kv(
      final KeyValueStore s, final String kt, final String vt, final String[] c, final boolean ts) {
    switch (c[0]) {
      case "put":
        s.put(parse(kt, c[1]), value(s, vt, c[2], ts));
        return "ok";
      case "putIfAbsent":
        return Fns.str(s.putIfAbsent(parse(kt, c[1]), value(s, vt, c[2], ts)));
      case "putAll":
        {
          final List<KeyValue> l = new ArrayList<>();
          for (int i = 1; i + 1 < c.length; i += 2)
            l.add(KeyValue.pair(parse(kt, c[i]), value(s, vt, c[i + 1], ts)));
          s.putAll(l);
          return "ok";
        }
      case "delete":
        return Fns.str(s.delete(parse(kt, c[1])));
      case "get":
        return Fns.str(s.get(parse(kt, c[1])));
      case "range":
        return iter(s.range(parse(kt, c[1]), parse(kt, c[2])));
      case "reverseRange":
        return iter(s.reverseRange(parse(kt, c[1]), parse(kt, c[2])));
      case "all":
        return iter(s.all());
      case "reverseAll":
        return iter(s.reverseAll());
      case "prefixScan":
        return iter(s.prefixScan(c[1], new StringSerializer()));
      case "size":
        return String.valueOf(s.approximateNumEntries());
      default:
        throw new IllegalStateException("unknown command " + c[0]);
    }
  }

  static String window(
      final WindowStore s, final String kt, final String vt, final String[] c, final boolean ts) {
    switch (c[0]) {
      case "put":
        s.put(parse(kt, c[1]), value(s, vt, c[2], ts), Long.parseLong(c[3]));
        return "ok";
      case "get":
        return Fns.str(s.fetch(parse(kt, c[1]), Long.parseLong(c[2])));
      case "fetch":
        return iter(s.fetch(parse(kt, c[1]), t(c[2]), t(c[3])));
      case "backwardFetch":
        return iter(s.backwardFetch(parse(kt, c[1]), t(c[2]), t(c[3])));
      case "fetchRange":
        return iter(s.fetch(parse(kt, c[1]), parse(kt, c[2]), t(c[3]), t(c[4])));
      case "backwardFetchRange":
        return iter(s.backwardFetch(parse(kt, c[1]), parse(kt, c[2]), t(c[3]), t(c[4])));
      case "fetchAll":
        return iter(s.fetchAll(t(c[1]), t(c[2])));
      case "backwardFetchAll":
        return iter(s.backwardFetchAll(t(c[1]), t(c[2])));
      case "all":
        return iter(s.all());
      case "backwardAll":
        return iter(s.backwardAll());
      default:
        throw new IllegalStateException("unknown command " + c[0]);
    }
  }

  private static Instant t(final String s) {
    return Instant.ofEpochMilli(Long.parseLong(s));
  }

  private static long l(final String s) {
    return Long.parseLong(s);
  }

  static String session(final SessionStore s, final String kt, final String vt, final String[] c) {
    switch (c[0]) {
      case "put":
        s.put(
            new Windowed<>(parse(kt, c[1]), new SessionWindow(l(c[2]), l(c[3]))),
            value(s, vt, c[4], false));
        return "ok";
      case "remove":
        s.remove(new Windowed<>(parse(kt, c[1]), new SessionWindow(l(c[2]), l(c[3]))));
        return "ok";
      case "fetchSession":
        return Fns.str(s.fetchSession(parse(kt, c[1]), l(c[2]), l(c[3])));
      case "fetch":
        return iter(s.fetch(parse(kt, c[1])));
      case "backwardFetch":
        return iter(s.backwardFetch(parse(kt, c[1])));
      case "fetchRange":
        return iter(s.fetch(parse(kt, c[1]), parse(kt, c[2])));
      case "backwardFetchRange":
        return iter(s.backwardFetch(parse(kt, c[1]), parse(kt, c[2])));
      case "findSessions":
        return iter(s.findSessions(parse(kt, c[1]), l(c[2]), l(c[3])));
      case "backwardFindSessions":
        return iter(s.backwardFindSessions(parse(kt, c[1]), l(c[2]), l(c[3])));
      case "findSessionsRange":
        return iter(s.findSessions(parse(kt, c[1]), parse(kt, c[2]), l(c[3]), l(c[4])));
      case "backwardFindSessionsRange":
        return iter(s.backwardFindSessions(parse(kt, c[1]), parse(kt, c[2]), l(c[3]), l(c[4])));
      default:
        throw new IllegalStateException("unknown command " + c[0]);
    }
  }

  static String versioned(
      final VersionedKeyValueStore s, final String kt, final String vt, final String[] c) {
    switch (c[0]) {
      case "put":
        {
          final long r = s.put(parse(kt, c[1]), parse(vt, c[2]), l(c[3]));
          return r == VersionedKeyValueStore.PUT_RETURN_CODE_NOT_PUT
              ? "not_put"
              : String.valueOf(r);
        }
      case "delete":
        return Fns.str(s.delete(parse(kt, c[1]), l(c[2])));
      case "get":
        return Fns.str(c.length > 2 ? s.get(parse(kt, c[1]), l(c[2])) : s.get(parse(kt, c[1])));
      default:
        throw new IllegalStateException("unknown command " + c[0]);
    }
  }
}
