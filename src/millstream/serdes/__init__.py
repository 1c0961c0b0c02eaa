"""Serdes of schema formats: Avro, JSON and Protobuf, alone and with a schema registry.

``millstream`` has all of their names, too. They are imported at their first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from millstream.core.later_names import LATER

if TYPE_CHECKING:
    from millstream.serdes.avro import AvroDeserializer as AvroDeserializer
    from millstream.serdes.avro import AvroRecord as AvroRecord
    from millstream.serdes.avro import AvroSerde as AvroSerde
    from millstream.serdes.avro import AvroSerializer as AvroSerializer
    from millstream.serdes.avro import avro_record_class as avro_record_class
    from millstream.serdes.protobuf import ProtobufDeserializer as ProtobufDeserializer
    from millstream.serdes.protobuf import ProtobufSerde as ProtobufSerde
    from millstream.serdes.protobuf import ProtobufSerializer as ProtobufSerializer


def __getattr__(name: str) -> Any:
    home = LATER.get(name, "")
    if home.startswith(f"{__name__}."):
        return getattr(import_module(home), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
