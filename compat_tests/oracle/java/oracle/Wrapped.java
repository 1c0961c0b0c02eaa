package oracle;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.streams.processor.api.FixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.ProcessorWrapper;
import org.apache.kafka.streams.processor.api.WrappedFixedKeyProcessorSupplier;
import org.apache.kafka.streams.processor.api.WrappedProcessorSupplier;
import org.apache.kafka.streams.state.StoreBuilder;

/** A processor wrapper (KIP-1112) that notes what it is shown, and changes nothing. */
public final class Wrapped implements ProcessorWrapper {
  static ArrayNode shown = new ObjectMapper().createArrayNode();

  @Override
  public <KIn, VIn, KOut, VOut> WrappedProcessorSupplier<KIn, VIn, KOut, VOut> wrapProcessorSupplier(
      final String name, final ProcessorSupplier<KIn, VIn, KOut, VOut> supplier) {
    note("processor", name, supplier.stores());
    return ProcessorWrapper.asWrapped(supplier);
  }

  @Override
  public <KIn, VIn, VOut> WrappedFixedKeyProcessorSupplier<KIn, VIn, VOut> wrapFixedKeyProcessorSupplier(
      final String name, final FixedKeyProcessorSupplier<KIn, VIn, VOut> supplier) {
    note("fixed-key", name, supplier.stores());
    return ProcessorWrapper.asWrappedFixedKey(supplier);
  }

  private static void note(final String kind, final String name, final Set<StoreBuilder<?>> given) {
    final ArrayNode line = shown.addArray().add(kind).add(name);
    final Set<String> names = new TreeSet<>();
    if (given != null) given.forEach(builder -> names.add(builder.name()));
    names.forEach(line::add);
  }
}
