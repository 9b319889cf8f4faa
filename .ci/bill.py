"""Write dist/sbom.json of an environment, and look its packages up among known advisories.

Usage: python .ci/bill.py PYTHON_OF_THE_ENVIRONMENT
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
BILL = ROOT / "dist" / "sbom.json"


def main(python: str) -> None:
    """Write the bill; a known advisory is an error, an index that cannot be reached is told."""
    BILL.parent.mkdir(exist_ok=True)
    tool = [sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible"]
    command = [*tool, "--pyproject", str(ROOT / "pyproject.toml"), "--mc-type", "library"]
    subprocess.run([*command, "-o", str(BILL), python], check=True)
    parts = json.loads(BILL.read_text())["components"]
    print(f"{BILL.relative_to(ROOT)}: {len(parts)} packages besides deacs")
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    where = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    audit = [sys.executable, "-m", "pip_audit", "--progress-spinner=off", "--skip-editable"]
    command = [*audit, "--format", "json", "--path", where.stdout.strip()]
    done = subprocess.run(command, capture_output=True, text=True)
    found = json.loads(done.stdout)["dependencies"] if done.stdout else []
    known = [package for package in found if "skip_reason" not in package]
    if not known:
        print("NOT RUN: no index that knows advisories can be reached from here")
        return
    print(f"advisories: {len(known)} of {len(found)} packages looked up")
    for package in known:
        for advisory in package["vulns"]:
            print(f"{package['name']} {package['version']}: {advisory['id']}")
    sys.exit(done.returncode)


if __name__ == "__main__":
    main(sys.argv[1])
