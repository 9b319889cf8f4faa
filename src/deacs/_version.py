"""The version of deacs."""

__version__ = "0.1.0"
