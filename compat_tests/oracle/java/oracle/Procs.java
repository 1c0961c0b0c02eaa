package oracle;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.kstream.ValueTransformerWithKey;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.Punctuator;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.api.FixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorContext;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.processor.api.ProcessingContext;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.TimestampedKeyValueStore;
import org.apache.kafka.streams.state.TimestampedWindowStore;
import org.apache.kafka.streams.state.ValueAndTimestamp;
import org.apache.kafka.streams.state.WindowStore;

/** The fixed library of named processors (see FORMAT.md, section "Processors"). */
@SuppressWarnings({"unchecked", "rawtypes"})
final class Procs {
  static String name(final JsonNode n) {
    return n.isArray() ? n.get(0).asText() : n.asText();
  }

  static void schedule(
      final ProcessingContext c,
      final JsonNode n,
      final int at,
      final Punctuator p,
      final Cancellable[] hold) {
    final Duration d = Duration.ofMillis(n.get(at).asLong());
    final PunctuationType t =
        n.get(at + 1).asText().equals("wall")
            ? PunctuationType.WALL_CLOCK_TIME
            : PunctuationType.STREAM_TIME;
    final JsonNode start = n.get(at + 2);
    hold[0] =
        start == null || start.isNull()
            ? c.schedule(d, t, p)
            : c.schedule(Instant.ofEpochMilli(start.asLong()), d, t, p);
  }

  static String meta(final ProcessingContext c, final long ts) {
    return (c.recordMetadata().isPresent()
            ? c.recordMetadata().get().topic()
                + "/"
                + c.recordMetadata().get().partition()
                + "/"
                + c.recordMetadata().get().offset()
            : "none")
        + " ts="
        + ts
        + " st="
        + c.currentStreamTimeMs()
        + " wc="
        + c.currentSystemTimeMs();
  }

  static String headers(final Headers h) {
    final List<String> r = new ArrayList<>();
    h.forEach(
        x ->
            r.add(
                x.key()
                    + "="
                    + (x.value() == null
                        ? "null"
                        : new String(x.value(), StandardCharsets.UTF_8))));
    return String.join(";", r);
  }

  static byte[] b(final String s) {
    return s.getBytes(StandardCharsets.UTF_8);
  }

  static final class Proc implements Processor<Object, Object, Object, Object> {
    final JsonNode n;
    final Topo topo;
    ProcessorContext<Object, Object> ctx;
    StateStore store;
    final Cancellable[] hold = new Cancellable[1];
    int fired;

    Proc(final JsonNode n, final Topo topo) {
      this.n = n;
      this.topo = topo;
    }

    @Override
    public void init(final ProcessorContext<Object, Object> c) {
      ctx = c;
      switch (name(n)) {
        case "counter":
        case "lastSeen":
        case "dedup":
        case "shell":
        case "globalPut":
        case "globalLookup":
        case "windowCount":
          store = c.getStateStore(n.get(1).asText());
          break;
        case "buffer":
          store = c.getStateStore(n.get(1).asText());
          schedule(c, n, 2, this::flush, hold);
          break;
        case "tick":
          schedule(c, n, 1, this::tick, hold);
          break;
        case "cancelAfter":
          schedule(c, n, 2, this::tickCancel, hold);
          break;
        default:
      }
    }

    void tick(final long ts) {
      ctx.forward(new Record<>("tick", "p=" + ts + " " + meta(ctx, ts), Math.max(ts, 0)));
    }

    void tickCancel(final long ts) {
      ctx.forward(new Record<>("tick", "p=" + ts, Math.max(ts, 0)));
      if (++fired >= n.get(1).asInt()) hold[0].cancel();
    }

    void flush(final long ts) {
      final KeyValueStore s = (KeyValueStore) store;
      final List<KeyValue> all = new ArrayList<>();
      try (KeyValueIterator it = s.all()) {
        while (it.hasNext()) all.add((KeyValue) it.next());
      }
      for (final KeyValue e : all) {
        ctx.forward(new Record<>(e.key, e.value, Math.max(ts, 0)));
        s.delete(e.key);
      }
    }

