"""Code files larger than memory into a store, one block of columns at a time."""
