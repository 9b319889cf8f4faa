"""Feature selectors as scikit-learn estimators, each imported on first use."""

from typing import TYPE_CHECKING

from deacs._lazy import lazy_names

if TYPE_CHECKING:
    from deacs.greedy.blocks import Blocks as Blocks
    from deacs.greedy.blocks import Each as Each
    from deacs.greedy.blocks import Joint as Joint
    from deacs.greedy.costs import Costs as Costs
    from deacs.greedy.engine import Capabilities as Capabilities
    from deacs.greedy.engine import Counts as Counts
    from deacs.greedy.engine import Engine as Engine
    from deacs.greedy.judges import Judge as Judge
    from deacs.greedy.judges import Radial as Radial
    from deacs.greedy.judges import SlackBased as SlackBased
    from deacs.greedy.judges import Sum as Sum
    from deacs.greedy.judges import register_judge as register_judge
    from deacs.greedy.label_scores import Divergence as Divergence
    from deacs.greedy.label_scores import OneVsRest as OneVsRest
    from deacs.greedy.loop import CandidateTable as CandidateTable
    from deacs.greedy.setting import Setting as Setting
    from deacs.greedy.setting import dea_cs as dea_cs
    from deacs.greedy.stopping import Significant as Significant
    from deacs.selection._filter import InformationFilter as InformationFilter
    from deacs.selection._instances import InstanceSelector as InstanceSelector
    from deacs.selection._refits import Refits as Refits
    from deacs.selection._resampling import SAMPLINGS as SAMPLINGS
    from deacs.selection._resampling import places_on_resamples as places_on_resamples
    from deacs.selection._row_subsets import RowSubsets as RowSubsets
    from deacs.selection._row_subsets import weights_for as weights_for
    from deacs.selection.beta_gamma import BetaGamma as BetaGamma
    from deacs.selection.cfs import CFS as CFS
    from deacs.selection.cife import CIFE as CIFE
    from deacs.selection.cmi import CMI as CMI
    from deacs.selection.cmim import CMIM as CMIM
    from deacs.selection.condred import CondRed as CondRed
    from deacs.selection.d2f import D2F as D2F
    from deacs.selection.dea_selector import DEASelector as DEASelector
    from deacs.selection.deacs import DEACS as DEACS
    from deacs.selection.deacs_cv import DEACSCV as DEACSCV
    from deacs.selection.deafs import DEAFS as DEAFS
    from deacs.selection.disr import DISR as DISR
    from deacs.selection.fcbf import FCBF as FCBF
    from deacs.selection.held_out import HeldOut as HeldOut
    from deacs.selection.icap import ICAP as ICAP
    from deacs.selection.interactions import Interactions as Interactions
    from deacs.selection.interactions import find_interactions as find_interactions
    from deacs.selection.jmi import JMI as JMI
    from deacs.selection.jmi3 import JMI3 as JMI3
    from deacs.selection.jmim import JMIM as JMIM
    from deacs.selection.lrfs import LRFS as LRFS
    from deacs.selection.markov_blanket import MarkovBlanket as MarkovBlanket
    from deacs.selection.mdmr import MDMR as MDMR
    from deacs.selection.mifs import MIFS as MIFS
    from deacs.selection.mifsu import MIFSU as MIFSU
    from deacs.selection.mim import MIM as MIM
    from deacs.selection.mrmr import MRMR as MRMR
    from deacs.selection.multisurf import MultiSURF as MultiSURF
    from deacs.selection.njmim import NJMIM as NJMIM
    from deacs.selection.one_hot_codes import OneHotCodes as OneHotCodes
    from deacs.selection.outcome import Outcome as Outcome
    from deacs.selection.outcome import p_text as p_text
    from deacs.selection.own_criterion import OwnCriterion as OwnCriterion
    from deacs.selection.own_criterion import PairTerms as PairTerms
    from deacs.selection.pmu import PMU as PMU
    from deacs.selection.redundancy_groups import ColumnGroups as ColumnGroups
    from deacs.selection.redundancy_groups import RedundancyGroups as RedundancyGroups
    from deacs.selection.redundancy_groups import column_groups as column_groups
    from deacs.selection.relief import Relief as Relief
    from deacs.selection.relieff import ReliefF as ReliefF
    from deacs.selection.rrelieff import RReliefF as RReliefF
    from deacs.selection.scls import SCLS as SCLS
    from deacs.selection.selector_cv import SelectorCV as SelectorCV
    from deacs.selection.stability_selection import StabilitySelection as StabilitySelection
    from deacs.selection.substitutes import Substitutes as Substitutes
    from deacs.selection.substitutes import find_substitutes as find_substitutes
    from deacs.selection.symmetrical_uncertainty import (
        SymmetricalUncertainty as SymmetricalUncertainty,
    )

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
    "InstanceSelector": "deacs.selection._instances",
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
    "p_text": "deacs.selection.outcome",
    "places_on_resamples": "deacs.selection._resampling",
    "register_judge": "deacs.greedy.judges",
    "weights_for": "deacs.selection._row_subsets",
}

__all__ = ["OPTIONS", "SELECTORS", *SELECTORS, *OPTIONS, *_SHARED]

__getattr__, __dir__ = lazy_names(__name__, {**SELECTORS, **OPTIONS, **_SHARED})
