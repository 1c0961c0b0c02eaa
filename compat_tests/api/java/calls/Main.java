package calls;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes calls of Kafka Streams' public API that a file describes, and writes down what came of each.
 *
 * <p>The file maps names of groups to groups. A group has "steps", run in order: {"name": expression}; and, for
 * "equality", the names of steps whose results are compared with each other. Answers go to "expect" of the group.
 */
public final class Main {
  static final ObjectMapper JSON = new ObjectMapper();

  public static void main(final String[] args) throws Exception {
    final Path file = Path.of(args[0]);
    final ObjectNode groups = (ObjectNode) JSON.readTree(file.toFile());
    final Watch watch = new Watch((ObjectNode) groups.remove("getters"));
    groups.fields().forEachRemaining(group -> run((ObjectNode) group.getValue(), watch));
    Files.writeString(file, JSON.writerWithDefaultPrettyPrinter().writeValueAsString(groups) + "\n");
  }

  private static void run(final ObjectNode group, final Watch watch) {
    final Map<String, Object> known = new LinkedHashMap<>();
    final Values values = new Values(known);
    final ObjectNode answers = group.putObject("expect");
    group
        .get("steps")
        .fields()
        .forEachRemaining(
            step -> {
              try {
                final Object value = values.of(step.getValue(), Object.class);
                known.put(step.getKey(), value);
                answers.set(step.getKey(), watch.seen(value));
              } catch (final Values.Unknown unknown) {
                answers.put(step.getKey(), "needs " + unknown.getMessage());
              } catch (final Throwable thrown) {
                answers.set(step.getKey(), watch.thrown(thrown));
              }
            });
    if (group.has("equality")) {
      group.set("classes", classes(group.get("equality"), known));
    }
    values.close();
  }

  /** For each name, the first name whose value is equal to its own. */
  private static JsonNode classes(final JsonNode names, final Map<String, Object> known) {
    final ObjectNode found = JSON.createObjectNode();
    final List<String> heads = new ArrayList<>();
    for (final JsonNode each : names) {
      final String name = each.asText();
      if (known.get(name) == null) {
        continue;
      }
      final Object value = known.get(name);
      final String head =
          heads.stream().filter(h -> equal(known.get(h), value)).findFirst().orElse(name);
      if (head.equals(name)) {
        heads.add(name);
      } else if (same(known.get(head), value)) {
        found.put(name + " hashes", "equal");
      }
      found.put(name, head);
    }
    return found;
  }

  private static boolean equal(final Object one, final Object other) {
    try {
      return one.equals(other);
    } catch (final NullPointerException incomplete) {
      return false;
    }
  }

  private static boolean same(final Object one, final Object other) {
    try {
      return one.hashCode() == other.hashCode();
    } catch (final UnsupportedOperationException | NullPointerException mutableOrIncomplete) {
      return false;
    }
  }

  static ArrayNode array() {
    return JSON.createArrayNode();
  }

  private Main() {}
}
