"""OpenTelemetry: metrics and traces of an application, and trace context in records' headers."""
