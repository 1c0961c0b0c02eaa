package calls;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Properties;
import org.apache.kafka.common.header.internals.RecordHeaders;

/** What the expressions of a file mean. */
final class Values {
  private static final String HOME = "org.apache.kafka.streams.";
  private final Map<String, Object> known;
  private final List<AutoCloseable> open = new ArrayList<>();

  Values(final Map<String, Object> known) {
    this.known = known;
  }

  /** The value of an expression, for a place of that type. */
  Object of(final JsonNode node, final Class<?> type) throws Throwable {
    if (node.isNull()) {
      return null;
    }
    if (node.isTextual()) {
      return node.asText();
    }
    if (node.isBoolean()) {
      return node.asBoolean();
    }
    if (node.isNumber()) {
      return number(node, type);
    }
    final String kind = node.fieldNames().next();
    final JsonNode body = node.get(kind);
    switch (kind) {
      case "use":
        if (known.get(body.asText()) == null) {
          throw new Unknown(body.asText());
        }
        return known.get(body.asText());
      case "ms":
        return Duration.ofMillis(body.asLong());
      case "at":
        return Instant.ofEpochMilli(body.asLong());
      case "long":
        return body.asLong();
      case "bytes":
        return HexFormat.of().parseHex(body.asText());
      case "pattern":
        return java.util.regex.Pattern.compile(body.asText());
      case "folder":
        final Path folder = Files.createTempDirectory("calls");
        folder.toFile().deleteOnExit();
        return folder.toFile();
      case "uuid":
        return java.util.UUID.fromString(body.asText());
      case "optionalInt":
        return body.isNull() ? OptionalInt.empty() : OptionalInt.of(body.asInt());
      case "headers":
        final RecordHeaders headers = new RecordHeaders();
        for (final JsonNode each : body) {
          headers.add(each.get(0).asText(), (byte[]) of(each.get(1), byte[].class));
        }
        return headers;
      case "class":
        return Class.forName(body.asText().startsWith("java.") ? body.asText() : full(body));
      case "optional":
        return Optional.ofNullable(of(body, Object.class));
      case "list":
        return all(body);
      case "set":
        return new LinkedHashSet<>(all(body));
      case "map":
        return pairs(body, new LinkedHashMap<>());
      case "properties":
        return pairs(body, new Properties());
      case "field":
        return field(body.asText());
      case "throwable":
        return new RuntimeException(body.asText());
      case "gives":
        return gives(body, node.has("of") ? named(node.get("of").asText()) : type);
      case "call":
        return call(body.asText(), node.get("on"), node.get("args"));
      default:
        throw new IllegalStateException("no such expression: " + node);
    }
  }

  void close() {
    for (final AutoCloseable each : open) {
      try {
        each.close();
      } catch (final Exception ignored) {
        // What is left behind is not what was asked for.
      }
    }
  }

  static Class<?> named(final String name) throws ClassNotFoundException {
    final String whole = name.startsWith("org.") || name.startsWith("java.") ? name : HOME + name;
    String tried = whole;
    while (true) {
      try {
        return Class.forName(tried);
      } catch (final ClassNotFoundException absent) {
        final int dot = tried.lastIndexOf('.');
        if (dot < 0) {
          throw new ClassNotFoundException(whole);
        }
        tried = tried.substring(0, dot) + "$" + tried.substring(dot + 1);
      }
    }
  }

  private static String full(final JsonNode name) throws ClassNotFoundException {
    return named(name.asText()).getName();
  }

  private static Object number(final JsonNode node, final Class<?> type) {
    if (type == long.class || type == Long.class) {
      return node.asLong();
    }
    if (type == double.class || type == Double.class) {
      return node.asDouble();
    }
    if (type == short.class || type == Short.class) {
      return (short) node.asInt();
    }
    return node.canConvertToInt() ? (Object) node.asInt() : (Object) node.asLong();
  }

  private List<Object> all(final JsonNode nodes) throws Throwable {
    final List<Object> values = new ArrayList<>();
    for (final JsonNode each : nodes) {
      values.add(of(each, Object.class));
    }
    return values;
  }

  private Map<Object, Object> pairs(final JsonNode nodes, final Map<Object, Object> into)
      throws Throwable {
    for (final JsonNode each : nodes) {
      into.put(of(each.get(0), Object.class), of(each.get(1), Object.class));
    }
    return into;
  }

