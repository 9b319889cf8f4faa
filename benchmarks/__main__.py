"""Run scenarios and write `benchmarks/results/*.json` and one Markdown page.

python -m benchmarks            all scenarios
python -m benchmarks step_cost  the named ones
"""

import json
import os
import pkgutil
import platform
import sys
from importlib import import_module, metadata
from pathlib import Path

from benchmarks import scenarios

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("deacs", "numpy", "numba", "scikit-learn", "highspy", "polars")


def main(names: list[str]) -> None:
    """Run the named scenarios, or all."""
    known = [module.name for module in pkgutil.iter_modules(scenarios.__path__)]
    unknown = sorted(set(names) - set(known))
    if unknown:
        sys.exit(f"no scenario {', '.join(unknown)}; there are {', '.join(known)}")
    RESULTS.mkdir(exist_ok=True)
    pages = ["# Benchmarks", "", _machine(), ""]
    for name in names or known:
        scenario = import_module(f"benchmarks.scenarios.{name}")
        print(f"\n{scenario.TITLE}", flush=True)
        rows = scenario.run()
        table = _markdown(rows)
        print(table, flush=True)
        (RESULTS / f"{name}.json").write_text(
            json.dumps({"title": scenario.TITLE, "machine": _machine(), "rows": rows}, indent=1)
        )
        pages += [f"## {scenario.TITLE}", "", scenario.NOTE.strip(), "", table, ""]
    (RESULTS / "README.md").write_text("\n".join(pages))
    print(f"\nwritten to {RESULTS}")


def _machine() -> str:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = [line for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        model = lines[0].split(":", 1)[1].strip() if lines else model
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in PACKAGES)
    return f"{model}, {cores} cores; Python {platform.python_version()}; {versions}"


def _markdown(rows: list[dict[str, object]]) -> str:
    names = list(rows[0])
    lines = [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
    lines += [f"| {' | '.join(_cell(row[name]) for name in names)} |" for row in rows]
    return "\n".join(lines)


def _cell(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    main(sys.argv[1:])
