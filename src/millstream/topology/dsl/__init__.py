"""The DSL: streams, tables, their grouped and windowed forms, and the options of their methods."""
