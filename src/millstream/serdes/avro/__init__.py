"""Avro: a serde for single data, record classes, and schemas made from dataclasses.

``AvroSerde`` encodes and decodes with functions that are generated for each schema. For the serdes
of a schema registry, which have another header before the same bytes, there are the parts:

- ``avro_schema(source)`` reads and checks a schema (text, dict, ``.avsc`` path, avro package).
- ``AvroSerializer(schema)`` and ``AvroDeserializer(written, record_type, reader_schema=wanted)``
  are the quickest way between objects and bytes without a header; they take ``AvroSchema``, too.
- ``to_datum(value, schema)`` gives what ``fastavro.schemaless_writer`` takes, and so confluent's
  ``AvroSerializer(to_dict=...)``: unions as ``(branch, datum)``, logical types as plain numbers.
  It raises ``ClassCastException`` with the path of the field that does not fit.
- ``from_datum(datum, record_type)`` gives objects of dataclasses, of ``avro_record_class`` or dicts
  from what fastavro has read, and so from ``AvroDeserializer(from_dict=...)``. Let the reader tell
  the names of records in unions: ``return_record_name=True``, and fastavro's own
  ``return_record_name_override=True`` if it is called directly.
- ``avro_record_class(schema)`` is the counterpart of a class that Java's compiler makes.
"""

from millstream.serdes.avro.from_datum import from_datum as from_datum
from millstream.serdes.avro.records import AvroRecord as AvroRecord
from millstream.serdes.avro.records import avro_record_class as avro_record_class
from millstream.serdes.avro.schema import AvroSchema as AvroSchema
from millstream.serdes.avro.schema import avro_schema as avro_schema
from millstream.serdes.avro.serde import AvroDeserializer as AvroDeserializer
from millstream.serdes.avro.serde import AvroSerde as AvroSerde
from millstream.serdes.avro.serde import AvroSerializer as AvroSerializer
from millstream.serdes.avro.to_datum import to_datum as to_datum
