"""Experiments: data sets, protocols, workbenches, a resumable runner, statistics and tables."""

from typing import TYPE_CHECKING

from deacs._lazy import lazy_names

if TYPE_CHECKING:
    from deacs.coding.new_rows import code_new_rows as code_new_rows
    from deacs.experiments.baselines import chance_level as chance_level
    from deacs.experiments.curves import Best as Best
    from deacs.experiments.curves import Comparison as Comparison
    from deacs.experiments.curves import compare_results as compare_results
    from deacs.experiments.datasets import Dataset as Dataset
    from deacs.experiments.datasets import dataset_from_table as dataset_from_table
    from deacs.experiments.datasets import load_dataset as load_dataset
    from deacs.experiments.methods import METHODS as METHODS
    from deacs.experiments.methods import PAPER_METHODS as PAPER_METHODS
    from deacs.experiments.methods import VARIANTS as VARIANTS
    from deacs.experiments.methods import make_selector as make_selector
    from deacs.experiments.protocols import PROTOCOLS as PROTOCOLS
    from deacs.experiments.protocols import Protocol as Protocol
    from deacs.experiments.protocols import make_protocol as make_protocol
    from deacs.experiments.published import PUBLISHED as PUBLISHED
    from deacs.experiments.published import beside_paper as beside_paper
    from deacs.experiments.registry import PAPER_SETS as PAPER_SETS
    from deacs.experiments.registry import REGISTRY as REGISTRY
    from deacs.experiments.results import Results as Results
    from deacs.experiments.results import read_results as read_results
    from deacs.experiments.runner import run as run
    from deacs.experiments.statistics import average_ranks as average_ranks
    from deacs.experiments.statistics import friedman as friedman
    from deacs.experiments.statistics import nemenyi_distance as nemenyi_distance
    from deacs.experiments.statistics import pairwise_wilcoxon as pairwise_wilcoxon
    from deacs.experiments.tables import render as render
    from deacs.experiments.workbenches import QUARTET as QUARTET
    from deacs.experiments.workbenches import REGRESSORS as REGRESSORS
    from deacs.experiments.workbenches import WORKBENCHES as WORKBENCHES
    from deacs.experiments.workbenches import Classifier as Classifier
    from deacs.experiments.workbenches import NearestRows as NearestRows

_HOMES = {
    "METHODS": "methods",
    "PAPER_METHODS": "methods",
    "PAPER_SETS": "registry",
    "PROTOCOLS": "protocols",
    "PUBLISHED": "published",
    "QUARTET": "workbenches",
    "REGRESSORS": "workbenches",
    "REGISTRY": "registry",
    "VARIANTS": "methods",
    "WORKBENCHES": "workbenches",
    "Best": "curves",
    "Classifier": "workbenches",
    "Comparison": "curves",
    "Dataset": "datasets",
    "NearestRows": "workbenches",
    "Protocol": "protocols",
    "Results": "results",
    "average_ranks": "statistics",
    "beside_paper": "published",
    "chance_level": "baselines",
    "compare_results": "curves",
    "dataset_from_table": "datasets",
    "friedman": "statistics",
    "load_dataset": "datasets",
    "make_protocol": "protocols",
    "make_selector": "methods",
    "nemenyi_distance": "statistics",
    "pairwise_wilcoxon": "statistics",
    "read_results": "results",
    "render": "tables",
    "run": "runner",
}

__all__ = ["code_new_rows", *_HOMES]

__getattr__, __dir__ = lazy_names(
    __name__,
    {name: f"{__name__}.{module}" for name, module in _HOMES.items()}
    | {"code_new_rows": "deacs.coding.new_rows"},
)
