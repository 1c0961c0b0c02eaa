package oracle;

import static oracle.Options.has;
import static oracle.Options.joinWindows;
import static oracle.Options.mat;
import static oracle.Options.ms;
import static oracle.Options.serde;
import static oracle.Options.streamJoined;
import static oracle.Options.tableJoined;

import com.fasterxml.jackson.databind.JsonNode;
import org.apache.kafka.streams.kstream.*;

/** The five kinds of join. */
@SuppressWarnings({"unchecked", "rawtypes", "deprecation"})
final class Joins {
  private Joins() {}

  static Object join(final Topo topo, final JsonNode st, final Named nm) {
    final Object l = topo.in(st, 0);
    final Object r = topo.in(st, 1);
    final String how = st.get("how").asText();
    final Fns.A j = Fns.joiner(st.get("fn"));
    final ValueJoiner vj = (a, b) -> j.apply(null, a, b);
    final ValueJoinerWithKey vjk = (k, a, b) -> j.apply(k, a, b);
    final boolean wk = st.path("withKey").asBoolean();
    final boolean inner = how.equals("inner");
    final boolean left = how.equals("left");
    if (l instanceof KStream && r instanceof KStream) {
      final JoinWindows w = joinWindows(st.get("windows"));
      final StreamJoined sj = streamJoined(st);
      final KStream a = (KStream) l;
      final KStream b = (KStream) r;
      if (wk)
        return inner
            ? a.join(b, vjk, w, sj)
            : left ? a.leftJoin(b, vjk, w, sj) : a.outerJoin(b, vjk, w, sj);
      return inner
          ? a.join(b, vj, w, sj)
          : left ? a.leftJoin(b, vj, w, sj) : a.outerJoin(b, vj, w, sj);
    }
    if (l instanceof KStream && r instanceof GlobalKTable) {
      final Fns.F mf = Fns.fn(st.get("mapper"));
      final KeyValueMapper km = mf::apply;
      final KStream a = (KStream) l;
      final GlobalKTable g = (GlobalKTable) r;
      if (wk)
        return nm == null
            ? (inner ? a.join(g, km, vjk) : a.leftJoin(g, km, vjk))
            : (inner ? a.join(g, km, vjk, nm) : a.leftJoin(g, km, vjk, nm));
      return nm == null
          ? (inner ? a.join(g, km, vj) : a.leftJoin(g, km, vj))
          : (inner ? a.join(g, km, vj, nm) : a.leftJoin(g, km, vj, nm));
    }
    if (l instanceof KStream) {
      Joined jd = Joined.with(serde(st.get("key")), serde(st.get("value")), serde(st.get("other")));
      if (has(st, "name")) jd = jd.withName(st.get("name").asText());
      if (has(st, "grace")) jd = jd.withGracePeriod(ms(st.get("grace")));
      final KStream a = (KStream) l;
      final KTable t = (KTable) r;
      if (wk) return inner ? a.join(t, vjk, jd) : a.leftJoin(t, vjk, jd);
      return inner ? a.join(t, vj, jd) : a.leftJoin(t, vj, jd);
    }
    final KTable a = (KTable) l;
    final KTable b = (KTable) r;
    final Materialized m = mat(st.get("materialized"));
    if (has(st, "fk")) {
      final Fns.F f = Fns.fn(st.get("fk"));
      final boolean plain = nm == null && !has(st, "partitioner") && !has(st, "otherPartitioner");
      final TableJoined tj = plain ? null : tableJoined(st);
      if (st.path("fkWithKey").asBoolean()) {
        final java.util.function.BiFunction ex = f::apply;
        if (plain && m == null) return inner ? a.join(b, ex, vj) : a.leftJoin(b, ex, vj);
        if (plain) return inner ? a.join(b, ex, vj, m) : a.leftJoin(b, ex, vj, m);
        if (m == null) return inner ? a.join(b, ex, vj, tj) : a.leftJoin(b, ex, vj, tj);
        return inner ? a.join(b, ex, vj, tj, m) : a.leftJoin(b, ex, vj, tj, m);
      }
      final java.util.function.Function ex = v -> f.apply(null, v);
      if (plain && m == null) return inner ? a.join(b, ex, vj) : a.leftJoin(b, ex, vj);
      if (plain) return inner ? a.join(b, ex, vj, m) : a.leftJoin(b, ex, vj, m);
      if (m == null) return inner ? a.join(b, ex, vj, tj) : a.leftJoin(b, ex, vj, tj);
      return inner ? a.join(b, ex, vj, tj, m) : a.leftJoin(b, ex, vj, tj, m);
    }
    if (m == null) {
      if (nm == null) return inner ? a.join(b, vj) : left ? a.leftJoin(b, vj) : a.outerJoin(b, vj);
      return inner ? a.join(b, vj, nm) : left ? a.leftJoin(b, vj, nm) : a.outerJoin(b, vj, nm);
    }
    if (nm == null)
      return inner ? a.join(b, vj, m) : left ? a.leftJoin(b, vj, m) : a.outerJoin(b, vj, m);
    return inner
        ? a.join(b, vj, nm, m)
        : left ? a.leftJoin(b, vj, nm, m) : a.outerJoin(b, vj, nm, m);
  }
}
