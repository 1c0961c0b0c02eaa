package oracle;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.kstream.Windowed;
import org.apache.kafka.streams.processor.FailOnInvalidTimestamp;
import org.apache.kafka.streams.processor.LogAndSkipOnInvalidTimestamp;
import org.apache.kafka.streams.processor.RecordContext;
import org.apache.kafka.streams.processor.TimestampExtractor;
import org.apache.kafka.streams.processor.TopicNameExtractor;
import org.apache.kafka.streams.processor.UsePartitionTimeOnInvalidTimestamp;
import org.apache.kafka.streams.processor.WallclockTimestampExtractor;
import org.apache.kafka.streams.state.ValueAndTimestamp;
import org.apache.kafka.streams.state.VersionedRecord;

/** The fixed library of named functions (see FORMAT.md, section "Functions"). */
final class Fns {
  interface F {
    Object apply(Object k, Object v);
  }

  interface P {
    boolean test(Object k, Object v);
  }

  interface A {
    Object apply(Object k, Object v, Object agg);
  }

  interface FlatV {
    List<Object> apply(Object k, Object v);
  }

  interface FlatKV {
    List<KeyValue<Object, Object>> apply(Object k, Object v);
  }

  static Object val(final JsonNode n) {
    if (n == null || n.isNull() || n.isMissingNode()) return null;
    if (n.isTextual()) return n.asText();
    if (n.isIntegralNumber()) return n.asLong();
    if (n.has("builder")) return new StringBuilder(n.get("builder").asText());
    throw new IllegalStateException("bad scenario value " + n);
  }

  static String str(final Object o) {
    if (o == null) return "null";
    final String headed = HeaderStores.str(o);
    if (headed != null) return headed;
    if (o instanceof Windowed) {
      final Windowed<?> w = (Windowed<?>) o;
      return str(w.key()) + "@" + w.window().start() + "/" + w.window().end();
    }
    if (o instanceof ValueAndTimestamp) {
      final ValueAndTimestamp<?> v = (ValueAndTimestamp<?>) o;
      return str(v.value()) + "~" + v.timestamp();
    }
    if (o instanceof VersionedRecord) {
      final VersionedRecord<?> v = (VersionedRecord<?>) o;
      return str(v.value())
          + "~"
          + v.timestamp()
          + (v.validTo().isPresent() ? ".." + v.validTo().get() : "");
    }
    return o.toString();
  }

  private static String name(final JsonNode n) {
    return n.isArray() ? n.get(0).asText() : n.asText();
  }

  private static long num(final Object o) {
    return o == null ? 0L : (Long) o;
  }

  private static String part(final Object o, final String sep, final int i) {
    final String[] p = str(o).split(sep, -1);
    return i < p.length && !p[i].isEmpty() ? p[i] : null;
  }

  static F fn(final JsonNode n) {
    final JsonNode a = n.isArray() && n.size() > 1 ? n.get(1) : null;
    switch (name(n)) {
      case "k":
        return (k, v) -> k;
      case "v":
        return (k, v) -> v;
      case "null":
        return (k, v) -> null;
      case "const":
        {
          final Object c = val(a);
          return (k, v) -> c;
        }
      case "nullTo":
        {
          final Object c = val(a);
          return (k, v) -> v == null ? c : v;
        }
      case "kv":
        return (k, v) -> v == null ? null : str(k) + ":" + str(v);
      case "keyStr":
        return (k, v) -> str(k);
      case "keyField":
        {
          final int i = a.asInt();
          return (k, v) -> part(k, "-", i);
        }
      case "keyPrefix":
        {
          final int i = a.asInt();
          return (k, v) -> {
            final String s = str(k);
            return s.substring(0, Math.min(i, s.length()));
          };
        }
      case "windowKey":
        return (k, v) -> ((Windowed<?>) k).key();
      case "windowStart":
        return (k, v) -> ((Windowed<?>) k).window().start();
      case "windowEnd":
        return (k, v) -> ((Windowed<?>) k).window().end();
      default:
    }
    final F f;
    switch (name(n)) {
      case "upper":
        f = (k, v) -> ((String) v).toUpperCase(java.util.Locale.ROOT);
        break;
      case "append":
        {
          final String s = a.asText();
          f = (k, v) -> str(v) + s;
          break;
        }
      case "add":
        {
          final long x = a.asLong();
          f = (k, v) -> (Long) v + x;
          break;
        }
      case "mul":
        {
          final long x = a.asLong();
          f = (k, v) -> (Long) v * x;
          break;
        }
      case "mod":
        {
          final long x = a.asLong();
          f = (k, v) -> "m" + Math.floorMod((Long) v, x);
          break;
        }
      case "length":
        f = (k, v) -> (long) str(v).length();
        break;
      case "toString":
        f = (k, v) -> str(v);
        break;
      case "toLong":
        f = (k, v) -> Long.parseLong(str(v));
        break;
      case "nullIf":
        {
          final Object c = val(a);
          f = (k, v) -> v.equals(c) ? null : v;
          break;
        }
      case "field":
        {
          final int i = a.asInt();
          f = (k, v) -> part(v, ",", i);
          break;
        }
      case "first":
        f = (k, v) -> str(v).isEmpty() ? null : str(v).substring(0, 1);
        break;
      case "throwIf":
        {
          final Object c = val(a);
          f =
              (k, v) -> {
                if (v.equals(c)) throw new IllegalStateException("boom");
                return v;
              };
          break;
        }
      default:
        throw new IllegalStateException("unknown fn " + n);
    }
    return (k, v) -> v == null ? null : f.apply(k, v);
  }

