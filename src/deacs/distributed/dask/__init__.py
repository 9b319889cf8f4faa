"""Coded tables on the workers of a Dask cluster, by feature or by row."""
