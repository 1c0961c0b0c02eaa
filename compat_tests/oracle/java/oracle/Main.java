package oracle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TestOutputTopic;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.SessionStore;
import org.apache.kafka.streams.state.TimestampedKeyValueStore;
import org.apache.kafka.streams.state.TimestampedKeyValueStoreWithHeaders;
import org.apache.kafka.streams.state.TimestampedWindowStore;
import org.apache.kafka.streams.state.TimestampedWindowStoreWithHeaders;
import org.apache.kafka.streams.state.VersionedKeyValueStore;
import org.apache.kafka.streams.state.WindowStore;
import org.apache.kafka.streams.test.TestRecord;

/** Runs scenario files through the real TopologyTestDriver. */
@SuppressWarnings({"unchecked", "rawtypes"})
public final class Main {
  static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern STABLE =
      Pattern.compile("(put|get|delete|range|all|prefix-scan|fetch|remove|put-.*)-rate|num-.*s");

  public static void main(final String[] args) throws Exception {
    final Path in = Path.of(args[0]);
    final Path out = Path.of(args[1]);
    final Path tmp = Files.createTempDirectory("oracle-state");
    final List<Path> files;
    try (Stream<Path> s = Files.walk(in)) {
      files = s.filter(p -> p.toString().endsWith(".json")).sorted().collect(Collectors.toList());
    }
    int bad = 0;
    int n = 0;
    for (final Path f : files) {
      final ObjectNode sc = (ObjectNode) JSON.readTree(Files.readAllBytes(f));
      sc.remove("expect");
      try {
        sc.set("expect", run(sc, tmp.resolve("s" + n++)));
      } catch (final Throwable t) {
        bad++;
        System.err.println("INTERPRETER ERROR " + in.relativize(f) + ": " + t);
        if (System.getenv("ORACLE_TRACE") != null) t.printStackTrace();
        continue;
      }
      final Path o = out.resolve(in.relativize(f));
      Files.createDirectories(o.getParent());
      Files.write(o, format(sc).getBytes(StandardCharsets.UTF_8));
    }
    try (Stream<Path> s = Files.walk(tmp)) {
      s.sorted(Comparator.reverseOrder()).forEach(p -> p.toFile().delete());
    }
    System.err.println(
        "oracle: " + (files.size() - bad) + " scenarios written, " + bad + " interpreter errors");
    System.exit(bad == 0 ? 0 : 1);
  }

  /** Interpreter mistakes must not be recorded as expected Kafka behaviour. */
  private static void guard(final Throwable t) {
    for (Throwable c = t; c != null; c = c.getCause()) {
      final String m = String.valueOf(c.getMessage());
      if (c.getClass() == IllegalStateException.class
          && (m.startsWith("unknown ")
              || m.startsWith("bad scenario")
              || m.startsWith("scenario ")
              || m.startsWith("store type")
              || m.startsWith("no branch"))) {
        throw new RuntimeException(m, t);
      }
      if (System.getenv("ORACLE_TRACE") != null && c == t) t.printStackTrace();
    }
  }

  private static ObjectNode error(final Throwable t) {
    guard(t);
    final ObjectNode e = JSON.createObjectNode();
    e.put("error", t.getClass().getSimpleName());
    Throwable c = t;
    while (c.getCause() != null && c.getCause() != c) c = c.getCause();
    if (c != t) e.put("cause", c.getClass().getSimpleName());
    return e;
  }

