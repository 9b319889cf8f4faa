"""Continuous columns to few intervals, as scikit-learn transformers."""

from deacs.discretize.cuts import bins
from deacs.discretize.mdlp import MDLP, mdlp_cut_points

__all__ = ["MDLP", "bins", "mdlp_cut_points"]
