"""Feature selectors: every one a scikit-learn estimator, loaded when it is first used."""

from typing import TYPE_CHECKING

from deacs._lazy import lazy_names

if TYPE_CHECKING:
    from deacs.selection._dea_cs import RECOMMENDED, dea_cs
    from deacs.selection._engine import Counts, Engine, LocalCounts, LocalEngine
    from deacs.selection._filter import InformationFilter
    from deacs.selection._loop import CandidateTable, Path
    from deacs.selection.beta_gamma import BetaGamma
    from deacs.selection.cfs import CFS
    from deacs.selection.cife import CIFE
    from deacs.selection.cmi import CMI
    from deacs.selection.cmim import CMIM
    from deacs.selection.condred import CondRed
    from deacs.selection.dea_selector import DEASelector
    from deacs.selection.deacs import DEACS
    from deacs.selection.deacs_cv import DEACSCV
    from deacs.selection.deafs import DEAFS
    from deacs.selection.disr import DISR
    from deacs.selection.fcbf import FCBF
    from deacs.selection.icap import ICAP
    from deacs.selection.jmi import JMI
    from deacs.selection.jmim import JMIM
    from deacs.selection.mifs import MIFS
    from deacs.selection.mifsu import MIFSU
    from deacs.selection.mim import MIM
    from deacs.selection.mrmr import MRMR
    from deacs.selection.multisurf import MultiSURF
    from deacs.selection.njmim import NJMIM
    from deacs.selection.one_hot_codes import OneHotCodes
    from deacs.selection.own_criterion import OwnCriterion, PairTerms
    from deacs.selection.relief import Relief
    from deacs.selection.relieff import ReliefF
    from deacs.selection.stability_selection import StabilitySelection
    from deacs.selection.symmetrical_uncertainty import SymmetricalUncertainty

SELECTORS = {
    "BetaGamma": "deacs.selection.beta_gamma",
    "CFS": "deacs.selection.cfs",
    "CIFE": "deacs.selection.cife",
    "CMI": "deacs.selection.cmi",
    "CMIM": "deacs.selection.cmim",
    "CondRed": "deacs.selection.condred",
    "DEASelector": "deacs.selection.dea_selector",
    "DEACS": "deacs.selection.deacs",
    "DEACSCV": "deacs.selection.deacs_cv",
    "DEAFS": "deacs.selection.deafs",
    "DISR": "deacs.selection.disr",
    "FCBF": "deacs.selection.fcbf",
    "ICAP": "deacs.selection.icap",
    "JMI": "deacs.selection.jmi",
    "JMIM": "deacs.selection.jmim",
    "MIFS": "deacs.selection.mifs",
    "MIFSU": "deacs.selection.mifsu",
    "MIM": "deacs.selection.mim",
    "MRMR": "deacs.selection.mrmr",
    "MultiSURF": "deacs.selection.multisurf",
    "NJMIM": "deacs.selection.njmim",
    "OwnCriterion": "deacs.selection.own_criterion",
    "Relief": "deacs.selection.relief",
    "ReliefF": "deacs.selection.relieff",
    "StabilitySelection": "deacs.selection.stability_selection",
    "SymmetricalUncertainty": "deacs.selection.symmetrical_uncertainty",
}
"""Every selector and its module."""

_SHARED = {
    "RECOMMENDED": "deacs.selection._dea_cs",
    "CandidateTable": "deacs.selection._loop",
    "Counts": "deacs.selection._engine",
    "Engine": "deacs.selection._engine",
    "InformationFilter": "deacs.selection._filter",
    "LocalCounts": "deacs.selection._engine",
    "LocalEngine": "deacs.selection._engine",
    "OneHotCodes": "deacs.selection.one_hot_codes",
    "PairTerms": "deacs.selection.own_criterion",
    "Path": "deacs.selection._loop",
    "dea_cs": "deacs.selection._dea_cs",
}

__all__ = [
    "CFS",
    "CIFE",
    "CMI",
    "CMIM",
    "DEACS",
    "DEACSCV",
    "DEAFS",
    "DISR",
    "FCBF",
    "ICAP",
    "JMI",
    "JMIM",
    "MIFS",
    "MIFSU",
    "MIM",
    "MRMR",
    "NJMIM",
    "RECOMMENDED",
    "SELECTORS",
    "BetaGamma",
    "CandidateTable",
    "CondRed",
    "Counts",
    "DEASelector",
    "Engine",
    "InformationFilter",
    "LocalCounts",
    "LocalEngine",
    "MultiSURF",
    "OneHotCodes",
    "OwnCriterion",
    "PairTerms",
    "Path",
    "Relief",
    "ReliefF",
    "StabilitySelection",
    "SymmetricalUncertainty",
    "dea_cs",
]

__getattr__, __dir__ = lazy_names(__name__, {**SELECTORS, **_SHARED})