    @Override
    public void process(final Record<Object, Object> r) {
      final Object k = r.key();
      final Object v = r.value();
      switch (name(n)) {
        case "pass":
        case "tick":
        case "cancelAfter":
          ctx.forward(r);
          return;
        case "drop":
          return;
        case "map":
          ctx.forward(
              r.withKey(Fns.fn(n.get(1)).apply(k, v)).withValue(Fns.fn(n.get(2)).apply(k, v)));
          return;
        case "filter":
          if (Fns.pred(n.get(1)).test(k, v)) ctx.forward(r);
          return;
        case "tsShift":
          ctx.forward(r.withTimestamp(r.timestamp() + n.get(1).asLong()));
          return;
        case "twice":
          ctx.forward(r);
          ctx.forward(r.withTimestamp(r.timestamp() + n.get(1).asLong()));
          return;
        case "route":
          for (final JsonNode x : n.get(1))
            if (Fns.pred(x.get(0)).test(k, v)) {
              ctx.forward(r, x.get(1).asText());
              return;
            }
          return;
        case "meta":
          ctx.forward(r.withValue(str(v) + " " + meta(ctx, r.timestamp())));
          return;
        case "showHeaders":
          ctx.forward(r.withValue(str(v) + " [" + headers(r.headers()) + "]"));
          return;
        case "addHeader":
          r.headers().add(n.get(1).asText(), b(n.get(2).asText()));
          ctx.forward(r);
          return;
        case "removeHeader":
          r.headers().remove(n.get(1).asText());
          ctx.forward(r);
          return;
        case "setHeaders":
          ctx.forward(
              r.withHeaders(new RecordHeaders().add(n.get(1).asText(), b(n.get(2).asText()))));
          return;
        case "throwIf":
          if (v != null && v.equals(Fns.val(n.get(1)))) throw new IllegalStateException("boom");
          ctx.forward(r);
          return;
        case "counter":
          {
            final KeyValueStore s = (KeyValueStore) store;
            final Long old = (Long) s.get(k);
            final Long now = old == null ? 1L : old + 1;
            s.put(k, now);
            ctx.forward(r.withValue(now));
            return;
          }
        case "lastSeen":
          {
            final TimestampedKeyValueStore s = (TimestampedKeyValueStore) store;
            final Object old = s.get(k);
            s.put(k, ValueAndTimestamp.make(v, r.timestamp()));
            ctx.forward(r.withValue(str(old) + "->" + str(v)));
            return;
          }
        case "dedup":
          {
            final KeyValueStore s = (KeyValueStore) store;
            if (s.putIfAbsent(k, v) == null) ctx.forward(r);
            return;
          }
        case "buffer":
          ((KeyValueStore) store).put(k, v);
          return;
        case "windowCount":
          {
            final WindowStore s = (WindowStore) store;
            final long size = n.get(2).asLong();
            final long start = r.timestamp() - r.timestamp() % size;
            final Long old = (Long) s.fetch(k, start);
            s.put(k, old == null ? 1L : old + 1, start);
            ctx.forward(r.withValue(Fns.str(k) + "@" + start + "=" + s.fetch(k, start)));
            return;
          }
        case "globalPut":
          {
            final KeyValueStore s = (KeyValueStore) store;
            if (store instanceof TimestampedKeyValueStore)
              s.put(k, ValueAndTimestamp.make(v, r.timestamp()));
            else s.put(k, v);
            return;
          }
        case "globalLookup":
          {
            final KeyValueStore s = (KeyValueStore) store;
            ctx.forward(r.withValue(str(v) + "/" + str(s.get(v))));
            return;
          }
        case "shell":
          {
            final String[] t = topo.storeTypes(n.get(1).asText());
            String res;
            try {
              res =
                  Shell.run(
                      store,
                      t[0],
                      t[1],
                      str(v),
                      store instanceof TimestampedKeyValueStore
                          || store instanceof TimestampedWindowStore);
            } catch (final RuntimeException e) {
              res = "!" + e.getClass().getSimpleName();
            }
            ctx.forward(r.withValue(res));
            return;
          }
        default:
          throw new IllegalStateException("unknown processor " + n);
      }
    }
  }

  static String str(final Object o) {
    return Fns.str(o);
  }

  static final class FkProc implements FixedKeyProcessor<Object, Object, Object> {
    final JsonNode n;
    FixedKeyProcessorContext<Object, Object> ctx;
    KeyValueStore store;

    FkProc(final JsonNode n) {
      this.n = n;
    }

    @Override
    public void init(final FixedKeyProcessorContext<Object, Object> c) {
      ctx = c;
      if (name(n).equals("counter") || name(n).equals("dedup"))
        store = c.getStateStore(n.get(1).asText());
    }

    @Override
    public void process(final FixedKeyRecord<Object, Object> r) {
      final Object k = r.key();
      final Object v = r.value();
      switch (name(n)) {
        case "pass":
          ctx.forward(r);
          return;
        case "drop":
          return;
        case "mapValue":
          ctx.forward(r.withValue(Fns.fn(n.get(1)).apply(k, v)));
          return;
        case "filter":
          if (Fns.pred(n.get(1)).test(k, v)) ctx.forward(r);
          return;
        case "tsShift":
          ctx.forward(r.withTimestamp(r.timestamp() + n.get(1).asLong()));
          return;
        case "twice":
          ctx.forward(r);
          ctx.forward(r.withTimestamp(r.timestamp() + n.get(1).asLong()));
          return;
        case "meta":
          ctx.forward(r.withValue(str(v) + " " + meta(ctx, r.timestamp())));
          return;
        case "addHeader":
          r.headers().add(n.get(1).asText(), b(n.get(2).asText()));
          ctx.forward(r);
          return;
        case "counter":
          {
            final Long old = (Long) store.get(k);
            final Long now = old == null ? 1L : old + 1;
            store.put(k, now);
            ctx.forward(r.withValue(now));
            return;
          }
        case "dedup":
          if (store.putIfAbsent(k, v) == null) ctx.forward(r);
          return;
        default:
          throw new IllegalStateException("unknown fixed-key processor " + n);
      }
    }
  }

  static final class Vt implements ValueTransformerWithKey<Object, Object, Object> {
    final JsonNode n;
    KeyValueStore store;
    org.apache.kafka.streams.processor.ProcessorContext ctx;

    Vt(final JsonNode n) {
      this.n = n;
    }

    @Override
    public void init(final org.apache.kafka.streams.processor.ProcessorContext c) {
      ctx = c;
      if (name(n).equals("countCalls")) store = (KeyValueStore) c.getStateStore(n.get(1).asText());
    }

    @Override
    public Object transform(final Object k, final Object v) {
      switch (name(n)) {
        case "mapValue":
          return Fns.fn(n.get(1)).apply(k, v);
        case "countCalls":
          {
            final Long old = (Long) store.get(k);
            final Long now = old == null ? 1L : old + 1;
            store.put(k, now);
            return v == null ? null : Fns.str(v) + "#" + now;
          }
        default:
          throw new IllegalStateException("unknown value transformer " + n);
      }
    }

    @Override
    public void close() {}
  }
}
