"""What is published: metadata that agree, extras that exist, workflows that pin what they run."""

import json
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import deacs
from tests.each import each

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.yml"))


def metadata_of(root):
    """Return version and address, as each file states them."""
    citation = (root / "CITATION.cff").read_text()
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    stated = dict(re.findall(r'^(version|repository-code): "?([^"\n]+)"?$', citation, re.MULTILINE))
    [built] = re.findall(r"^  version: '(.+)',$", (root / "meson.build").read_text(), re.MULTILINE)
    versions = {stated["version"], built, deacs.__version__}
    addresses = {
        stated.get("repository-code"),
        project.get("urls", {}).get("Repository"),
    }
    return versions, addresses


def test_version_and_address_are_the_same_everywhere():
    versions, addresses = metadata_of(ROOT)
    assert len(versions) == len(addresses) == 1


def test_one_command_tells_all_files_where_the_project_lives(tmp_path):
    for name in ("pyproject.toml", "CITATION.cff"):
        shutil.copy(ROOT / name, tmp_path / name)
    for folder, name in (
        (".ci", "home.py"),
        (".ci/conda", "recipe.yaml"),
        ("src/deacs", "_version.py"),
        (".", "meson.build"),
    ):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / folder / name, tmp_path / folder / name)
    for address in ("https://example.org/first/deacs", "https://example.org/second/deacs"):
        command = [sys.executable, tmp_path / ".ci/home.py", address]
        subprocess.run(command, check=True)
        assert metadata_of(tmp_path) == ({deacs.__version__}, {address})
    text = (tmp_path / "pyproject.toml").read_text()
    assert "first" not in text


@each("address", [None, "https://example.org/owner/deacs"])
def test_the_page_on_an_index_has_no_link_that_leads_nowhere(address):
    readme = (ROOT / "README.md").read_text()
    page = runpy.run_path(str(ROOT / ".ci/dist.py"))["page_on_an_index"](readme, address)
    assert "<picture>" not in page
    assert all(link.startswith("https://") for link in re.findall(r"\]\(([^)]+)\)", page))
    assert "[Zhang et al., 2015](https://doi.org/" in page
    assert (f"{address}/blob/main/docs/" in page) == (address is not None)


def test_every_python_of_the_matrix_is_in_the_metadata():
    source = (ROOT / "noxfile.py").read_text()
    [matrix] = re.findall(r"^PYTHONS = (\[.*\])$", source, flags=re.MULTILINE)
    known = [c.rpartition(" ")[2] for c in PROJECT["classifiers"] if re.search(r" 3\.\d+$", c)]
    assert json.loads(matrix) == known
    assert PROJECT["requires-python"] == f">={known[0]}"


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_run_actions_pinned_by_commit_and_keep_no_secret(workflow):
    text = workflow.read_text()
    used = re.findall(r"uses: (\S+)", text)
    assert used
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action) for action in used)
    assert "secrets." not in text
    assert re.search(r"^permissions:\n  contents: read$", text, flags=re.MULTILINE)


def test_the_conda_recipe_wants_what_the_command_line_wants():
    recipe = (ROOT / ".ci/conda/recipe.yaml").read_text()
    assert f'version: "{deacs.__version__}"' in recipe
    needs = recipe.split("  run:\n")[1].split("\ntests:")[0]
    wanted = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["cli"]]
    stated = re.findall(r"^    - ([a-z-]+) >=([\d.]+)$", needs, flags=re.MULTILINE)
    assert [f"{name}>={least}" for name, least in stated if name != "python"] == wanted


def test_rattler_build_reads_the_conda_recipe():
    tool = pytest.importorskip("rattler_build", reason="the release extra has rattler-build")
    recipe = tool.Stage0Recipe.from_file(str(ROOT / ".ci/conda/recipe.yaml"))
    [variant] = recipe.render()
    assert f"package='deacs', version='{deacs.__version__}'" in repr(variant)


def test_extras_name_the_packages_that_messages_promise():
    from deacs._extras import EXTRAS

    extras = PROJECT["optional-dependencies"]
    for extra, packages in EXTRAS.items():
        wanted = [*extras[extra], *(extras["files"] if "deacs[files]" in extras[extra] else [])]
        named = {re.match(r"[\w-]+", one).group().removesuffix("-framework") for one in wanted}
        assert named - {"deacs", "sqlglot"} == set(packages)
