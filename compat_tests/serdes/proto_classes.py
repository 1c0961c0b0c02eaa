"""Message classes made at run time, as from a schema that a program reads."""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

FIELD = descriptor_pb2.FieldDescriptorProto


def order_class(count_type: int = FIELD.TYPE_INT64) -> Any:
    """Return ``shop.Order``: a user, a count, tags (a map), lines (messages), a time."""
    file = descriptor_pb2.FileDescriptorProto(
        name="order.proto",
        package="shop",
        syntax="proto3",
        dependency=["google/protobuf/timestamp.proto"],
    )
    line = file.message_type.add(name="Line")
    line.field.add(name="sku", number=1, type=FIELD.TYPE_STRING, label=FIELD.LABEL_OPTIONAL)
    order = file.message_type.add(name="Order")
    tags = order.nested_type.add(name="TagsEntry")
    tags.options.map_entry = True
    tags.field.add(name="key", number=1, type=FIELD.TYPE_STRING, label=FIELD.LABEL_OPTIONAL)
    tags.field.add(name="value", number=2, type=FIELD.TYPE_INT64, label=FIELD.LABEL_OPTIONAL)
    one, many, message = FIELD.LABEL_OPTIONAL, FIELD.LABEL_REPEATED, FIELD.TYPE_MESSAGE
    order.field.add(name="user", number=1, type=FIELD.TYPE_STRING, label=one)
    order.field.add(name="count", number=2, type=count_type, label=one)
    order.field.add(
        name="tags", number=3, type=message, label=many, type_name=".shop.Order.TagsEntry"
    )
    order.field.add(name="lines", number=4, type=message, label=many, type_name=".shop.Line")
    order.field.add(
        name="at", number=5, type=message, label=one, type_name=".google.protobuf.Timestamp"
    )
    return made(file, "shop.Order")


def required_class() -> Any:
    """Return ``old.Must``, of proto2, with a required field."""
    file = descriptor_pb2.FileDescriptorProto(name="must.proto", package="old", syntax="proto2")
    must = file.message_type.add(name="Must")
    must.field.add(name="id", number=1, type=FIELD.TYPE_INT64, label=FIELD.LABEL_REQUIRED)
    return made(file, "old.Must")


def made(file: Any, name: str) -> Any:
    """Return a class of a file, in a pool of its own."""
    from google.protobuf import timestamp_pb2

    pool = descriptor_pool.DescriptorPool()
    for each in (timestamp_pb2.DESCRIPTOR.serialized_pb, file.SerializeToString()):
        pool.AddSerializedFile(each)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))
