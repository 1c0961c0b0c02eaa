package oracle;

import static oracle.Options.consumed;
import static oracle.Options.grouped;
import static oracle.Options.has;
import static oracle.Options.mat;
import static oracle.Options.named;
import static oracle.Options.serde;
import static oracle.Options.storeBuilder;
import static oracle.Options.strings;
import static oracle.Options.suppressed;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.streams.AutoOffsetReset;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyConfig;
import org.apache.kafka.streams.kstream.*;
import org.apache.kafka.streams.processor.api.FixedKeyProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.state.StoreBuilder;

/** Interprets the "topology" list of a scenario. */
@SuppressWarnings({"unchecked", "rawtypes", "deprecation"})
final class Topo {
  private final JsonNode sc;
  private final Properties props;
  private StreamsBuilder builder;
  private Topology topology;
  private final Map<String, Object> env = new HashMap<>();

  Topo(final JsonNode sc, final Properties props) {
    this.sc = sc;
    this.props = props;
  }

  String[] storeTypes(final String store) {
    final JsonNode t = sc.path("stores").get(store);
    if (t == null) throw new IllegalStateException("scenario declares no store " + store);
    return new String[] {t.get(0).asText(), t.get(1).asText()};
  }

  Topology build() {
    for (final JsonNode st : sc.get("topology")) {
      final String op = st.get("op").asText();
      if (op.startsWith("add") || op.equals("connectProcessorAndStateStores")) {
        if (topology == null) topology = builder == null ? empty() : builder.build(props);
        papi(op, st);
      } else {
        if (builder == null) {
          builder =
              configured() ? new StreamsBuilder(topologyConfig()) : new StreamsBuilder();
        }
        final Object r = dsl(op, st);
        if (st.has("id")) env.put(st.get("id").asText(), r);
      }
    }
    if (topology == null) topology = builder == null ? empty() : builder.build(props);
    return topology;
  }

  private boolean configured() {
    return sc.path("topologyConfig").asBoolean() || sc.path("wrapped").asBoolean();
  }

  private TopologyConfig topologyConfig() {
    return new TopologyConfig(new StreamsConfig(props));
  }

  private Topology empty() {
    return configured() ? new Topology(topologyConfig()) : new Topology();
  }

  // ------------------------------------------------------------------ helpers

  Object in(final JsonNode st, final int i) {
    final String id = st.get("from").get(i).asText();
    final Object o = env.get(id);
    if (o == null) throw new IllegalStateException("unknown step " + id);
    return o;
  }

  private ProcessorSupplier<Object, Object, Object, Object> psup(final JsonNode st) {
    final JsonNode p = st.get("processor");
    final Set<StoreBuilder<?>> own = new HashSet<>();
    if (has(st, "supplierStores")) st.get("supplierStores").forEach(s -> own.add(storeBuilder(s)));
    final Topo me = this;
    return new ProcessorSupplier<>() {
      @Override
      public Processor<Object, Object, Object, Object> get() {
        return Procs.name(p).equals("script") ? new Script(p.get(1)) : new Procs.Proc(p, me);
      }

      @Override
      public Set<StoreBuilder<?>> stores() {
        return own.isEmpty() ? null : own;
      }
    };
  }

  // ------------------------------------------------------------------ Processor API

