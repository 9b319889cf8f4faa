"""The paper's greedy loop and its parts: criteria, choosers, judges, counts and settings."""
