"""Carry version and address of the project to the files that repeat them.

`python .ci/home.py ADDRESS` says where the project lives, e.g. https://example.org/owner/deacs;
without an address only the version is carried. [project.urls] is the one place that keeps it.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT, CITATION = ROOT / "pyproject.toml", ROOT / "CITATION.cff"
RECIPE, BUILD = ROOT / ".ci/conda/recipe.yaml", ROOT / "meson.build"


def main(words: list[str]) -> None:
    """Write the files."""
    if words:
        _settle(words[0].rstrip("/"))
    urls = tomllib.loads(PROJECT.read_text())["project"].get("urls", {})
    _carry(_version(), urls.get("Repository"))


def _settle(address: str) -> None:
    if not re.fullmatch(r"https://[\w.-]+/[\w./-]+", address):
        sys.exit(f"the address must be like https://host/owner/name, got {address}")
    text = PROJECT.read_text()
    urls = (
        "[project.urls]\n"
        f'Repository = "{address}"\n'
        f'Changelog = "{address}/blob/main/CHANGELOG.md"\n'
        f'Documentation = "{address}/blob/main/docs/index.md"\n'
        f'Issues = "{address}/issues"\n\n'
    )
    text = re.sub(r"\[project\.urls\]\n.*?\n\n", "", text, flags=re.DOTALL)
    PROJECT.write_text(text.replace("[project.scripts]", f"{urls}[project.scripts]"))


def _version() -> str:
    source = (ROOT / "src/deacs/_version.py").read_text()
    [version] = re.findall(r'^__version__ = "(.+)"$', source, flags=re.MULTILINE)
    return version


def _carry(version: str, address: str | None) -> None:
    citation = re.sub(r"(?m)^version: .*$", f"version: {version}", CITATION.read_text())
    citation = re.sub(r"(?m)^repository-code: .*\n", "", citation)
    if address is not None:
        citation = citation.replace(
            f"version: {version}\n", f'version: {version}\nrepository-code: "{address}"\n'
        )
    recipe = RECIPE.read_text()
    RECIPE.write_text(re.sub(r'(?m)^  version: ".*"$', f'  version: "{version}"', recipe))
    BUILD.write_text(
        re.sub(r"(?m)^  version: '.*',$", f"  version: '{version}',", BUILD.read_text())
    )
    CITATION.write_text(citation)


if __name__ == "__main__":
    main(sys.argv[1:])
