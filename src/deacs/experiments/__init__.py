"""The experiment bench: data sets, protocols, workbenches, a runner that resumes, statistics."""

from typing import TYPE_CHECKING

from deacs._lazy import lazy_names

if TYPE_CHECKING:
    from deacs.coding.new_rows import code_new_rows
    from deacs.experiments.curves import Best, Comparison, compare_results
    from deacs.experiments.datasets import Dataset, dataset_from_table, load_dataset
    from deacs.experiments.methods import METHODS, PAPER_METHODS, VARIANTS, make_selector
    from deacs.experiments.protocols import PROTOCOLS, Protocol, make_protocol
    from deacs.experiments.published import PUBLISHED, beside_paper
    from deacs.experiments.registry import PAPER_SETS, REGISTRY
    from deacs.experiments.results import Results, read_results
    from deacs.experiments.runner import run
    from deacs.experiments.statistics import (
        average_ranks,
        friedman,
        nemenyi_distance,
        pairwise_wilcoxon,
    )
    from deacs.experiments.tables import render
    from deacs.experiments.workbenches import (
        QUARTET,
        REGRESSORS,
        WORKBENCHES,
        Classifier,
        NearestRows,
    )

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

__all__ = [
    "METHODS",
    "PAPER_METHODS",
    "PAPER_SETS",
    "PROTOCOLS",
    "PUBLISHED",
    "QUARTET",
    "REGISTRY",
    "REGRESSORS",
    "VARIANTS",
    "WORKBENCHES",
    "Best",
    "Classifier",
    "Comparison",
    "Dataset",
    "NearestRows",
    "Protocol",
    "Results",
    "average_ranks",
    "beside_paper",
    "code_new_rows",
    "compare_results",
    "dataset_from_table",
    "friedman",
    "load_dataset",
    "make_protocol",
    "make_selector",
    "nemenyi_distance",
    "pairwise_wilcoxon",
    "read_results",
    "render",
    "run",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {name: f"{__name__}.{module}" for name, module in _HOMES.items()}
    | {"code_new_rows": "deacs.coding.new_rows"},
)
