"""Run scenarios, write `benchmarks/results/*.json`, and one Markdown page of all that are there.

python -m benchmarks               all scenarios but those that take hours
python -m benchmarks step_cost     the named ones
python -m benchmarks numbers --show  one, with its own options
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
from benchmarks.markdown import markdown

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("deacs", "numpy", "scikit-learn", "highspy", "polars")


def main(words: list[str]) -> None:
    """Run the named scenarios, or all; words from the first option on are the scenario's own."""
    n_names = next((i for i, word in enumerate(words) if word.startswith("-")), len(words))
    names, options = words[:n_names], words[n_names:]
    if options and len(names) != 1:
        sys.exit(
            "options follow the name of one scenario, as in: python -m benchmarks numbers --show"
        )
    known = [module.name for module in pkgutil.iter_modules(scenarios.__path__)]
    unknown = sorted(set(names) - set(known))
    if unknown:
        sys.exit(f"no scenario {', '.join(unknown)}; there are {', '.join(known)}")
    RESULTS.mkdir(exist_ok=True)
    for name in names or known:
        scenario = import_module(f"benchmarks.scenarios.{name}")
        if not names and getattr(scenario, "BY_NAME_ONLY", False):
            continue
        print(f"\n{scenario.TITLE}", flush=True)
        rows = scenario.run(options) if options else scenario.run()
        print(markdown(rows), flush=True)
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
        lines += [markdown(result["rows"]), ""]
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


if __name__ == "__main__":
    main(sys.argv[1:])
