package oracle;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.Punctuator;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/** A processor that does what lists of actions say (see FORMAT.md, section "Scripts"). */
@SuppressWarnings({"unchecked", "rawtypes"})
final class Script implements Processor<Object, Object, Object, Object> {
  private final JsonNode lists;
  private final Map<String, KeyValueStore> stores = new HashMap<>();
  private final Map<String, Cancellable> schedules = new HashMap<>();
  private ProcessorContext<Object, Object> context;
  private long calls;

  Script(final JsonNode lists) {
    this.lists = lists;
  }

  @Override
  public void init(final ProcessorContext<Object, Object> c) {
    context = c;
    for (final JsonNode n : lists.path("stores"))
      stores.put(n.asText(), (KeyValueStore) c.getStateStore(n.asText()));
    run(lists.path("init"), null, 0);
  }

  @Override
  public void process(final Record<Object, Object> r) {
    calls++;
    run(lists.path("process"), r, r.timestamp());
  }

  private void run(final JsonNode actions, final Record<Object, Object> r, final long time) {
    for (final JsonNode a : actions) act(a, r, time);
  }

  private void act(final JsonNode a, final Record<Object, Object> r, final long time) {
    switch (a.get(0).asText()) {
      case "forward":
        if (a.size() == 1) context.forward(r);
        else context.forward(r, a.get(1).asText());
        return;
      case "emit":
        {
          final long at = a.size() > 3 && !a.get(3).isNull() ? a.get(3).asLong() : time;
          final Object key = a.get(1).isNull() ? null : text(a.get(1).asText(), r, time);
          final String value = a.get(2).isNull() ? null : text(a.get(2).asText(), r, time);
          final Record<Object, Object> made = new Record<>(key, value, Math.max(at, 0));
          if (a.size() > 4) context.forward(made, a.get(4).asText());
          else context.forward(made);
          return;
        }
      case "addHeader":
        r.headers().add(a.get(1).asText(), Procs.b(text(a.get(2).asText(), r, time)));
        return;
      case "put":
        stores
            .get(a.get(1).asText())
            .put(
                text(a.get(2).asText(), r, time),
                a.get(3).isNull() ? null : text(a.get(3).asText(), r, time));
        return;
      case "dump":
        {
          final List<String> found = new ArrayList<>();
          try (KeyValueIterator<?, ?> all = stores.get(a.get(1).asText()).all()) {
            all.forEachRemaining(e -> found.add(Fns.str(e.key) + "=" + Fns.str(e.value)));
          }
          context.forward(
              new Record<>("dump", "[" + String.join(",", found) + "]", Math.max(time, 0)));
          return;
        }
      case "schedule":
        schedule(a);
        return;
      case "cancel":
        {
          final Cancellable c = schedules.get(a.get(1).asText());
          if (c != null) c.cancel();
          return;
        }
      case "when":
        if (Fns.pred(a.get(1)).test(r.key(), r.value())) run(a.get(2), r, time);
        return;
      case "every":
        if (calls % a.get(1).asLong() == 0) run(a.get(2), r, time);
        return;
      case "commit":
        context.commit();
        return;
      case "throw":
        throw new IllegalStateException("boom");
      default:
        throw new IllegalStateException("unknown action " + a);
    }
  }

  private void schedule(final JsonNode a) {
    final Duration interval = Duration.ofMillis(a.get(2).asLong());
    final PunctuationType type =
        a.get(3).asText().equals("wall")
            ? PunctuationType.WALL_CLOCK_TIME
            : PunctuationType.STREAM_TIME;
    final Punctuator p = t -> run(a.get(5), null, t);
    schedules.put(
        a.get(1).asText(),
        a.get(4).isNull()
            ? context.schedule(interval, type, p)
            : context.schedule(Instant.ofEpochMilli(a.get(4).asLong()), interval, type, p));
  }

  private String text(final String pattern, final Record<Object, Object> r, final long time) {
    final StringBuilder b = new StringBuilder();
    int at = 0;
    while (true) {
      final int open = pattern.indexOf('{', at);
      if (open < 0) return b.append(pattern.substring(at)).toString();
      final int close = pattern.indexOf('}', open);
      b.append(pattern, at, open).append(field(pattern.substring(open + 1, close), r, time));
      at = close + 1;
    }
  }

  private String field(final String name, final Record<Object, Object> r, final long time) {
    switch (name) {
      case "k":
        return Fns.str(r.key());
      case "v":
        return Fns.str(r.value());
      case "t":
        return String.valueOf(time);
      case "n":
        return String.valueOf(calls);
      case "h":
        return Procs.headers(r.headers());
      case "meta":
        return Procs.meta(context, time);
      case "task":
        return context.taskId() + " " + context.applicationId();
      default:
        final String[] parts = name.split(":");
        return Fns.str(stores.get(parts[1]).get(parts.length > 2 ? parts[2] : r.key()));
    }
  }
}
