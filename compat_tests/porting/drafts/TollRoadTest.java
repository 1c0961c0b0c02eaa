package toll;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Properties;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TestOutputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TollRoadTest {
    private TopologyTestDriver driver;
    private TestInputTopic<String, String> passes;
    private TestOutputTopic<String, Long> counts;

    @BeforeEach
    void setUp() {
        Properties settings = new Properties();
        settings.setProperty("default.key.serde", Serdes.String().getClass().getName());
        settings.setProperty("default.value.serde", Serdes.StringSerde.class.getName());
        driver = new TopologyTestDriver(TollRoad.topology(), settings);
        passes = driver.createInputTopic(TollRoad.PASSES, new StringSerializer(), new StringSerializer());
        counts = driver.createOutputTopic("counts", new StringDeserializer(), new LongDeserializer());
    }

    @AfterEach
    void tearDown() {
        driver.close();
    }

    @Test
    void countsEachGate() {
        passes.pipeInput("a", "North,car,4", 0L);
        passes.pipeInput("b", "North,truck,6", 1L);
        assertEquals(new KeyValue<>("north@0", 1L), counts.readKeyValue());
        assertThat(counts.readValue(), is(2L));
        assertTrue(counts.isEmpty());
    }

    @Test
    void linesWithoutGateAreIgnored() {
        passes.pipeInput("a", "nothing", 0L);
        assertThat(counts.readKeyValuesToList(), hasSize(0));
        assertThrows(NumberFormatException.class, () -> TollRoad.Pass.parse("a,b,c"));
    }
}
