"""Protobuf: a serde for the message classes of the protobuf package."""

from millstream.serdes.protobuf.serde import ProtobufDeserializer as ProtobufDeserializer
from millstream.serdes.protobuf.serde import ProtobufSerde as ProtobufSerde
from millstream.serdes.protobuf.serde import ProtobufSerializer as ProtobufSerializer
