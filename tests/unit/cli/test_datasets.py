"""`deacs datasets`: list, describe, fetch."""

import pytest
from typer.testing import CliRunner

from deacs.cli.datasets import datasets
from deacs.exceptions import InputError
from deacs.experiments import REGISTRY


def run(*arguments):
    return CliRunner().invoke(datasets, list(arguments), env={"COLUMNS": "100"})


def test_the_list_has_every_set_with_its_shape():
    result = run("list")
    assert result.exit_code == 0, result.output
    for info in REGISTRY.values():
        line = next(line for line in result.output.splitlines() if line.startswith(info.name + " "))
        assert f"{info.n_rows:,}" in line
        assert f"{info.n_features:,}" in line


def test_describe_tells_what_to_know():
    result = run("describe", "musk2", "flags")
    assert "fall on both sides of a random split" in result.output
    assert "https://www.openml.org/d/285" in result.output
    assert "Left out: name" in result.output


def test_fetch_loads_and_checks():
    result = run("fetch", "iris")
    assert "iris: 150 rows, 4 features (0 nominal), 3 classes, from scikit-learn" in result.output


@pytest.mark.parametrize("verb", ["describe", "fetch"])
def test_an_unknown_name_is_an_error(verb):
    result = run(verb, "musk3")
    assert isinstance(result.exception, InputError)
    assert str(result.exception).startswith("NAME must name data sets of the registry")


def test_fetch_speaks_of_another_table_and_not_of_retries(monkeypatch):
    import warnings

    from deacs import experiments

    def load(name):
        warnings.warn("A network error occurred while downloading", stacklevel=1)
        warnings.warn(f"{name} is not the table", stacklevel=1)
        return loaded

    loaded = experiments.load_dataset("iris")
    monkeypatch.setattr(experiments, "load_dataset", load)
    output = run("fetch", "iris").output
    assert "Note: iris is not the table" in output
    assert "network" not in output
