"""Run the paper's experiment, or an unbiased version of it, and write its tables and figures.

python -m reproduction --protocol paper --out paper --jobs -1    Table 2 of the DEA-CS paper
python -m reproduction --sets flags,splice --methods dea-cs,jmi --out small
python -m reproduction --list                                    the data sets

An interrupted run resumes when the same command is given again.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from deacs.exceptions import InputError
from deacs.report.files import replace as write_file
from reproduction.curves import Comparison, compare_results
from reproduction.datasets import PAPER_SETS, REGISTRY, Dataset, load_dataset
from reproduction.methods import PAPER_METHODS
from reproduction.protocols import PROTOCOLS
from reproduction.runner import Results, run
from reproduction.tables import (
    PUBLISHED,
    best_csv,
    best_rows,
    curve_rows,
    ending_rows,
    markdown,
    reproduction_page,
    verdict,
    written,
)
from reproduction.workbenches import WORKBENCHES


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment; return 1 if a part of it failed."""
    options = _parser().parse_args(arguments)
    if options.list:
        return _list()
    names = _split(options.sets)
    datasets, absent = _loaded(names)
    methods = _split(options.methods) or list(PAPER_METHODS)
    classifiers = _split(options.classifiers) or list(WORKBENCHES[options.workbench])
    sizes = [int(size) for size in _split(options.sizes)]
    protocol = replace(PROTOCOLS[options.protocol], n_splits=options.folds, seed=options.seed)
    results = run(
        datasets,
        options.out,
        methods=methods,
        classifiers=classifiers,
        protocol=protocol,
        max_features=options.max_features,
        sizes=sizes,
        n_jobs=options.jobs,
        retry_errors=options.retry_errors,
        progress=_progress if sys.stderr.isatty() else None,
    )
    of_sets = [dataset.name for dataset in datasets]
    comparison = compare_results(results, of_sets, methods, classifiers, sizes or None)
    _write(options.out, comparison, results)
    if any(where in PUBLISHED for where in comparison.curves):
        page = reproduction_page(comparison, protocol.label, absent)
        write_file(options.out / "beside-paper.md", page.encode())
    if not options.no_figures:
        from reproduction.figures import write_figures

        write_figures(options.out, comparison, datasets, step=options.step)
    print(f"Best average accuracy (%) of {', '.join(classifiers)}; protocol {protocol.label}\n")
    print(markdown(best_rows(comparison)))
    print(*verdict(comparison), *(f"Left out: {reason}" for reason in absent), sep="\n")
    print(f"Tables, curves and every cell are in {options.out}")
    failed = [record for record in results.values() if record["kind"] == "error"]
    for record in failed:
        print(f"failed: {record}", file=sys.stderr)
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m reproduction", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("--list", action="store_true", help="list the data sets, and what to know of each")
    add("--sets", default="", metavar="A,B", help="data sets; default: the ten of the paper")
    add("--methods", default="", metavar="A,B", help="default: the six of the paper")
    add("--out", type=Path, default=Path("build/reproduction"), help="the folder of results")
    add("--protocol", choices=PROTOCOLS, default="nested", help="the rows to select and test on")
    add("--workbench", choices=WORKBENCHES, default="sklearn", help="weka needs Java")
    add("--classifiers", default="", metavar="A,B", help="others than the workbench's four")
    add("--max-features", type=int, default=30, help="the most features on a curve")
    add("--sizes", default="", metavar="1,2,5", help="score only these numbers of features")
    add("--folds", type=int, default=10)
    add("--seed", type=int, default=0, help="the seed for shuffling rows")
    add("--step", type=int, help="the step whose frontier is drawn")
    add("--jobs", type=int, default=1, help="processes; -1 is all cores")
    add("--retry-errors", action="store_true", help="retry what failed before")
    add("--no-figures", action="store_true")
    return parser


def _split(names: str) -> list[str]:
    return [name for name in names.split(",") if name]


def _list() -> int:
    for info in REGISTRY.values():
        number = (
            f"{PAPER_SETS.index(info.name) + 1} in the paper" if info.name in PAPER_SETS else ""
        )
        source = f"https://www.openml.org/d/{info.openml_id}" if info.openml_id else ""
        dropped = f"left out: {', '.join(info.dropped)}" if info.dropped else ""
        shape = f"{info.n_rows} rows, {info.n_features} features, {info.n_classes} classes"
        print("; ".join(filter(None, [f"{info.name}: {shape}", number, source, dropped])))
        print(*filter(None, [info.note, info.sha256]), sep="\n", end="\n\n")
    return 0


def _loaded(names: list[str]) -> tuple[list[Dataset], list[str]]:
    """Load the named data sets, or those of the paper that can be had and why others cannot."""
    if names:
        return [load_dataset(name) for name in names], []
    loaded, absent = [], []
    for name in PAPER_SETS:
        try:
            loaded.append(load_dataset(name))
        except InputError as error:
            absent.append(str(error))
    if not loaded:
        raise InputError(f"none of the paper's data sets is available; the first: {absent[0]}")
    return loaded, absent


def _progress(n_finished: int, n_all: int) -> None:
    end = "\n" if n_finished == n_all else ""
    print(f"\r{n_finished} of {n_all} selections scored", end=end, file=sys.stderr, flush=True)


def _write(out: Path, comparison: Comparison, results: Results) -> None:
    endings = ending_rows(results, comparison.sets, comparison.methods)
    for name, text in (
        ("best.md", markdown(best_rows(comparison))),
        ("best.csv", best_csv(comparison)),
        ("curves.csv", written(curve_rows(comparison))),
        ("endings.md", markdown(endings)),
    ):
        write_file(out / name, text.encode())


if __name__ == "__main__":
    try:
        sys.exit(main())
    except InputError as error:
        sys.exit(f"error: {error}")
