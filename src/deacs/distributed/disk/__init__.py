"""Coded tables on disk, counted one block of columns at a time."""
