"""Each module has `TITLE`, `NOTE` and `run()`, which returns rows (dicts with the same keys)."""