  private static Object field(final String name) throws Exception {
    final int dot = name.lastIndexOf('.');
    final Field field = named(name.substring(0, dot)).getField(name.substring(dot + 1));
    return field.get(null);
  }

  /** An object of an interface whose every abstract method returns the value. */
  private Object gives(final JsonNode body, final Class<?> type) throws Throwable {
    final InvocationHandler handler =
        (self, method, arguments) -> {
          if (method.getName().equals("toString") && method.getParameterCount() == 0) {
            return "function";
          }
          if (method.getName().equals("equals") && method.getParameterCount() == 1) {
            return self == arguments[0];
          }
          if (method.getName().equals("hashCode") && method.getParameterCount() == 0) {
            return System.identityHashCode(self);
          }
          if (method.isDefault()) {
            return InvocationHandler.invokeDefault(self, method, arguments);
          }
          if (method.getReturnType() == void.class) {
            return null;
          }
          final Object value = of(body, Object.class);
          return value != null && method.getReturnType() == long.class
              ? ((Number) value).longValue()
              : value;
        };
    return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
  }

  /** Calls "class#method(types)"; a constructor is called by the name {@code <init>}. */
  private Object call(final String form, final JsonNode on, final JsonNode nodes) throws Throwable {
    final String owner = form.substring(0, form.indexOf('#'));
    final String name = form.substring(form.indexOf('#') + 1, form.indexOf('('));
    final String types = form.substring(form.indexOf('(') + 1, form.length() - 1);
    final Executable found = find(named(owner), name, types);
    final Object self = on == null ? null : of(on, Object.class);
    final Object[] arguments = new Object[found.getParameterCount()];
    for (int i = 0; i < arguments.length; i++) {
      final Class<?> type = found.getParameterTypes()[i];
      arguments[i] = fit(of(nodes.get(i), type), type);
    }
    try {
      final Object result =
          found instanceof Method
              ? ((Method) found).invoke(self, arguments)
              : ((Constructor<?>) found).newInstance(arguments);
      if (result instanceof AutoCloseable) {
        open.add((AutoCloseable) result);
      }
      return result;
    } catch (final InvocationTargetException error) {
      throw error.getCause();
    }
  }

  /** A list where an array is wanted: variable arguments. */
  private static Object fit(final Object value, final Class<?> type) {
    if (!type.isArray() || !(value instanceof List)) {
      return value;
    }
    final List<?> list = (List<?>) value;
    final Object array = Array.newInstance(type.getComponentType(), list.size());
    for (int i = 0; i < list.size(); i++) {
      Array.set(array, i, list.get(i));
    }
    return array;
  }

  private static Executable find(final Class<?> owner, final String name, final String types) {
    final Executable[] all =
        name.equals("<init>") ? owner.getConstructors() : owner.getMethods();
    for (final Executable each : all) {
      final boolean bridge = each instanceof Method && ((Method) each).isBridge();
      if ((name.equals("<init>") || each.getName().equals(name)) && !bridge) {
        if (types.equals(shown(each.getParameterTypes(), each.isVarArgs()))) {
          if (!Modifier.isPublic(each.getDeclaringClass().getModifiers())) {
            each.setAccessible(true);
          }
          return each;
        }
      }
    }
    throw new IllegalStateException("no such method: " + owner + " " + name + "(" + types + ")");
  }

  private static String shown(final Class<?>[] types, final boolean many) {
    final List<String> names = new ArrayList<>();
    for (final Class<?> each : types) {
      names.add(shown(each));
    }
    if (many) {
      final String last = names.remove(names.size() - 1);
      names.add(last.substring(0, last.length() - 2) + "...");
    }
    return String.join(", ", names);
  }

  static String shown(final Class<?> type) {
    if (type.isArray()) {
      return shown(type.getComponentType()) + "[]";
    }
    if (type.isPrimitive()) {
      return type.getName();
    }
    return type.getName().substring(type.getPackageName().length() + 1).replace('$', '.');
  }

  /** A value is missing because the step that makes it failed. */
  static final class Unknown extends Exception {
    Unknown(final String name) {
      super(name);
    }
  }
}
