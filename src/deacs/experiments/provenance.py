"""Provenance of results as JSON: settings, data, versions and machine.

Results depend on settings and on the checksums of data, so a folder with results of other ones is
refused. Sets, methods and classifiers may be added at any time.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deacs import __version__
from deacs._extras import installed_version
from deacs.exceptions import InputError
from deacs.experiments.weka import WekaClassifier

if TYPE_CHECKING:
    from deacs.experiments.work import Plan

__all__ = ["FILE", "record_run"]

FILE = "provenance.json"
LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba", "highspy", "polars")
WEKA = "python-weka-wrapper3"
"""This package includes Weka, so its version determines Weka's."""


def record_run(folder: Path, plan: Plan) -> dict[str, Any]:
    """Write the provenance of a run to its folder; refuse one with results of other settings."""
    file = folder / FILE
    fixed = _fixed(plan)
    if file.is_file():
        known = _read(file, {*fixed, "runs"})
        _refuse_other(folder, known, fixed)
    else:
        known = {**{part: {} for part in fixed}, "runs": []}
    for part, entries in fixed.items():
        known[part].update(entries)
    known["runs"].append(_run(plan))
    unfinished = file.with_suffix(".part")
    text = json.dumps(known, indent=2, ensure_ascii=False) + "\n"
    unfinished.write_text(text, encoding="utf-8")
    os.replace(unfinished, file)
    return known


def _read(file: Path, parts: set[str]) -> dict[str, Any]:
    try:
        known: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if not parts <= known.keys():
            raise ValueError("parts are missing")
    except (ValueError, AttributeError) as error:
        raise InputError(
            f"{file} is not the provenance of a run ({error}); choose another folder, or remove "
            "this one"
        ) from error
    return known


def _fixed(plan: Plan) -> dict[str, dict[str, Any]]:
    """Return everything that results depend on; an entry never changes once written."""
    settings = {f"protocol {name}": value for name, value in asdict(plan.protocol).items()}
    settings |= {"discretizer": plan.discretizer, "max_features": plan.max_features}
    return {
        "settings": settings,
        "methods": {name: " ".join(repr(m).split()) for name, m in plan.methods.items()},
        "classifiers": {name: each.description for name, each in plan.classifiers.items()},
        "data": {name: dataset.checksum for name, dataset in plan.datasets.items()},
    }


def _refuse_other(folder: Path, known: dict[str, Any], fixed: dict[str, Any]) -> None:
    for part, entries in fixed.items():
        for name, value in entries.items():
            old = known[part].get(name, value)
            if old != value:
                raise InputError(
                    f"{folder} holds results of other settings: {part}, {name} is {old!r} there "
                    f"and {value!r} here; choose another folder, or remove this one"
                )


def _run(plan: Plan) -> dict[str, Any]:
    libraries: dict[str, str | None] = {name: installed_version(name) for name in LIBRARIES}
    if any(isinstance(each, WekaClassifier) for each in plan.classifiers.values()):
        libraries[WEKA] = installed_version(WEKA)  # if None, its cells will fail
    return {
        "begun": datetime.now(UTC).isoformat(timespec="seconds"),
        "sets": {name: dataset.source for name, dataset in plan.datasets.items()},
        "methods": list(plan.methods),
        "classifiers": list(plan.classifiers),
        "sizes": plan.sizes_of(plan.max_features),
        "optimistic": plan.protocol.selects_on_all_rows,
        "deacs": __version__,
        "python": sys.version.split()[0],
        "system": f"{platform.system()} {platform.machine()}",
        "libraries": libraries,
    }
