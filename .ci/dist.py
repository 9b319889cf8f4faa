"""Build the source archive and the wheel into dist/, and refuse them if anything is amiss.

What is committed is built, with a README whose picture and links to files of the repository are
gone: on an index they would lead nowhere, unless [project.urls] says where the repository is.
Both are built twice, the wheel once from the source archive and once from the tree: the same bytes.
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
IN_THE_WHEEL = ("deacs/py.typed", "deacs/report/templates/page.html", "deacs/comparison.py")
NOT_IN_THE_WHEEL = (
    "tests/",
    "benchmarks/",
    "reproduction/",
    "docs/",
    "deacs/_kernels/counting.pyx",
)
IN_THE_SOURCE = (
    "src/deacs/_kernels/counting.pyx",
    "tests/system/test_package.py",
    "docs/index.md",
    "benchmarks/__main__.py",
    "Makefile",
)


def main() -> None:
    """Build, compare, check."""
    os.environ.setdefault("SOURCE_DATE_EPOCH", _time_of_commit())
    shutil.rmtree(DIST, ignore_errors=True)
    with TemporaryDirectory() as tree, TemporaryDirectory() as other:
        _check_out(Path(tree))
        built = _build(Path(tree), DIST)
        again = _build(Path(tree), Path(other), "--sdist", "--wheel")
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


def _check_out(tree: Path) -> None:
    subprocess.run(["git", "clone", "--quiet", "--depth=1", f"file://{ROOT}", tree], check=True)
    urls = tomllib.loads((tree / "pyproject.toml").read_text())["project"].get("urls", {})
    readme = tree / "README.md"
    readme.write_text(page_on_an_index(readme.read_text(), urls.get("Repository")))
    who = ["-c", "user.name=deacs", "-c", "user.email=deacs"]
    commit = ["git", *who, "commit", "--quiet", "--no-verify", "-am", "README of an index"]
    subprocess.run(commit, cwd=tree, check=True)


def page_on_an_index(readme: str, address: str | None) -> str:
    """Return README without its picture; links into the repository get its address or go."""
    readme = re.sub(r"(?s)<picture>.*?</picture>\n\n", "", readme)
    link = r"\1" if address is None else rf"[\1]({address}/blob/main/\2)"
    return re.sub(r"\[([^]]+)\]\((?!https?:)([^)]+)\)", link, readme)


def _build(tree: Path, out: Path, *what: str) -> list[Path]:
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), *what]
    subprocess.run([*command, str(tree)], check=True, stdout=subprocess.DEVNULL)
    return [next(out.glob("*.tar.gz")), next(out.glob("*.whl"))]


def _check_contents(source: Path, wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        [metadata] = [name for name in names if name.endswith("METADATA")]
        readme = archive.read(metadata).decode().split("\n\n", 1)[1]
    for name in IN_THE_WHEEL:
        _refuse_unless(name in names, f"the wheel holds {name}")
    tag = wheel.stem.split("-", 2)[2]
    _refuse_unless("none" not in tag and "any" not in tag, f"the wheel is for one platform ({tag})")
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
