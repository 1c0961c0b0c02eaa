"""A real application with unmistakable secrets, and everything that it shows or writes."""