  private static ObjectNode run(final ObjectNode sc, final Path stateDir) {
    final ObjectNode ex = JSON.createObjectNode();
    final Properties props = new Properties();
    props.put("application.id", "app");
    props.put("bootstrap.servers", "dummy:1");
    Spied.begin(sc);
    final String text =
        Spied.active()
            ? "oracle.Spied$Text"
            : "org.apache.kafka.common.serialization.Serdes$StringSerde";
    props.put("default.key.serde", text);
    props.put("default.value.serde", text);
    props.put("state.dir", stateDir.toString());
    final Iterator<Map.Entry<String, JsonNode>> it = sc.path("config").fields();
    while (it.hasNext()) {
      final Map.Entry<String, JsonNode> e = it.next();
      props.put(e.getKey(), e.getValue().asText());
    }
    if (sc.path("wrapped").asBoolean()) {
      props.put("processor.wrapper.class", Wrapped.class.getName());
      Wrapped.shown = JSON.createArrayNode();
    }
    final Topo topo = new Topo(sc, props);
    final TopologyTestDriver driver;
    try {
      final Topology t = topo.build();
      ex.put("describe", t.describe().toString());
      if (sc.path("wrapped").asBoolean()) ex.set("wrapped", Wrapped.shown);
      driver =
          new TopologyTestDriver(t, props, Instant.ofEpochMilli(sc.path("wallClock").asLong(0)));
    } catch (final Throwable t) {
      final ObjectNode e = error(t);
      e.put("phase", "build");
      ex.remove("describe");
      ex.set("error", e);
      return ex;
    }
    Spied.built();
    final ArrayNode calls = JSON.createArrayNode();
    final ArrayNode outs = JSON.createArrayNode();
    boolean failed = false;
    try {
      for (final JsonNode ev : sc.get("events")) {
        try {
          if (ev.has("pipe")) {
            final String topic = ev.get("pipe").asText();
            final JsonNode ty = types(sc, topic);
            if (ty == null) throw new IllegalStateException("scenario declares no topic " + topic);
            final Serde k = Options.serde(ty.get(0));
            final Serde v = Options.serde(ty.get(1));
            final TestInputTopic ti =
                driver.createInputTopic(topic, k.serializer(), v.serializer());
            final Headers h = new RecordHeaders();
            ev.path("headers")
                .forEach(
                    x ->
                        h.add(
                            x.get(0).asText(),
                            x.get(1).isNull()
                                ? null
                                : x.get(1).asText().getBytes(StandardCharsets.UTF_8)));
            ti.pipeInput(
                new TestRecord<>(
                    Fns.val(ev.get("key")),
                    Fns.val(ev.get("value")),
                    h,
                    Instant.ofEpochMilli(ev.get("ts").asLong())));
            outs.add(drain(driver, sc));
          } else if (ev.has("advanceWallClock")) {
            driver.advanceWallClockTime(Duration.ofMillis(ev.get("advanceWallClock").asLong()));
            outs.add(drain(driver, sc));
          } else if (ev.has("query")) {
            final ObjectNode r = JSON.createObjectNode();
            try {
              final String name = ev.get("query").asText();
              final String[] t = topo.storeTypes(name);
              final Object[] h =
                  ev.has("as")
                      ? HeaderStores.handle(driver, name, ev.get("as").asText())
                      : handle(driver, name);
              r.put("result", Shell.run(h[0], t[0], t[1], ev.get("cmd").asText(), (Boolean) h[1]));
            } catch (final RuntimeException e) {
              r.setAll(error(e));
            }
            outs.add(r);
          } else {
            throw new IllegalStateException("unknown event " + ev);
          }
        } catch (final Throwable t) {
          final ObjectNode e = error(t);
          final ArrayNode rec = drain(driver, sc);
          if (!rec.isEmpty()) e.set("records", rec);
          outs.add(e);
          failed = true;
          break;
        } finally {
          calls.add(Spied.calls());
        }
      }
      ex.set("outputs", outs);
      if (Spied.notes()) ex.set("serdeCalls", calls);
      // Before the stores are listed, which counts as use of them.
      if (sc.path("metrics").asBoolean()) ex.set("metrics", metrics(driver));
      if (!failed) {
        final ObjectNode stores = JSON.createObjectNode();
        final Iterator<String> names = sc.path("stores").fieldNames();
        while (names.hasNext()) {
          final String n = names.next();
          final JsonNode d = dump(driver, n);
          if (d != null) stores.set(n, d);
        }
        if (!stores.isEmpty()) ex.set("stores", stores);
      }
    } finally {
      try {
        driver.close();
      } catch (final Throwable t) {
        /* after an expected failure */
      }
    }
    return ex;
  }

