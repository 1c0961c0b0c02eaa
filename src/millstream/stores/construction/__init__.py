"""Suppliers, builders and factories of stores."""
