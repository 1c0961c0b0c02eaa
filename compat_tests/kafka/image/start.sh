#!/bin/sh
# Starts Kafka as the public image does: the variables KAFKA_* and CLUSTER_ID are its settings, the
# storage is formatted at the first start, and signals reach the broker itself.
set -u
classpath='/opt/kafka/libs/*'

# Apache's own translation of variables to server.properties; it also formats the storage.
if ! said=$(java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx128m -cp "$classpath" \
  kafka.docker.KafkaDockerWrapper setup --default-configs-dir /opt/kafka/defaults \
  --mounted-configs-dir /mnt/shared/config --final-configs-dir /opt/kafka/config 2>&1); then
  case "$said" in
    *"already formatted"*) ;;
    *)
      echo "$said" >&2
      exit 1
      ;;
  esac
fi

# shellcheck disable=SC2086  # the heap options are a list
exec java ${KAFKA_HEAP_OPTS:--Xmx512m} -XX:+UseSerialGC -Djava.awt.headless=true \
  -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -Dorg.slf4j.simpleLogger.showDateTime=true \
  -cp "$classpath" kafka.Kafka /opt/kafka/config/server.properties
