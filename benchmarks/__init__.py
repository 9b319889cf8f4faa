"""Measurements: one file a scenario in `scenarios/`, run by `make bench`."""
