"""Tests of whole applications on Spark and a broker."""
