"""Feature selectors as scikit-learn estimators, each imported on first use."""

from typing import TYPE_CHECKING

from deacs._lazy import lazy_names

if TYPE_CHECKING:
    from deacs.greedy.blocks import Blocks, Each, Joint
    from deacs.greedy.costs import Costs
    from deacs.greedy.engine import Capabilities, Counts, Engine
    from deacs.greedy.judges import Judge, Radial, SlackBased, Sum, register_judge
    from deacs.greedy.label_scores import Divergence, OneVsRest
    from deacs.greedy.loop import CandidateTable
    from deacs.greedy.setting import Setting, dea_cs
    from deacs.greedy.stopping import Significant
    from deacs.selection._filter import InformationFilter
    from deacs.selection._p_values import p_text
    from deacs.selection._refits import Refits
    from deacs.selection._resampling import SAMPLINGS, places_on_resamples
    from deacs.selection._row_subsets import RowSubsets, weights_for
    from deacs.selection.beta_gamma import BetaGamma
    from deacs.selection.cfs import CFS
    from deacs.selection.cife import CIFE
    from deacs.selection.cmi import CMI
    from deacs.selection.cmim import CMIM
    from deacs.selection.condred import CondRed
    from deacs.selection.d2f import D2F
    from deacs.selection.dea_selector import DEASelector
    from deacs.selection.deacs import DEACS
    from deacs.selection.deacs_cv import DEACSCV
    from deacs.selection.deafs import DEAFS
    from deacs.selection.disr import DISR
    from deacs.selection.fcbf import FCBF
    from deacs.selection.held_out import HeldOut
    from deacs.selection.icap import ICAP
    from deacs.selection.interactions import Interactions, find_interactions
    from deacs.selection.jmi import JMI
    from deacs.selection.jmi3 import JMI3
    from deacs.selection.jmim import JMIM
    from deacs.selection.lrfs import LRFS
    from deacs.selection.markov_blanket import MarkovBlanket
    from deacs.selection.mdmr import MDMR
    from deacs.selection.mifs import MIFS
    from deacs.selection.mifsu import MIFSU
    from deacs.selection.mim import MIM
    from deacs.selection.mrmr import MRMR
    from deacs.selection.multisurf import MultiSURF
    from deacs.selection.njmim import NJMIM
    from deacs.selection.one_hot_codes import OneHotCodes
    from deacs.selection.outcome import Outcome
    from deacs.selection.own_criterion import OwnCriterion, PairTerms
    from deacs.selection.pmu import PMU
    from deacs.selection.redundancy_groups import ColumnGroups, RedundancyGroups, column_groups
    from deacs.selection.relief import Relief
    from deacs.selection.relieff import ReliefF
    from deacs.selection.rrelieff import RReliefF
    from deacs.selection.scls import SCLS
    from deacs.selection.selector_cv import SelectorCV
    from deacs.selection.stability_selection import StabilitySelection
    from deacs.selection.substitutes import Substitutes, find_substitutes
    from deacs.selection.symmetrical_uncertainty import SymmetricalUncertainty

SELECTORS = {
    "BetaGamma": "deacs.selection.beta_gamma",
    "CFS": "deacs.selection.cfs",
    "CIFE": "deacs.selection.cife",
    "CMI": "deacs.selection.cmi",
    "CMIM": "deacs.selection.cmim",
    "CondRed": "deacs.selection.condred",
    "D2F": "deacs.selection.d2f",
    "DEACS": "deacs.selection.deacs",
    "DEACSCV": "deacs.selection.deacs_cv",
    "DEAFS": "deacs.selection.deafs",
    "DEASelector": "deacs.selection.dea_selector",
    "DISR": "deacs.selection.disr",
    "FCBF": "deacs.selection.fcbf",
    "ICAP": "deacs.selection.icap",
    "JMI": "deacs.selection.jmi",
    "JMI3": "deacs.selection.jmi3",
    "JMIM": "deacs.selection.jmim",
    "LRFS": "deacs.selection.lrfs",
    "MDMR": "deacs.selection.mdmr",
    "MIFS": "deacs.selection.mifs",
    "MIFSU": "deacs.selection.mifsu",
    "MIM": "deacs.selection.mim",
    "MRMR": "deacs.selection.mrmr",
    "MarkovBlanket": "deacs.selection.markov_blanket",
    "MultiSURF": "deacs.selection.multisurf",
    "NJMIM": "deacs.selection.njmim",
    "OwnCriterion": "deacs.selection.own_criterion",
    "PMU": "deacs.selection.pmu",
    "RedundancyGroups": "deacs.selection.redundancy_groups",
    "Relief": "deacs.selection.relief",
    "ReliefF": "deacs.selection.relieff",
    "RReliefF": "deacs.selection.rrelieff",
    "SCLS": "deacs.selection.scls",
    "SelectorCV": "deacs.selection.selector_cv",
    "StabilitySelection": "deacs.selection.stability_selection",
    "SymmetricalUncertainty": "deacs.selection.symmetrical_uncertainty",
}
"""The module of every selector."""

