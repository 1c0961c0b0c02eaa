#!/bin/sh
# Python of an application's workers on this machine: processes that Spark would start and let
# import everything are forked from the fork server instead (worker_python.py).
exec "$MILLSTREAM_PYTHON" -m millstream.topology.spark.worker_python "$@"
