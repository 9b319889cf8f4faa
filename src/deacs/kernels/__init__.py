"""The only numba code: contiguous arrays in, filled arrays out, nothing validated."""