  static P pred(final JsonNode n) {
    final JsonNode a = n.isArray() && n.size() > 1 ? n.get(1) : null;
    switch (name(n)) {
      case "true":
        return (k, v) -> true;
      case "false":
        return (k, v) -> false;
      case "notNull":
        return (k, v) -> v != null;
      case "isNull":
        return (k, v) -> v == null;
      case "keyNotNull":
        return (k, v) -> k != null;
      case "is":
        {
          final Object c = val(a);
          return (k, v) -> Objects.equals(v, c);
        }
      case "keyIs":
        {
          final Object c = val(a);
          return (k, v) -> Objects.equals(k, c);
        }
      case "gt":
        {
          final long x = a.asLong();
          return (k, v) -> v != null && (Long) v > x;
        }
      case "lt":
        {
          final long x = a.asLong();
          return (k, v) -> v != null && (Long) v < x;
        }
      case "even":
        return (k, v) -> v != null && Math.floorMod((Long) v, 2L) == 0;
      case "contains":
        {
          final String s = a.asText();
          return (k, v) -> v != null && str(v).contains(s);
        }
      case "lenGt":
        {
          final long x = a.asLong();
          return (k, v) -> v != null && str(v).length() > x;
        }
      case "not":
        {
          final P p = pred(a);
          return (k, v) -> !p.test(k, v);
        }
      default:
        throw new IllegalStateException("unknown predicate " + n);
    }
  }

  static A agg(final JsonNode n) {
    final JsonNode a = n.isArray() && n.size() > 1 ? n.get(1) : null;
    switch (name(n)) {
      case "sum":
        return (k, v, g) -> num(g) + num(v);
      case "sub":
        return (k, v, g) -> num(g) - num(v);
      case "max":
        return (k, v, g) -> g == null ? v : v == null ? g : (Object) Math.max((Long) g, (Long) v);
      case "min":
        return (k, v, g) -> g == null ? v : v == null ? g : (Object) Math.min((Long) g, (Long) v);
      case "count":
        return (k, v, g) -> num(g) + 1;
      case "uncount":
        return (k, v, g) -> num(g) - 1;
      case "gather":
        return (k, v, g) -> ((StringBuilder) g).append(str(v));
      case "scatter":
        return (k, v, g) -> {
          final int i = ((StringBuilder) g).indexOf(str(v));
          return i < 0 ? g : ((StringBuilder) g).delete(i, i + str(v).length());
        };
      case "concat":
        return (k, v, g) -> (g == null ? "" : (String) g) + str(v);
      case "plus":
        return (k, v, g) -> (g == null ? "" : (String) g) + "+" + str(v);
      case "minus":
        return (k, v, g) -> (g == null ? "" : (String) g) + "-" + str(v);
      case "keyConcat":
        return (k, v, g) -> (g == null ? "" : (String) g) + str(k) + str(v) + ";";
      case "remove":
        return (k, v, g) -> {
          final String s = g == null ? "" : (String) g;
          final String x = str(v);
          final int i = s.indexOf(x);
          return i < 0 ? s : s.substring(0, i) + s.substring(i + x.length());
        };
      case "last":
        return (k, v, g) -> v;
      case "first":
        return (k, v, g) -> g;
      case "nullIf":
        {
          final Object c = val(a);
          final A inner = agg(n.get(2));
          return (k, v, g) -> Objects.equals(v, c) ? null : inner.apply(k, v, g);
        }
      default:
        throw new IllegalStateException("unknown aggregator " + n);
    }
  }

