"""What must hold where the wheel and nothing else is installed: run by that environment's Python.

The quick start of README, every selector, the word of the command line; then the sizes on disk.
"""

import doctest
import subprocess
import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from deacs._extras import EXTRAS

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Check one thing after the other; the first that fails ends it."""
    present = [name for name in (*EXTRAS["cli"], "pandas", "pyarrow", "jinja2") if find_spec(name)]
    assert not present, f"the environment must hold the wheel alone, got {present}"
    quick_start = (ROOT / "README.md").read_text().split("\n## ")[0]
    parsed = doctest.DocTestParser().get_doctest(quick_start, {}, "README.md", None, 0)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed, tried = doctest.DocTestRunner(optionflags=flags).run(parsed)
    assert tried > 0, "README begins with an example"
    assert failed == 0, "README's first example gives what it shows"
    _fit_every_selector()
    command = [str(Path(sys.executable).with_name("deacs")), "select", "t.csv", "--target", "y"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2, done
    assert "pip install 'deacs[cli]'" in done.stderr, done
    sizes = sorted(((_megabytes(d), d.name) for d in metadata.distributions()), reverse=True)
    print(", ".join(f"{name} {size:.0f}" for size, name in sizes if size >= 1))
    print(f"installed: {sum(size for size, _ in sizes):.0f} MB")


def _fit_every_selector() -> None:
    from sklearn.datasets import load_iris
    from sklearn.tree import DecisionTreeClassifier

    import deacs
    from deacs.selection import SELECTORS

    X, y = load_iris(return_X_y=True)
    given = {
        "DEACSCV": {"estimator": DecisionTreeClassifier()},
        "SelectorCV": {"estimator": DecisionTreeClassifier()},
    }
    for name in sorted({*SELECTORS} - {"OwnCriterion"}):
        fitted = getattr(deacs, name)(**given.get(name, {})).fit(X, y)
        assert fitted.transform(X).shape[1] == len(fitted.ranking_), name


def _megabytes(distribution: metadata.Distribution) -> float:
    files = [Path(distribution.locate_file(file)) for file in distribution.files or []]
    return sum(file.stat().st_size for file in files if file.exists()) / 1e6


if __name__ == "__main__":
    main()
