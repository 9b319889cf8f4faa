"""Displays, and a one-file HTML report, of a fitted selector; imported on first use.

Displays need matplotlib; the page needs jinja2: `pip install deacs[report]`.
"""

from typing import TYPE_CHECKING

from deacs._lazy import lazy_names

if TYPE_CHECKING:
    from deacs.report.accuracy_curve import AccuracyCurveDisplay as AccuracyCurveDisplay
    from deacs.report.frontier import FrontierDisplay as FrontierDisplay
    from deacs.report.html import html_page as html_page
    from deacs.report.html import write_html as write_html
    from deacs.report.interactions import InteractionsDisplay as InteractionsDisplay
    from deacs.report.label_scores import LabelScoresDisplay as LabelScoresDisplay
    from deacs.report.redundancy_groups import RedundancyGroupsDisplay as RedundancyGroupsDisplay
    from deacs.report.residual import ResidualDisplay as ResidualDisplay
    from deacs.report.selection_path import SelectionPathDisplay as SelectionPathDisplay

_HOMES = {
    "AccuracyCurveDisplay": "deacs.report.accuracy_curve",
    "FrontierDisplay": "deacs.report.frontier",
    "InteractionsDisplay": "deacs.report.interactions",
    "LabelScoresDisplay": "deacs.report.label_scores",
    "RedundancyGroupsDisplay": "deacs.report.redundancy_groups",
    "ResidualDisplay": "deacs.report.residual",
    "SelectionPathDisplay": "deacs.report.selection_path",
    "html_page": "deacs.report.html",
    "write_html": "deacs.report.html",
}

__all__ = list(_HOMES)

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
