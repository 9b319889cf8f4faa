"""Build the source archive and the wheel into dist/, and refuse them if anything is amiss.

Both are built twice, the wheel once from the source archive and once from the tree: the same bytes.
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
IN_THE_WHEEL = ("deacs/py.typed", "deacs/report/templates/page.html", "deacs/experiments/runner.py")
NOT_IN_THE_WHEEL = ("tests/", "benchmarks/", "docs/", "paper/")
IN_THE_SOURCE = (
    "tests/system/test_package.py",
    "docs/index.md",
    "benchmarks/__main__.py",
    "Makefile",
)


def main() -> None:
    """Build, compare, check."""
    os.environ.setdefault("SOURCE_DATE_EPOCH", _time_of_commit())
    shutil.rmtree(DIST, ignore_errors=True)
    with TemporaryDirectory() as other:
        built, again = _build(DIST), _build(Path(other), "--sdist", "--wheel")
        for path, twin in zip(built, again, strict=True):
            _refuse_unless(path.read_bytes() == twin.read_bytes(), f"{path.name} is reproducible")
    _check_contents(*built)
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *built], check=True)
    for path in built:
        print(f"{sha256(path.read_bytes()).hexdigest()}  {path.relative_to(ROOT)}")


def _time_of_commit() -> str:
    found = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True
    )
    return found.stdout.strip() or "0"


def _build(out: Path, *what: str) -> list[Path]:
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), *what]
    subprocess.run([*command, str(ROOT)], check=True, stdout=subprocess.DEVNULL)
    return [next(out.glob("*.tar.gz")), next(out.glob("*.whl"))]


def _check_contents(source: Path, wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        [metadata] = [name for name in names if name.endswith("METADATA")]
        readme = archive.read(metadata).decode().split("\n\n", 1)[1]
    for name in IN_THE_WHEEL:
        _refuse_unless(name in names, f"the wheel holds {name}")
    for folder in NOT_IN_THE_WHEEL:
        _refuse_unless(not any(n.startswith(folder) for n in names), f"the wheel has no {folder}")
    with tarfile.open(source) as archive:
        inside = {name.split("/", 1)[-1] for name in archive.getnames()}
    for name in IN_THE_SOURCE:
        _refuse_unless(name in inside, f"the source archive holds {name}")
    prose = re.sub(r"^```.*?^```", "", readme, flags=re.DOTALL | re.MULTILINE)
    dead = [link for link in re.findall(r"\]\(([^)]+)\)", prose) if not link.startswith("https:")]
    _refuse_unless(not dead, f"every link of the page on an index leads somewhere {dead or ''}")


def _refuse_unless(holds: bool, claim: str) -> None:
    print(f"{'yes' if holds else 'NO'}: {claim}", flush=True)
    if not holds:
        sys.exit(1)


if __name__ == "__main__":
    main()
