"""The command line: one file a verb."""

from deacs.cli.app import main

__all__ = ["main"]