  /**
   * Every metric, by group and tags: [group, tags, {name: value}]. Of stores, what depends on the
   * machine's clock or on RocksDB has no value.
   */
  private static ArrayNode metrics(final TopologyTestDriver driver) {
    final Map<String, Map<String, Object>> found = new TreeMap<>();
    driver
        .metrics()
        .forEach(
            (name, metric) -> {
              final ArrayNode place = JSON.createArrayNode().add(name.group());
              final ObjectNode tags = place.addObject();
              new TreeMap<>(name.tags()).forEach(tags::put);
              final boolean stable =
                  !name.group().equals("stream-state-metrics")
                      || name.name().startsWith("suppression-")
                      || STABLE.matcher(name.name()).matches();
              found
                  .computeIfAbsent(place.toString(), x -> new TreeMap<>())
                  .put(name.name(), stable ? metric.metricValue() : null);
            });
    final ArrayNode all = JSON.createArrayNode();
    found.forEach(
        (place, values) -> {
          try {
            all.add(((ArrayNode) JSON.readTree(place)).add(JSON.valueToTree(values)));
          } catch (final IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        });
    return all;
  }

  /** Declared types of a topic: exact name, else an entry "prefix*"; null when undeclared. */
  private static JsonNode types(final JsonNode sc, final String topic) {
    final JsonNode exact = sc.path("topics").get(topic);
    if (exact != null) return exact;
    final Iterator<Map.Entry<String, JsonNode>> it = sc.path("topics").fields();
    while (it.hasNext()) {
      final Map.Entry<String, JsonNode> e = it.next();
      if (e.getKey().endsWith("*")
          && topic.startsWith(e.getKey().substring(0, e.getKey().length() - 1)))
        return e.getValue();
    }
    return null;
  }

  private static Object[] handle(final TopologyTestDriver d, final String n) {
    final StateStore raw = d.getAllStateStores().get(n);
    if (raw == null) throw new IllegalStateException("unknown store " + n);
    if (raw instanceof VersionedKeyValueStore)
      return new Object[] {d.getVersionedKeyValueStore(n), false};
    if (raw instanceof TimestampedKeyValueStore
        || raw instanceof TimestampedKeyValueStoreWithHeaders)
      return new Object[] {d.getTimestampedKeyValueStore(n), true};
    if (raw instanceof KeyValueStore) return new Object[] {d.getKeyValueStore(n), false};
    if (raw instanceof TimestampedWindowStore || raw instanceof TimestampedWindowStoreWithHeaders)
      return new Object[] {d.getTimestampedWindowStore(n), true};
    if (raw instanceof WindowStore) return new Object[] {d.getWindowStore(n), false};
    if (raw instanceof SessionStore) return new Object[] {d.getSessionStore(n), false};
    throw new IllegalStateException("store type " + raw.getClass());
  }

  /** Final contents as sorted strings; null for versioned stores, which cannot be enumerated. */
  private static JsonNode dump(final TopologyTestDriver d, final String n) {
    final Object s = handle(d, n)[0];
    final KeyValueIterator<?, ?> it;
    if (s instanceof VersionedKeyValueStore) return null;
    if (s instanceof WindowStore) it = ((WindowStore) s).all();
    else if (s instanceof SessionStore) it = ((SessionStore) s).fetch(null, null);
    else it = ((KeyValueStore) s).all();
    final List<String> r = new ArrayList<>();
    try (it) {
      while (it.hasNext()) {
        final var e = it.next();
        r.add(Fns.str(e.key) + "=" + Fns.str(e.value));
      }
    }
    Collections.sort(r);
    final ArrayNode a = JSON.createArrayNode();
    r.forEach(a::add);
    return a;
  }

  private static void put(final ObjectNode o, final String f, final Object v) {
    if (v == null) o.putNull(f);
    else if (v instanceof Long) o.put(f, (Long) v);
    else o.put(f, Fns.str(v));
  }

  private static ArrayNode drain(final TopologyTestDriver d, final ObjectNode sc) {
    final ArrayNode a = JSON.createArrayNode();
    final boolean withHeaders = sc.path("captureInternal").asText().equals("headers");
    final boolean internal = withHeaders || sc.path("captureInternal").asBoolean();
    for (final String topic : new TreeSet<>(d.producedTopicNames())) {
      final JsonNode ty = types(sc, topic);
      if (ty != null) {
        final TestOutputTopic<Object, Object> o =
            d.createOutputTopic(
                topic,
                Options.serde(ty.get(0)).deserializer(),
                Options.serde(ty.get(1)).deserializer());
        while (!o.isEmpty()) {
          final TestRecord<Object, Object> r = o.readRecord();
          final ObjectNode x = a.addObject();
          x.put("topic", topic);
          put(x, "key", r.key());
          put(x, "value", r.value());
          x.put("ts", r.timestamp());
          headers(x, r.headers());
        }
      } else {
        final TestOutputTopic<byte[], byte[]> o =
            d.createOutputTopic(topic, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        while (!o.isEmpty()) {
          final TestRecord<byte[], byte[]> r = o.readRecord();
          if (!internal) continue;
          final ObjectNode x = a.addObject();
          x.put("topic", topic);
          x.put("keyHex", r.key() == null ? null : HexFormat.of().formatHex(r.key()));
          x.put("valueHex", r.value() == null ? null : HexFormat.of().formatHex(r.value()));
          x.put("ts", r.timestamp());
          if (withHeaders) headers(x, r.headers());
        }
      }
    }
    return a;
  }

  private static void headers(final ObjectNode x, final Headers h) {
    final ArrayNode a = JSON.createArrayNode();
    for (final Header e : h) {
      final ArrayNode p = a.addArray();
      p.add(e.key());
      if (e.value() == null) p.addNull();
      else p.add(new String(e.value(), StandardCharsets.UTF_8));
    }
    if (!a.isEmpty()) x.set("headers", a);
  }

  // ------------------------------------------------------------------ output layout: one list
  // element a line

  private static String format(final ObjectNode sc) throws IOException {
    final StringBuilder b = new StringBuilder("{\n");
    final Iterator<Map.Entry<String, JsonNode>> it = sc.fields();
    while (it.hasNext()) {
      final Map.Entry<String, JsonNode> e = it.next();
      b.append(" \"").append(e.getKey()).append("\":");
      if (e.getKey().equals("expect")) {
        b.append("{\n");
        final Iterator<Map.Entry<String, JsonNode>> jt = e.getValue().fields();
        while (jt.hasNext()) {
          final Map.Entry<String, JsonNode> f = jt.next();
          b.append("  \"").append(f.getKey()).append("\":");
          if (f.getKey().equals("outputs")
              || f.getKey().equals("metrics")
              || f.getKey().equals("serdeCalls"))
            lines(b, f.getValue(), "   ");
          else b.append(JSON.writeValueAsString(f.getValue()));
          b.append(jt.hasNext() ? ",\n" : "\n");
        }
        b.append(" }");
      } else if (e.getKey().equals("topology") || e.getKey().equals("events")) {
        lines(b, e.getValue(), "  ");
      } else {
        b.append(JSON.writeValueAsString(e.getValue()));
      }
      b.append(it.hasNext() ? ",\n" : "\n");
    }
    return b.append("}\n").toString();
  }

  private static void lines(final StringBuilder b, final JsonNode a, final String ind)
      throws IOException {
    b.append("[");
    for (int i = 0; i < a.size(); i++) {
      b.append(i == 0 ? "\n" : ",\n").append(ind).append(JSON.writeValueAsString(a.get(i)));
    }
    b.append("]");
  }
}