  static A joiner(final JsonNode n) {
    final JsonNode a = n.isArray() && n.size() > 1 ? n.get(1) : null;
    switch (name(n)) {
      case "pair":
        return (k, l, r) -> "(" + str(l) + "," + str(r) + ")";
      case "keyPair":
        return (k, l, r) -> str(k) + "(" + str(l) + "," + str(r) + ")";
      case "sum":
        return (k, l, r) -> num(l) + num(r);
      case "left":
        return (k, l, r) -> l;
      case "right":
        return (k, l, r) -> r;
      case "nullIfLeft":
        {
          final Object c = val(a);
          return (k, l, r) -> Objects.equals(l, c) ? null : "(" + str(l) + "," + str(r) + ")";
        }
      default:
        throw new IllegalStateException("unknown joiner " + n);
    }
  }

  static FlatV flatV(final JsonNode n) {
    switch (name(n)) {
      case "words":
        return (k, v) -> {
          final List<Object> r = new ArrayList<>();
          if (v != null) for (final String w : str(v).split(" ")) if (!w.isEmpty()) r.add(w);
          return r;
        };
      case "chars":
        return (k, v) -> {
          final List<Object> r = new ArrayList<>();
          if (v != null) for (final char c : str(v).toCharArray()) r.add(String.valueOf(c));
          return r;
        };
      case "none":
        return (k, v) -> new ArrayList<>();
      case "each":
        {
          final List<F> fs = new ArrayList<>();
          n.get(1).forEach(x -> fs.add(fn(x)));
          return (k, v) -> {
            final List<Object> r = new ArrayList<>();
            for (final F f : fs) r.add(f.apply(k, v));
            return r;
          };
        }
      default:
        throw new IllegalStateException("unknown flat fn " + n);
    }
  }

  static FlatKV flatKV(final JsonNode n) {
    switch (name(n)) {
      case "wordsAsKeys":
        {
          final FlatV w = flatV(Main.JSON.getNodeFactory().textNode("words"));
          return (k, v) -> {
            final List<KeyValue<Object, Object>> r = new ArrayList<>();
            for (final Object x : w.apply(k, v)) r.add(KeyValue.pair(x, v));
            return r;
          };
        }
      case "none":
        return (k, v) -> new ArrayList<>();
      case "pairs":
        {
          final List<F[]> fs = new ArrayList<>();
          n.get(1).forEach(x -> fs.add(new F[] {fn(x.get(0)), fn(x.get(1))}));
          return (k, v) -> {
            final List<KeyValue<Object, Object>> r = new ArrayList<>();
            for (final F[] f : fs) r.add(KeyValue.pair(f[0].apply(k, v), f[1].apply(k, v)));
            return r;
          };
        }
      default:
        throw new IllegalStateException("unknown flat fn " + n);
    }
  }

  static TimestampExtractor tsExtractor(final JsonNode n) {
    if (n == null || n.isNull()) return null;
    switch (name(n)) {
      case "failOnInvalid":
        return new FailOnInvalidTimestamp();
      case "logAndSkip":
        return new LogAndSkipOnInvalidTimestamp();
      case "usePartitionTime":
        return new UsePartitionTimeOnInvalidTimestamp();
      case "wallclock":
        return new WallclockTimestampExtractor();
      case "valueTs":
        return (r, pt) -> r.value() instanceof Long ? (Long) r.value() : r.timestamp();
      case "valueField":
        {
          final int i = n.get(1).asInt();
          return (r, pt) -> {
            final String s = part(r.value(), ",", i);
            return s == null ? -1L : Long.parseLong(s);
          };
        }
      case "partitionTimeIfNeg":
        {
          final int i = n.get(1).asInt();
          return (r, pt) -> {
            final String s = part(r.value(), ",", i);
            final long t = s == null ? -1L : Long.parseLong(s);
            return t < 0 ? pt : t;
          };
        }
      default:
        throw new IllegalStateException("unknown timestamp extractor " + n);
    }
  }

  static final class TopicExtractor implements TopicNameExtractor<Object, Object> {
    private final JsonNode n;

    TopicExtractor(final JsonNode n) {
      this.n = n;
    }

    @Override
    public String extract(final Object k, final Object v, final RecordContext c) {
      switch (name(n)) {
        case "valueFirst":
          return n.get(1).asText()
              + (v == null || str(v).isEmpty() ? "none" : str(v).substring(0, 1));
        case "key":
          return n.get(1).asText() + str(k);
        case "header":
          {
            final Header h = c.headers().lastHeader(n.get(1).asText());
            return h == null
                ? n.get(2).asText()
                : new String(h.value(), java.nio.charset.StandardCharsets.UTF_8);
          }
        case "sourceTopic":
          return n.get(1).asText() + c.topic();
        case "parity":
          return n.get(1).asText() + (c.timestamp() % 2 == 0 ? "even" : "odd");
        default:
          throw new IllegalStateException("unknown topic extractor " + n);
      }
    }

    @Override
    public String toString() {
      return name(n);
    }
  }
}
