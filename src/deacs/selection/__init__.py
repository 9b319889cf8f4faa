"""Feature selectors as scikit-learn estimators, each imported on first use."""

from typing import TYPE_CHECKING

from deacs._lazy import lazy_names

if TYPE_CHECKING:
    from deacs.counts.counts import Counts as Counts
    from deacs.selection._filter import InformationFilter as InformationFilter
    from deacs.selection.blocks import Blocks as Blocks
    from deacs.selection.blocks import Each as Each
    from deacs.selection.blocks import Joint as Joint
    from deacs.selection.costs import Costs as Costs
    from deacs.selection.criteria import Divergence as Divergence
    from deacs.selection.criteria import OneVsRest as OneVsRest
    from deacs.selection.dea_selector import DEAFS as DEAFS
    from deacs.selection.dea_selector import DEASelector as DEASelector
    from deacs.selection.deacs import DEACS as DEACS
    from deacs.selection.deacs_cv import DEACSCV as DEACSCV
    from deacs.selection.filters import CIFE as CIFE
    from deacs.selection.filters import CMI as CMI
    from deacs.selection.filters import CMIM as CMIM
    from deacs.selection.filters import DISR as DISR
    from deacs.selection.filters import ICAP as ICAP
    from deacs.selection.filters import JMI as JMI
    from deacs.selection.filters import JMIM as JMIM
    from deacs.selection.filters import MIFS as MIFS
    from deacs.selection.filters import MIFSU as MIFSU
    from deacs.selection.filters import MIM as MIM
    from deacs.selection.filters import MRMR as MRMR
    from deacs.selection.filters import NJMIM as NJMIM
    from deacs.selection.filters import BetaGamma as BetaGamma
    from deacs.selection.held_out import HeldOut as HeldOut
    from deacs.selection.interactions import Interactions as Interactions
    from deacs.selection.interactions import find_interactions as find_interactions
    from deacs.selection.judges import Judge as Judge
    from deacs.selection.judges import Radial as Radial
    from deacs.selection.judges import SlackBased as SlackBased
    from deacs.selection.judges import Sum as Sum
    from deacs.selection.judges import register_judge as register_judge
    from deacs.selection.loop import CandidateTable as CandidateTable
    from deacs.selection.markov_blanket import MarkovBlanket as MarkovBlanket
    from deacs.selection.one_hot_codes import OneHotCodes as OneHotCodes
    from deacs.selection.own_criterion import OwnCriterion as OwnCriterion
    from deacs.selection.own_criterion import PairTerms as PairTerms
    from deacs.selection.redundancy_groups import ColumnGroups as ColumnGroups
    from deacs.selection.redundancy_groups import RedundancyGroups as RedundancyGroups
    from deacs.selection.redundancy_groups import column_groups as column_groups
    from deacs.selection.relief import InstanceSelector as InstanceSelector
    from deacs.selection.relief import MultiSURF as MultiSURF
    from deacs.selection.relief import ReliefF as ReliefF
    from deacs.selection.relief import RReliefF as RReliefF
    from deacs.selection.result import Result as Result
    from deacs.selection.result import p_text as p_text
    from deacs.selection.rules import Rules as Rules
    from deacs.selection.selector_cv import SelectorCV as SelectorCV
    from deacs.selection.stability_selection import StabilitySelection as StabilitySelection
    from deacs.selection.stopping import Significant as Significant
    from deacs.selection.subsets import CFS as CFS
    from deacs.selection.subsets import FCBF as FCBF
    from deacs.selection.subsets import (
        SymmetricalUncertainty as SymmetricalUncertainty,
    )
    from deacs.selection.substitutes import Substitutes as Substitutes

SELECTORS = {
    "BetaGamma": "deacs.selection.filters",
    "CFS": "deacs.selection.subsets",
    "CIFE": "deacs.selection.filters",
    "CMI": "deacs.selection.filters",
    "CMIM": "deacs.selection.filters",
    "DEACS": "deacs.selection.deacs",
    "DEACSCV": "deacs.selection.deacs_cv",
    "DEAFS": "deacs.selection.dea_selector",
    "DEASelector": "deacs.selection.dea_selector",
    "DISR": "deacs.selection.filters",
    "FCBF": "deacs.selection.subsets",
    "ICAP": "deacs.selection.filters",
    "JMI": "deacs.selection.filters",
    "JMIM": "deacs.selection.filters",
    "MIFS": "deacs.selection.filters",
    "MIFSU": "deacs.selection.filters",
    "MIM": "deacs.selection.filters",
    "MRMR": "deacs.selection.filters",
    "MarkovBlanket": "deacs.selection.markov_blanket",
    "MultiSURF": "deacs.selection.relief",
    "NJMIM": "deacs.selection.filters",
    "OwnCriterion": "deacs.selection.own_criterion",
    "RedundancyGroups": "deacs.selection.redundancy_groups",
    "ReliefF": "deacs.selection.relief",
    "RReliefF": "deacs.selection.relief",
    "SelectorCV": "deacs.selection.selector_cv",
    "StabilitySelection": "deacs.selection.stability_selection",
    "SymmetricalUncertainty": "deacs.selection.subsets",
}
"""The module of every selector."""

OPTIONS = {
    "Blocks": "deacs.selection.blocks",
    "Costs": "deacs.selection.costs",
    "Divergence": "deacs.selection.criteria",
    "Each": "deacs.selection.blocks",
    "Joint": "deacs.selection.blocks",
    "OneVsRest": "deacs.selection.criteria",
    "Radial": "deacs.selection.judges",
    "Significant": "deacs.selection.stopping",
    "SlackBased": "deacs.selection.judges",
    "Sum": "deacs.selection.judges",
}
"""Option classes for parameters of the selectors."""

_SHARED = {
    "CandidateTable": "deacs.selection.loop",
    "ColumnGroups": "deacs.selection.redundancy_groups",
    "Counts": "deacs.counts.counts",
    "HeldOut": "deacs.selection.held_out",
    "InformationFilter": "deacs.selection._filter",
    "InstanceSelector": "deacs.selection.relief",
    "Interactions": "deacs.selection.interactions",
    "Judge": "deacs.selection.judges",
    "OneHotCodes": "deacs.selection.one_hot_codes",
    "PairTerms": "deacs.selection.own_criterion",
    "Result": "deacs.selection.result",
    "Rules": "deacs.selection.rules",
    "Substitutes": "deacs.selection.substitutes",
    "column_groups": "deacs.selection.redundancy_groups",
    "find_interactions": "deacs.selection.interactions",
    "p_text": "deacs.selection.result",
    "register_judge": "deacs.selection.judges",
}

__all__ = ["OPTIONS", "SELECTORS", *SELECTORS, *OPTIONS, *_SHARED]

__getattr__, __dir__ = lazy_names(__name__, {**SELECTORS, **OPTIONS, **_SHARED})
