"""Java and Kotlin sources as one small syntax tree."""
