"""Counts on the workers of a cluster, whatever schedules its tasks."""
