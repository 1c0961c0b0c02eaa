package orchard

import org.apache.kafka.common.serialization.Serdes
import org.apache.kafka.streams.KafkaStreams
import org.apache.kafka.streams.KeyValue
import org.apache.kafka.streams.StreamsBuilder
import org.apache.kafka.streams.StreamsConfig
import org.apache.kafka.streams.Topology
import org.apache.kafka.streams.kstream.Branched
import org.apache.kafka.streams.kstream.Grouped
import org.apache.kafka.streams.kstream.KStream
import org.apache.kafka.streams.kstream.Materialized
import org.apache.kafka.streams.kstream.Named
import org.apache.kafka.streams.kstream.Transformer
import org.apache.kafka.streams.kstream.Produced as Written
import java.util.Properties

data class Crate(val fruit: String, val kilos: Int)

fun KStream<String, Crate>.heavy(): KStream<String, Crate> = filter { _, crate -> crate.kilos > 20 }

class Press {
    private val totals = mutableMapOf<String, Int>()
    private val settings = Properties().apply {
        put(StreamsConfig.APPLICATION_ID_CONFIG, "orchard")
        this[StreamsConfig.PROCESSING_GUARANTEE_CONFIG] = StreamsConfig.EXACTLY_ONCE_V2
    }

    fun topology(): Topology = StreamsBuilder().apply {
        stream<String, Crate>("crates")
            .heavy()
            .groupBy({ _, crate -> crate.fruit }, Grouped.`as`("by-fruit"))
            .count(Materialized.`as`("weights"))
            .toStream(Named.`as`("out"))
            .map { fruit, count -> KeyValue(fruit.uppercase(), count) }
            .to("pressed", Written.with(Serdes.String(), Serdes.Long()))
        stream<String, Crate>("more")
            .transform({ Sorter() })
            .split()
            .branch({ _, _ -> true }, Branched.withConsumer { it.to("all") })
    }.build()

    fun run() {
        val streams = KafkaStreams(topology(), settings)
        streams.setStateListener { now, before -> println("$before -> $now") }
        streams.also { it.start() }
        listOf(1, 2).map { it + 1 }.filter { it > 1 }.forEach(::println)
    }
}

class Sorter : Transformer<String, Crate, KeyValue<String, Crate>> {
    override fun transform(key: String, value: Crate) = KeyValue.pair(key, value)
}