  private void papi(final String op, final JsonNode st) {
    final String name = st.path("name").asText(null);
    switch (op) {
      case "addSource":
        {
          final AutoOffsetReset reset =
              has(st, "reset")
                  ? (st.get("reset").asText().equals("latest")
                      ? AutoOffsetReset.latest()
                      : AutoOffsetReset.earliest())
                  : null;
          final Serde k = serde(st.get("key"));
          final Serde v = serde(st.get("value"));
          if (has(st, "pattern")) {
            topology.addSource(
                reset,
                name,
                Fns.tsExtractor(st.get("ts")),
                k == null ? null : k.deserializer(),
                v == null ? null : v.deserializer(),
                Pattern.compile(st.get("pattern").asText()));
          } else {
            topology.addSource(
                reset,
                name,
                Fns.tsExtractor(st.get("ts")),
                k == null ? null : k.deserializer(),
                v == null ? null : v.deserializer(),
                strings(st.get("topics")));
          }
          return;
        }
      case "addProcessor":
        topology.addProcessor(name, psup(st), strings(st.get("parents")));
        return;
      case "addSink":
        {
          final Serde k = serde(st.get("key"));
          final Serde v = serde(st.get("value"));
          if (has(st, "extractor")) {
            topology.addSink(
                name,
                new Fns.TopicExtractor(st.get("extractor")),
                k == null ? null : k.serializer(),
                v == null ? null : v.serializer(),
                Options.partitioner(st.get("partitioner")),
                strings(st.get("parents")));
          } else {
            topology.addSink(
                name,
                st.get("topic").asText(),
                k == null ? null : k.serializer(),
                v == null ? null : v.serializer(),
                Options.partitioner(st.get("partitioner")),
                strings(st.get("parents")));
          }
          return;
        }
      case "addStateStore":
        topology.addStateStore(storeBuilder(st.get("store")), strings(st.get("processors")));
        return;
      case "connectProcessorAndStateStores":
        topology.connectProcessorAndStateStores(
            st.get("processor").asText(), strings(st.get("stores")));
        return;
      case "addGlobalStore":
        topology.addGlobalStore(
            storeBuilder(st.get("store")),
            st.get("source").asText(),
            serde(st.get("key")).deserializer(),
            serde(st.get("value")).deserializer(),
            st.get("topic").asText(),
            name,
            (ProcessorSupplier) psup(st));
        return;
      case "addReadOnlyStateStore":
        topology.addReadOnlyStateStore(
            storeBuilder(st.get("store")),
            st.get("source").asText(),
            serde(st.get("key")).deserializer(),
            serde(st.get("value")).deserializer(),
            st.get("topic").asText(),
            name,
            (ProcessorSupplier) psup(st));
        return;
      default:
        throw new IllegalStateException("unknown op " + op);
    }
  }

  // ------------------------------------------------------------------ DSL

