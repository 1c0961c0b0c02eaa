"""Options of the operators: names, serdes, stores, windows' results."""

from millstream.topology.dsl.options.auto_offset_reset import AutoOffsetReset as AutoOffsetReset
from millstream.topology.dsl.options.branched import Branched as Branched
from millstream.topology.dsl.options.consumed import Consumed as Consumed
from millstream.topology.dsl.options.deduplicated import Deduplicated as Deduplicated
from millstream.topology.dsl.options.grouped import Grouped as Grouped
from millstream.topology.dsl.options.joined import Joined as Joined
from millstream.topology.dsl.options.joined import StreamJoined as StreamJoined
from millstream.topology.dsl.options.joined import TableJoined as TableJoined
from millstream.topology.dsl.options.materialized import Materialized as Materialized
from millstream.topology.dsl.options.named import Named as Named
from millstream.topology.dsl.options.named import NamedOperation as NamedOperation
from millstream.topology.dsl.options.printed import Printed as Printed
from millstream.topology.dsl.options.produced import Produced as Produced
from millstream.topology.dsl.options.repartitioned import Repartitioned as Repartitioned
from millstream.topology.dsl.options.suppressed import BufferConfig as BufferConfig
from millstream.topology.dsl.options.suppressed import EagerBufferConfig as EagerBufferConfig
from millstream.topology.dsl.options.suppressed import StrictBufferConfig as StrictBufferConfig
from millstream.topology.dsl.options.suppressed import Suppressed as Suppressed
