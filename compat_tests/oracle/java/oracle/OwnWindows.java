package oracle;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.streams.kstream.Window;
import org.apache.kafka.streams.kstream.Windows;
import org.apache.kafka.streams.kstream.internals.TimeWindow;

/** Windows as a user writes them, with only what the abstract class asks for. */
final class OwnWindows {
  private OwnWindows() {}

  /** Days of a time zone: one in spring has 23 hours, one in autumn 25. */
  static final class Daily extends Windows<TimeWindow> {
    private final ZoneId zone;
    private final long grace;

    Daily(final JsonNode w) {
      zone = ZoneId.of(w.get("zone").asText());
      grace = w.path("grace").asLong(0);
    }

    @Override
    public Map<Long, TimeWindow> windowsFor(final long timestamp) {
      final ZonedDateTime day =
          Instant.ofEpochMilli(timestamp).atZone(zone).toLocalDate().atStartOfDay(zone);
      final ZonedDateTime next = day.toLocalDate().plusDays(1).atStartOfDay(zone);
      final long start = day.toInstant().toEpochMilli();
      final Map<Long, TimeWindow> found = new LinkedHashMap<>();
      found.put(start, new TimeWindow(start, next.toInstant().toEpochMilli()));
      return found;
    }

    @Override
    public long size() {
      return 24 * 60 * 60 * 1000L;
    }

    @Override
    public long gracePeriodMs() {
      return grace;
    }
  }

  static final class Slot extends Window {
    Slot(final long start, final long end) {
      super(start, end);
    }

    @Override
    public boolean overlap(final Window other) {
      return start() < other.end() && other.start() < end();
    }
  }

  /** Overlapping windows, the latest first, that are as long as they like. */
  static final class Slots extends Windows<Slot> {
    private final long size;
    private final long advance;
    private final long length;
    private final long grace;

    Slots(final JsonNode w) {
      size = w.get("size").asLong();
      advance = w.path("advance").asLong(size);
      length = w.path("length").asLong(size);
      grace = w.path("grace").asLong(0);
    }

    @Override
    public Map<Long, Slot> windowsFor(final long timestamp) {
      final Map<Long, Slot> found = new LinkedHashMap<>();
      for (long start = timestamp - timestamp % advance;
          start >= 0 && start + size > timestamp;
          start -= advance) found.put(start, new Slot(start, start + length));
      return found;
    }

    @Override
    public long size() {
      return size;
    }

    @Override
    public long gracePeriodMs() {
      return grace;
    }
  }
}