  private Object dsl(final String op, final JsonNode st) {
    final Named nm = named(st);
    switch (op) {
      case "stream":
        if (has(st, "pattern"))
          return builder.stream(Pattern.compile(st.get("pattern").asText()), consumed(st));
        return builder.stream(List.of(strings(st.get("topics"))), consumed(st));
      case "table":
        {
          final Materialized m = mat(st.get("materialized"));
          return m == null
              ? builder.table(st.get("topic").asText(), consumed(st))
              : builder.table(st.get("topic").asText(), consumed(st), m);
        }
      case "globalTable":
        {
          final Materialized m = mat(st.get("materialized"));
          return m == null
              ? builder.globalTable(st.get("topic").asText(), consumed(st))
              : builder.globalTable(st.get("topic").asText(), consumed(st), m);
        }
      case "store":
        builder.addStateStore(storeBuilder(st.get("store")));
        return null;
      case "globalStore":
        builder.addGlobalStore(
            storeBuilder(st.get("store")),
            st.get("topic").asText(),
            consumed(st),
            (ProcessorSupplier) psup(st));
        return null;
      case "filter":
      case "filterNot":
        {
          final Fns.P p = Fns.pred(st.get("pred"));
          final boolean not = op.equals("filterNot");
          final Predicate<Object, Object> pr = p::test;
          if (in(st, 0) instanceof KStream) {
            final KStream s = (KStream) in(st, 0);
            return nm == null
                ? (not ? s.filterNot(pr) : s.filter(pr))
                : (not ? s.filterNot(pr, nm) : s.filter(pr, nm));
          }
          final KTable t = (KTable) in(st, 0);
          final Materialized m = mat(st.get("materialized"));
          if (m == null)
            return nm == null
                ? (not ? t.filterNot(pr) : t.filter(pr))
                : (not ? t.filterNot(pr, nm) : t.filter(pr, nm));
          return nm == null
              ? (not ? t.filterNot(pr, m) : t.filter(pr, m))
              : (not ? t.filterNot(pr, nm, m) : t.filter(pr, nm, m));
        }
      case "mapValues":
        {
          final Fns.F f = Fns.fn(st.get("fn"));
          final ValueMapper vm = v -> f.apply(null, v);
          final ValueMapperWithKey vmk = f::apply;
          final boolean wk = st.path("withKey").asBoolean();
          if (in(st, 0) instanceof KStream) {
            final KStream s = (KStream) in(st, 0);
            if (wk) return nm == null ? s.mapValues(vmk) : s.mapValues(vmk, nm);
            return nm == null ? s.mapValues(vm) : s.mapValues(vm, nm);
          }
          final KTable t = (KTable) in(st, 0);
          final Materialized m = mat(st.get("materialized"));
          if (wk)
            return m == null
                ? (nm == null ? t.mapValues(vmk) : t.mapValues(vmk, nm))
                : (nm == null ? t.mapValues(vmk, m) : t.mapValues(vmk, nm, m));
          return m == null
              ? (nm == null ? t.mapValues(vm) : t.mapValues(vm, nm))
              : (nm == null ? t.mapValues(vm, m) : t.mapValues(vm, nm, m));
        }
      case "map":
        {
          final Fns.F kf = Fns.fn(st.get("keyFn"));
          final Fns.F vf = Fns.fn(st.get("valueFn"));
          final KeyValueMapper f =
              (k, v) -> org.apache.kafka.streams.KeyValue.pair(kf.apply(k, v), vf.apply(k, v));
          return nm == null ? ((KStream) in(st, 0)).map(f) : ((KStream) in(st, 0)).map(f, nm);
        }
      case "selectKey":
        {
          final Fns.F kf = Fns.fn(st.get("fn"));
          final KeyValueMapper f = kf::apply;
          return nm == null
              ? ((KStream) in(st, 0)).selectKey(f)
              : ((KStream) in(st, 0)).selectKey(f, nm);
        }
      case "flatMap":
        {
          final Fns.FlatKV ff = Fns.flatKV(st.get("fn"));
          final KeyValueMapper f = ff::apply;
          return nm == null
              ? ((KStream) in(st, 0)).flatMap(f)
              : ((KStream) in(st, 0)).flatMap(f, nm);
        }
      case "flatMapValues":
        {
          final Fns.FlatV ff = Fns.flatV(st.get("fn"));
          if (st.path("withKey").asBoolean()) {
            final ValueMapperWithKey f = ff::apply;
            return nm == null
                ? ((KStream) in(st, 0)).flatMapValues(f)
                : ((KStream) in(st, 0)).flatMapValues(f, nm);
          }
          final ValueMapper f = v -> ff.apply(null, v);
          return nm == null
              ? ((KStream) in(st, 0)).flatMapValues(f)
              : ((KStream) in(st, 0)).flatMapValues(f, nm);
        }
      case "peek":
        return nm == null
            ? ((KStream) in(st, 0)).peek((k, v) -> {})
            : ((KStream) in(st, 0)).peek((k, v) -> {}, nm);
      case "foreach":
        if (nm == null) ((KStream) in(st, 0)).foreach((k, v) -> {});
        else ((KStream) in(st, 0)).foreach((k, v) -> {}, nm);
        return null;
      case "merge":
        return nm == null
            ? ((KStream) in(st, 0)).merge((KStream) in(st, 1))
            : ((KStream) in(st, 0)).merge((KStream) in(st, 1), nm);
      case "split":
        return split(st, nm);
      case "repartition":
        {
          Repartitioned r = Repartitioned.with(serde(st.get("key")), serde(st.get("value")));
          if (has(st, "name")) r = r.withName(st.get("name").asText());
          if (has(st, "partitions")) r = r.withNumberOfPartitions(st.get("partitions").asInt());
          if (has(st, "partitioner"))
            r = r.withStreamPartitioner(Options.partitioner(st.get("partitioner")));
          return ((KStream) in(st, 0)).repartition(r);
        }
      case "toTable":
        {
          final Materialized m = mat(st.get("materialized"));
          final KStream s = (KStream) in(st, 0);
          if (m == null) return nm == null ? s.toTable() : s.toTable(nm);
          return nm == null ? s.toTable(m) : s.toTable(nm, m);
        }
      case "toStream":
        {
          final KTable t = (KTable) in(st, 0);
          if (has(st, "fn")) {
            final Fns.F kf = Fns.fn(st.get("fn"));
            final KeyValueMapper f = kf::apply;
            return nm == null ? t.toStream(f) : t.toStream(f, nm);
          }
          return nm == null ? t.toStream() : t.toStream(nm);
        }
      case "to":
        {
          Produced p = Produced.with(serde(st.get("key")), serde(st.get("value")));
          if (has(st, "name")) p = p.withName(st.get("name").asText());
          if (has(st, "partitioner"))
            p = p.withStreamPartitioner(Options.partitioner(st.get("partitioner")));
          final KStream s = (KStream) in(st, 0);
          if (has(st, "extractor")) s.to(new Fns.TopicExtractor(st.get("extractor")), p);
          else s.to(st.get("topic").asText(), p);
          return null;
        }
      case "process":
        {
          final String[] stores = strings(st.get("stores"));
          final KStream s = (KStream) in(st, 0);
          return nm == null ? s.process(psup(st), stores) : s.process(psup(st), nm, stores);
        }
      case "processValues":
        {
          final JsonNode p = st.get("processor");
          final Set<StoreBuilder<?>> own = new HashSet<>();
          if (has(st, "supplierStores"))
            st.get("supplierStores").forEach(x -> own.add(storeBuilder(x)));
          final FixedKeyProcessorSupplier sup =
              new FixedKeyProcessorSupplier<Object, Object, Object>() {
                @Override
                public FixedKeyProcessor<Object, Object, Object> get() {
                  return new Procs.FkProc(p);
                }

                @Override
                public Set<StoreBuilder<?>> stores() {
                  return own.isEmpty() ? null : own;
                }
              };
          final KStream s = (KStream) in(st, 0);
          return nm == null
              ? s.processValues(sup, strings(st.get("stores")))
              : s.processValues(sup, nm, strings(st.get("stores")));
        }
      case "transformValues":
        {
          final JsonNode p = st.get("transformer");
          final ValueTransformerWithKeySupplier sup = () -> new Procs.Vt(p);
          final KTable t = (KTable) in(st, 0);
          final Materialized m = mat(st.get("materialized"));
          final String[] stores = strings(st.get("stores"));
          if (m == null)
            return nm == null ? t.transformValues(sup, stores) : t.transformValues(sup, nm, stores);
          return nm == null
              ? t.transformValues(sup, m, stores)
              : t.transformValues(sup, m, nm, stores);
        }
      case "groupByKey":
        return ((KStream) in(st, 0)).groupByKey(grouped(st));
      case "groupBy":
        {
          final Fns.F kf = Fns.fn(st.get("fn"));
          if (in(st, 0) instanceof KStream) {
            final KeyValueMapper f = kf::apply;
            return ((KStream) in(st, 0)).groupBy(f, grouped(st));
          }
          final Fns.F vf = has(st, "valueFn") ? Fns.fn(st.get("valueFn")) : (k, v) -> v;
          final KeyValueMapper f =
              (k, v) -> org.apache.kafka.streams.KeyValue.pair(kf.apply(k, v), vf.apply(k, v));
          return ((KTable) in(st, 0)).groupBy(f, grouped(st));
        }
      case "count":
      case "reduce":
      case "aggregate":
        return Aggregates.aggregate(this, op, st, nm);
      case "cogroup":
        return Aggregates.cogroup(this, st, nm);
      case "suppress":
        return ((KTable) in(st, 0)).suppress(suppressed(st));
      case "join":
        return Joins.join(this, st, nm);
      default:
        throw new IllegalStateException("unknown op " + op);
    }
  }

