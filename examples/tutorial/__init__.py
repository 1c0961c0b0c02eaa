"""The tutorial's application, a shop, in seven steps; docs/tutorial has the pages."""
