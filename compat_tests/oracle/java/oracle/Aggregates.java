package oracle;

import static oracle.Options.has;
import static oracle.Options.mat;
import static oracle.Options.window;

import com.fasterxml.jackson.databind.JsonNode;
import org.apache.kafka.streams.kstream.*;

/** Aggregations of grouped streams and tables. */
@SuppressWarnings({"unchecked", "rawtypes", "deprecation"})
final class Aggregates {
  private Aggregates() {}

  static Object aggregate(final Topo topo, final String op, final JsonNode st, final Named nm) {
    final Object src = topo.in(st, 0);
    final Materialized m = mat(st.get("materialized"));
    final Initializer init =
        has(st, "agg") || has(st, "adder") ? () -> Fns.val(st.get("init")) : null;
    final Fns.A a = has(st, "agg") ? Fns.agg(st.get("agg")) : null;
    final Aggregator agg = a == null ? null : a::apply;
    final Reducer red = a == null ? null : (x, y) -> a.apply(null, y, x);
    if (src instanceof KGroupedTable) {
      final KGroupedTable g = (KGroupedTable) src;
      if (op.equals("count"))
        return m == null
            ? (nm == null ? g.count() : g.count(nm))
            : (nm == null ? g.count(m) : g.count(nm, m));
      final Fns.A add = Fns.agg(st.get("adder"));
      final Fns.A sub = Fns.agg(st.get("subtractor"));
      if (op.equals("reduce")) {
        final Reducer r1 = (x, y) -> add.apply(null, y, x);
        final Reducer r2 = (x, y) -> sub.apply(null, y, x);
        return m == null
            ? g.reduce(r1, r2)
            : (nm == null ? g.reduce(r1, r2, m) : g.reduce(r1, r2, nm, m));
      }
      final Aggregator a1 = add::apply;
      final Aggregator a2 = sub::apply;
      return m == null
          ? g.aggregate(init, a1, a2)
          : (nm == null ? g.aggregate(init, a1, a2, m) : g.aggregate(init, a1, a2, nm, m));
    }
    final KGroupedStream g = (KGroupedStream) src;
    if (!has(st, "window")) {
      switch (op) {
        case "count":
          return m == null
              ? (nm == null ? g.count() : g.count(nm))
              : (nm == null ? g.count(m) : g.count(nm, m));
        case "reduce":
          return m == null ? g.reduce(red) : (nm == null ? g.reduce(red, m) : g.reduce(red, nm, m));
        default:
          return m == null
              ? g.aggregate(init, agg)
              : (nm == null ? g.aggregate(init, agg, m) : g.aggregate(init, agg, nm, m));
      }
    }
    final Object w = window(st.get("window"));
    final EmitStrategy es =
        !has(st, "emit")
            ? null
            : st.get("emit").asText().equals("close")
                ? EmitStrategy.onWindowClose()
                : EmitStrategy.onWindowUpdate();
    if (w instanceof SessionWindows) {
      SessionWindowedKStream x = g.windowedBy((SessionWindows) w);
      if (es != null) x = x.emitStrategy(es);
      switch (op) {
        case "count":
          return m == null
              ? (nm == null ? x.count() : x.count(nm))
              : (nm == null ? x.count(m) : x.count(nm, m));
        case "reduce":
          return m == null
              ? (nm == null ? x.reduce(red) : x.reduce(red, nm))
              : (nm == null ? x.reduce(red, m) : x.reduce(red, nm, m));
        default:
          {
            final Fns.A mg = Fns.agg(st.get("merger"));
            final Merger me = (k, p, q) -> mg.apply(k, q, p);
            return m == null
                ? (nm == null ? x.aggregate(init, agg, me) : x.aggregate(init, agg, me, nm))
                : (nm == null ? x.aggregate(init, agg, me, m) : x.aggregate(init, agg, me, nm, m));
          }
      }
    }
    TimeWindowedKStream x =
        w instanceof SlidingWindows ? g.windowedBy((SlidingWindows) w) : g.windowedBy((Windows) w);
    if (es != null) x = x.emitStrategy(es);
    switch (op) {
      case "count":
        return m == null
            ? (nm == null ? x.count() : x.count(nm))
            : (nm == null ? x.count(m) : x.count(nm, m));
      case "reduce":
        return m == null
            ? (nm == null ? x.reduce(red) : x.reduce(red, nm))
            : (nm == null ? x.reduce(red, m) : x.reduce(red, nm, m));
      default:
        return m == null
            ? (nm == null ? x.aggregate(init, agg) : x.aggregate(init, agg, nm))
            : (nm == null ? x.aggregate(init, agg, m) : x.aggregate(init, agg, nm, m));
    }
  }

  static Object cogroup(final Topo topo, final JsonNode st, final Named nm) {
    CogroupedKStream c = null;
    final Initializer init = () -> Fns.val(st.get("init"));
    for (int i = 0; i < st.get("from").size(); i++) {
      final Fns.A a = Fns.agg(st.get("aggs").get(i));
      final Aggregator ag = a::apply;
      final KGroupedStream g = (KGroupedStream) topo.in(st, i);
      c = c == null ? g.cogroup(ag) : c.cogroup(g, ag);
    }
    final Materialized m = mat(st.get("materialized"));
    if (!has(st, "window"))
      return m == null
          ? (nm == null ? c.aggregate(init) : c.aggregate(init, nm))
          : (nm == null ? c.aggregate(init, m) : c.aggregate(init, nm, m));
    final Object w = window(st.get("window"));
    if (w instanceof SessionWindows) {
      final Fns.A mg = Fns.agg(st.get("merger"));
      final Merger me = (k, p, q) -> mg.apply(k, q, p);
      final SessionWindowedCogroupedKStream x = c.windowedBy((SessionWindows) w);
      return m == null
          ? (nm == null ? x.aggregate(init, me) : x.aggregate(init, me, nm))
          : (nm == null ? x.aggregate(init, me, m) : x.aggregate(init, me, nm, m));
    }
    final TimeWindowedCogroupedKStream x =
        w instanceof SlidingWindows ? c.windowedBy((SlidingWindows) w) : c.windowedBy((Windows) w);
    return m == null
        ? (nm == null ? x.aggregate(init) : x.aggregate(init, nm))
        : (nm == null ? x.aggregate(init, m) : x.aggregate(init, nm, m));
  }
}