  private Object split(final JsonNode st, final Named nm) {
    final KStream s = (KStream) in(st, 0);
    BranchedKStream b = nm == null ? s.split() : s.split(nm);
    final List<String> suffixes = new ArrayList<>();
    int i = 0;
    for (final JsonNode br : st.get("branches")) {
      i++;
      final Fns.P p = Fns.pred(br.get("pred"));
      final Predicate<Object, Object> pr = p::test;
      if (has(br, "name")) {
        b = b.branch(pr, Branched.as(br.get("name").asText()));
        suffixes.add(br.get("name").asText());
      } else {
        b = b.branch(pr);
        suffixes.add(String.valueOf(i));
      }
    }
    final Map<String, KStream> m;
    String dflt = null;
    if (st.has("default")) {
      if (has(st.get("default"), "name")) {
        dflt = st.get("default").get("name").asText();
        m = b.defaultBranch(Branched.as(dflt));
      } else {
        dflt = "0";
        m = b.defaultBranch();
      }
    } else {
      m = b.noDefaultBranch();
    }
    final String id = st.get("id").asText();
    for (int j = 0; j < suffixes.size(); j++) env.put(id + "." + j, pick(m, st, suffixes.get(j)));
    if (dflt != null) env.put(id + ".default", pick(m, st, dflt));
    return null;
  }

  private static KStream pick(
      final Map<String, KStream> m, final JsonNode st, final String suffix) {
    if (has(st, "name")) return m.get(st.get("name").asText() + suffix);
    for (final Map.Entry<String, KStream> e : m.entrySet()) {
      if (e.getKey().matches("KSTREAM-BRANCH-\\d{10}" + Pattern.quote(suffix))) return e.getValue();
    }
    throw new IllegalStateException("no branch " + suffix + " in " + m.keySet());
  }
}
