"""The word count of `examples.word_count`, live: a broker, a producer, Spark and a consumer.

    python -m examples.word_count_demo                          # until Ctrl-C
    python -m examples.word_count_demo --seconds 30 --plain     # stops by itself

English text goes into a topic at a steady rate. Spark counts its words exactly once. A
read_committed consumer follows the counts, and in the end they must equal a direct count of what
was produced.
"""
