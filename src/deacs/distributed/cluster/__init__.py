"""Counting on the workers of a cluster, with any scheduler."""