OPTIONS = {
    "Blocks": "deacs.greedy.blocks",
    "Costs": "deacs.greedy.costs",
    "Divergence": "deacs.greedy.label_scores",
    "Each": "deacs.greedy.blocks",
    "Joint": "deacs.greedy.blocks",
    "OneVsRest": "deacs.greedy.label_scores",
    "Radial": "deacs.greedy.judges",
    "Significant": "deacs.greedy.stopping",
    "SlackBased": "deacs.greedy.judges",
    "Sum": "deacs.greedy.judges",
}
"""Option classes for parameters of the selectors."""

_SHARED = {
    "CandidateTable": "deacs.greedy.loop",
    "Capabilities": "deacs.greedy.engine",
    "ColumnGroups": "deacs.selection.redundancy_groups",
    "Counts": "deacs.greedy.engine",
    "Engine": "deacs.greedy.engine",
    "HeldOut": "deacs.selection.held_out",
    "InformationFilter": "deacs.selection._filter",
    "Interactions": "deacs.selection.interactions",
    "Judge": "deacs.greedy.judges",
    "OneHotCodes": "deacs.selection.one_hot_codes",
    "Outcome": "deacs.selection.outcome",
    "PairTerms": "deacs.selection.own_criterion",
    "Refits": "deacs.selection._refits",
    "SAMPLINGS": "deacs.selection._resampling",
    "Setting": "deacs.greedy.setting",
    "RowSubsets": "deacs.selection._row_subsets",
    "Substitutes": "deacs.selection.substitutes",
    "column_groups": "deacs.selection.redundancy_groups",
    "dea_cs": "deacs.greedy.setting",
    "find_interactions": "deacs.selection.interactions",
    "find_substitutes": "deacs.selection.substitutes",
    "p_text": "deacs.selection._p_values",
    "places_on_resamples": "deacs.selection._resampling",
    "register_judge": "deacs.greedy.judges",
    "weights_for": "deacs.selection._row_subsets",
}

__all__ = [
    "CFS",
    "CIFE",
    "CMI",
    "CMIM",
    "D2F",
    "DEACS",
    "DEACSCV",
    "DEAFS",
    "DISR",
    "FCBF",
    "ICAP",
    "JMI",
    "JMI3",
    "JMIM",
    "LRFS",
    "MDMR",
    "MIFS",
    "MIFSU",
    "MIM",
    "MRMR",
    "NJMIM",
    "OPTIONS",
    "PMU",
    "SAMPLINGS",
    "SCLS",
    "SELECTORS",
    "BetaGamma",
    "Blocks",
    "CandidateTable",
    "Capabilities",
    "ColumnGroups",
    "CondRed",
    "Costs",
    "Counts",
    "DEASelector",
    "Divergence",
    "Each",
    "Engine",
    "HeldOut",
    "InformationFilter",
    "Interactions",
    "Joint",
    "Judge",
    "MarkovBlanket",
    "MultiSURF",
    "OneHotCodes",
    "OneVsRest",
    "Outcome",
    "OwnCriterion",
    "PairTerms",
    "RReliefF",
    "Radial",
    "RedundancyGroups",
    "Refits",
    "Relief",
    "ReliefF",
    "RowSubsets",
    "SelectorCV",
    "Setting",
    "Significant",
    "SlackBased",
    "StabilitySelection",
    "Substitutes",
    "Sum",
    "SymmetricalUncertainty",
    "column_groups",
    "dea_cs",
    "find_interactions",
    "find_substitutes",
    "p_text",
    "places_on_resamples",
    "register_judge",
    "weights_for",
]

__getattr__, __dir__ = lazy_names(__name__, {**SELECTORS, **OPTIONS, **_SHARED})
