"""Displays, a one-file HTML report, and the summary behind both; imported on first use.

Displays need matplotlib; the page needs plotly and jinja2: `pip install deacs[report]`.
"""

from typing import TYPE_CHECKING

from deacs._lazy import lazy_names

if TYPE_CHECKING:
    from deacs.report.accuracy_curve import AccuracyCurveDisplay
    from deacs.report.critical_difference import CriticalDifferenceDisplay
    from deacs.report.figures import write_figures
    from deacs.report.fits import summarize, summarize_path
    from deacs.report.frontier import FrontierDisplay
    from deacs.report.frontier_panels import FrontierPanelsDisplay
    from deacs.report.html import html_page, write_html, write_page
    from deacs.report.interactions import InteractionsDisplay
    from deacs.report.label_scores import LabelScoresDisplay
    from deacs.report.redundancy_groups import RedundancyGroupsDisplay
    from deacs.report.residual import ResidualDisplay
    from deacs.report.selection_path import SelectionPathDisplay
    from deacs.report.summary import Summary

_HOMES = {
    "AccuracyCurveDisplay": "deacs.report.accuracy_curve",
    "CriticalDifferenceDisplay": "deacs.report.critical_difference",
    "FrontierDisplay": "deacs.report.frontier",
    "FrontierPanelsDisplay": "deacs.report.frontier_panels",
    "InteractionsDisplay": "deacs.report.interactions",
    "LabelScoresDisplay": "deacs.report.label_scores",
    "RedundancyGroupsDisplay": "deacs.report.redundancy_groups",
    "ResidualDisplay": "deacs.report.residual",
    "SelectionPathDisplay": "deacs.report.selection_path",
    "Summary": "deacs.report.summary",
    "html_page": "deacs.report.html",
    "summarize": "deacs.report.fits",
    "summarize_path": "deacs.report.fits",
    "write_figures": "deacs.report.figures",
    "write_html": "deacs.report.html",
    "write_page": "deacs.report.html",
}

__all__ = [
    "AccuracyCurveDisplay",
    "CriticalDifferenceDisplay",
    "FrontierDisplay",
    "FrontierPanelsDisplay",
    "InteractionsDisplay",
    "LabelScoresDisplay",
    "RedundancyGroupsDisplay",
    "ResidualDisplay",
    "SelectionPathDisplay",
    "Summary",
    "html_page",
    "summarize",
    "summarize_path",
    "write_figures",
    "write_html",
    "write_page",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
