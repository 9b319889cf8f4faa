"""Selection from tables in databases, which do the counting; only counts are transferred."""
