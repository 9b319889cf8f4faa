"""Coded tables on disk, and how they are counted a block of columns at a time."""
