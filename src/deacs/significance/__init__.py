"""Tests of candidates for dependence on the class, given the selected features."""

from deacs.significance.levels import LEVELS
from deacs.significance.steps import Significance, StepTest

__all__ = ["LEVELS", "Significance", "StepTest"]
