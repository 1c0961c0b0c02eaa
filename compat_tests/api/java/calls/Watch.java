package calls;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/** What can be seen of a value from outside. */
final class Watch {
  private static final Pattern IDENTITY = Pattern.compile("@[0-9a-f]{4,}|\\$Proxy|Lambda");
  private final ObjectNode getters;

  Watch(final ObjectNode getters) {
    this.getters = getters;
  }

  JsonNode thrown(final Throwable thrown) {
    final ObjectNode node = Main.JSON.createObjectNode();
    node.put("raises", Values.shown(thrown.getClass()));
    node.put("message", thrown.getMessage());
    final ArrayNode kinds = node.putArray("is");
    Class<?> type = thrown.getClass().getSuperclass();
    while (type != null && type != Exception.class && type != Throwable.class) {
      kinds.add(Values.shown(type));
      type = type.getSuperclass();
    }
    return node;
  }

  JsonNode seen(final Object value) {
    return seen(value, 0);
  }

  private JsonNode seen(final Object value, final int depth) {
    if (value == null || value instanceof Boolean || value instanceof Number) {
      return Main.JSON.valueToTree(value);
    }
    final ObjectNode node = Main.JSON.createObjectNode();
    if (value instanceof String) {
      return Main.JSON.valueToTree(value);
    } else if (value instanceof Enum) {
      return node.put("enum", ((Enum<?>) value).name());
    } else if (value instanceof byte[]) {
      return node.put("bytes", HexFormat.of().formatHex((byte[]) value));
    } else if (value instanceof Duration) {
      return node.put("ms", ((Duration) value).toMillis());
    } else if (value instanceof Instant) {
      return node.put("at", ((Instant) value).toEpochMilli());
    } else if (value instanceof Headers) {
      final ArrayNode headers = node.putArray("headers");
      for (final Header each : (Headers) value) {
        headers.add(list(List.of(seen(each.key()), seen(each.value()))));
      }
      return node;
    } else if (value instanceof OptionalInt) {
      final OptionalInt found = (OptionalInt) value;
      return node.set("optional", seen(found.isPresent() ? found.getAsInt() : null));
    } else if (value instanceof Class) {
      return node.put("class", Values.shown((Class<?>) value));
    } else if (value instanceof Optional) {
      return node.set("optional", seen(((Optional<?>) value).orElse(null), depth + 1));
    } else if (value instanceof Throwable) {
      return node.set("error", thrown((Throwable) value));
    } else if (value instanceof Map) {
      return node.set("map", sorted(pairs((Map<?, ?>) value, depth)));
    } else if (value instanceof Set) {
      return node.set("set", sorted(each(((Set<?>) value).iterator(), depth)));
    } else if (value instanceof Collection) {
      return list(each(((Collection<?>) value).iterator(), depth));
    } else if (value instanceof Iterator) {
      return node.set("iterator", list(each((Iterator<?>) value, depth)));
    }
    return object(value, depth);
  }

  private JsonNode object(final Object value, final int depth) {
    final ObjectNode node = Main.JSON.createObjectNode();
    final ArrayNode types = node.putArray("types");
    for (final Class<?> each : kinds(value.getClass(), new ArrayList<>())) {
      types.add(name(each));
    }
    try {
      final String text = value.toString();
      if (text != null && !IDENTITY.matcher(text).find() && !text.equals("function")) {
        node.put("text", text);
      }
    } catch (final RuntimeException unable) {
      node.set("text", thrown(unable));
    }
    if (depth < 4) {
      look(value, node.putObject("get"), depth);
    }
    return node;
  }

  private void look(final Object value, final ObjectNode into, final int depth) {
    for (final Class<?> each : kinds(value.getClass(), new ArrayList<>())) {
      final JsonNode names = getters.get(name(each));
      if (names == null) {
        continue;
      }
      for (final JsonNode name : names) {
        try {
          if (name.asText().endsWith("()")) {
            final String method = name.asText().replace("()", "");
            final Method found = each.getMethod(method);
            found.setAccessible(true);
            into.set(name.asText(), seen(found.invoke(value), depth + 1));
          } else {
            final Field field = each.getField(name.asText());
            into.set(name.asText(), seen(field.get(value), depth + 1));
          }
        } catch (final java.lang.reflect.InvocationTargetException failed) {
          into.set(name.asText(), thrown(failed.getCause()));
        } catch (final ReflectiveOperationException absent) {
          throw new IllegalStateException(absent);
        }
      }
    }
  }

  /** The public classes and interfaces that a value is of. */
  private static List<Class<?>> kinds(final Class<?> type, final List<Class<?>> found) {
    if (type == null || type == Object.class || found.contains(type)) {
      return found;
    }
    final boolean ours = type.getName().startsWith("org.apache.kafka.");
    if (ours && !type.getName().contains(".internals.")) {
      found.add(type);
    }
    kinds(type.getSuperclass(), found);
    for (final Class<?> each : type.getInterfaces()) {
      kinds(each, found);
    }
    return found;
  }

  private static String name(final Class<?> type) {
    return type.getName().replace("org.apache.kafka.streams.", "").replace('$', '.');
  }

  private List<JsonNode> each(final Iterator<?> values, final int depth) {
    final List<JsonNode> nodes = new ArrayList<>();
    while (values.hasNext()) {
      nodes.add(seen(values.next(), depth + 1));
    }
    return nodes;
  }

  private List<JsonNode> pairs(final Map<?, ?> map, final int depth) {
    final List<JsonNode> nodes = new ArrayList<>();
    map.forEach(
        (key, value) ->
            nodes.add(list(List.of(seen(key, depth + 1), seen(value, depth + 1)))));
    return nodes;
  }

  private static ArrayNode sorted(final List<JsonNode> nodes) {
    nodes.sort(java.util.Comparator.comparing(JsonNode::toString));
    return list(nodes);
  }

  private static ArrayNode list(final List<JsonNode> nodes) {
    return Main.array().addAll(nodes);
  }
}
