"""The greedy loop of the paper and its parts: criteria, choosers, judges, engines, settings."""
