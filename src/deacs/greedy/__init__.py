"""The paper's greedy loop and its parts: criteria, choosers, judges, engines and settings."""
