"""Run scenarios, write `benchmarks/results/*.json`, and one Markdown page of all that are there.

python -m benchmarks            all scenarios
python -m benchmarks step_cost  the named ones
"""

import json
import os
import pkgutil
import platform
import sys
from datetime import date
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
    for name in names or known:
        scenario = import_module(f"benchmarks.scenarios.{name}")
        print(f"\n{scenario.TITLE}", flush=True)
        rows = scenario.run()
        print(_markdown(rows), flush=True)
        result = {
            "title": scenario.TITLE,
            "note": scenario.NOTE.strip(),
            "date": f"{date.today()}",
            "machine": _machine(),
            "rows": rows,
        }
        (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=1))
    (RESULTS / "README.md").write_text(_page())
    print(f"\nwritten to {RESULTS}")


def _page() -> str:
    lines = ["# Benchmarks", "", "The last run of each scenario: `python -m benchmarks name`.", ""]
    for path in sorted(RESULTS.glob("*.json")):
        result = json.loads(path.read_text())
        when = f"{result['date']}, {result['machine']}"
        lines += [f"## {path.stem}: {result['title']}", "", result["note"], "", when, ""]
        lines += [_markdown(result["rows"]), ""]
    return "\n".join(lines)


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
