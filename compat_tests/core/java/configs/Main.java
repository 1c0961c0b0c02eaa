package configs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.streams.StreamsConfig;

/** Writes into each case of a file what Kafka's StreamsConfig makes of its entries. */
public final class Main {
    private Main() {}

    public static void main(final String[] arguments) throws Exception {
        final ObjectMapper mapper = new ObjectMapper();
        final File file = new File(arguments[0]);
        final ArrayNode cases = (ArrayNode) mapper.readTree(file);
        for (final JsonNode each : cases) {
            answer((ObjectNode) each);
        }
        mapper.writeValue(file, cases);
    }

    private static void answer(final ObjectNode found) {
        final Map<String, Object> entries = new HashMap<>();
        found.get("props").properties().forEach(e -> entries.put(e.getKey(), value(e.getValue())));
        try {
            final Map<String, ?> got = look(new StreamsConfig(entries), found.get("get").asText());
            final ObjectNode answer = found.putObject("got");
            new TreeMap<>(got).forEach((key, each) -> answer.put(key, String.valueOf(each)));
        } catch (final RuntimeException error) {
            found.put("error", error.getClass().getSimpleName());
        }
    }

    private static Map<String, ?> look(final StreamsConfig config, final String what) {
        return switch (what) {
            case "" -> Map.of();
            case "main" -> config.getMainConsumerConfigs("g", "c", 1);
            case "restore" -> config.getRestoreConsumerConfigs("c");
            case "global" -> config.getGlobalConsumerConfigs("c");
            case "producer" -> config.getProducerConfigs("c");
            case "admin" -> config.getAdminConfigs("c");
            case "tags" -> config.getClientTags();
            default -> Map.of(what, String.valueOf(config.values().get(what)));
        };
    }

    private static Object value(final JsonNode node) {
        if (node.isArray()) {
            final List<Object> items = new ArrayList<>();
            node.forEach(item -> items.add(value(item)));
            return items;
        }
        if (node.isTextual()) {
            return node.textValue();
        }
        if (node.isBoolean()) {
            return node.booleanValue();
        }
        return node.isNull() ? null : node.numberValue();
    }
}
