"""Serdes of schema formats: Avro, JSON and Protobuf, alone and with a schema registry."""
