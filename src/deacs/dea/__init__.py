"""Data envelopment analysis: how efficient each unit is at turning inputs into outputs."""

from deacs.dea.best_unit import Winner, best_unit, score_of
from deacs.dea.ccr import ccr
from deacs.dea.result import DEAResult
from deacs.dea.super_efficiency import super_efficiency

__all__ = ["DEAResult", "Winner", "best_unit", "ccr", "score_of", "super_efficiency"]
