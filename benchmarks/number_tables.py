"""Tables with a number as target, from scikit-learn, ISLP and statsmodels, and made ones.

Nothing is downloaded. A package that is not installed leaves its tables out, and `missing_packages`
names it: `pip install ISLP statsmodels`.
"""

from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
import polars as pl
from sklearn import datasets

__all__ = ["TABLES", "load", "missing_packages"]

MOST_ROWS = 1200
Loaded = tuple[pl.DataFrame, np.ndarray]


def load(name: str) -> Loaded:
    """Return a table and its target; at most 1,200 rows, drawn once."""
    _, make = TABLES[name]
    X, y = make()
    if len(y) > MOST_ROWS:
        rows = np.sort(np.random.default_rng(0).choice(len(y), MOST_ROWS, replace=False))
        X, y = X[rows], y[rows]
    return X, np.asarray(y, dtype=np.float64)


def missing_packages() -> list[str]:
    """Return packages with tables that are not installed."""
    return sorted({package for package, _ in TABLES.values() if find_spec(package) is None})


def _frame(X: np.ndarray) -> pl.DataFrame:
    return pl.DataFrame({f"x{j}": X[:, j] for j in range(X.shape[1])})


def _diabetes() -> Loaded:
    data = datasets.load_diabetes()
    return pl.DataFrame(dict(zip(data.feature_names, data.data.T, strict=True))), data.target


def _diabetes_products() -> Loaded:
    """Return the table of the LARS paper: ten columns, their squares and products."""
    X, y = _diabetes()
    columns = {name: X[name].to_numpy() for name in X.columns}
    names = list(columns)
    for i, a in enumerate(names):
        for b in names[i:]:
            if (a, b) != ("sex", "sex"):
                columns[f"{a}*{b}"] = columns[a] * columns[b]
    return pl.DataFrame(columns), y


def _friedman(which: int) -> Loaded:
    """Return Friedman's table among 25 columns of noise and 5 noisy copies of true ones."""
    rng = np.random.RandomState(which)
    if which == 1:
        X, y = datasets.make_friedman1(600, 10, noise=1.0, random_state=rng)
    else:
        make = datasets.make_friedman2 if which == 2 else datasets.make_friedman3
        X, y = make(600, noise=0.0, random_state=rng)
        y = y + 0.3 * y.std() * rng.normal(size=len(y))
    spread = X.std(axis=0)
    copies = X[:, :4] + 0.5 * spread[:4] * rng.normal(size=(len(y), 4))
    return _frame(np.hstack([X, copies, rng.normal(size=(len(y), 25))])), y


def _houses() -> Loaded:
    """Return houses like California's: skewed incomes and rooms, a coast, a ceiling on prices."""
    rng = np.random.default_rng(7)
    n = 1200
    income = rng.lognormal(1.2, 0.45, n)
    rooms = 5 + 0.4 * income + rng.gamma(2.0, 0.5, n)
    bedrooms = rooms * rng.normal(0.21, 0.03, n)
    people = rng.lognormal(7.0, 0.7, n)
    occupancy = rng.lognormal(1.0, 0.25, n)
    age = rng.integers(1, 53, n).astype(float)
    latitude = rng.uniform(32.5, 42.0, n)
    longitude = -124.3 + (42.0 - latitude) * 0.9 + rng.gamma(1.5, 1.0, n)
    coast = np.exp(-np.abs(longitude + 124.0 - (42.0 - latitude) * 0.9))
    price = 0.42 * income + 1.1 * coast - 0.35 * (occupancy - 2.7) + 0.006 * age
    price = np.clip(price + rng.gamma(2.0, 0.25, n), 0.15, 5.0)
    true = [income, age, rooms, bedrooms, people, occupancy, latitude, longitude]
    noise = rng.normal(size=(n, 12))
    copies = [income * np.exp(0.3 * noise[:, 0]), rooms + noise[:, 1], people / occupancy]
    return _frame(np.column_stack([*true, *copies, noise])), price.round(3)


def _islp(name: str, target: str, *leave_out: str) -> Callable[[], Loaded]:
    def make() -> Loaded:
        from ISLP import load_data

        table = load_data(name).dropna(subset=[target]).drop(columns=list(leave_out))
        y = table.pop(target).to_numpy()
        columns = {
            column: values.astype(str).to_numpy().astype(object)
            if str(values.dtype) == "category"
            else values.to_numpy()
            for column, values in table.items()
        }
        return pl.DataFrame(
            {k: pl.Series(k, v.tolist() if v.dtype == object else v) for k, v in columns.items()}
        ), y

    return make


def _star98() -> Loaded:
    from statsmodels.datasets import star98

    table = star98.load_pandas().data
    above, below = table.pop("NABOVE").to_numpy(), table.pop("NBELOW").to_numpy()
    return pl.DataFrame({c: table[c].to_numpy() for c in table.columns}), above / (above + below)


def _randhie() -> Loaded:
    from statsmodels.datasets import randhie

    table = randhie.load_pandas().data
    y = table.pop("mdvis").to_numpy()
    return pl.DataFrame({c: table[c].to_numpy() for c in table.columns}), y


TABLES: dict[str, tuple[str, Callable[[], Loaded]]] = {
    "diabetes": ("sklearn", _diabetes),
    "diabetes, products": ("sklearn", _diabetes_products),
    "friedman1": ("sklearn", lambda: _friedman(1)),
    "friedman2": ("sklearn", lambda: _friedman(2)),
    "friedman3": ("sklearn", lambda: _friedman(3)),
    "houses": ("sklearn", _houses),
    "Boston": ("ISLP", _islp("Boston", "medv")),
    "Hitters": ("ISLP", _islp("Hitters", "Salary")),
    "College": ("ISLP", _islp("College", "Outstate")),
    "Carseats": ("ISLP", _islp("Carseats", "Sales")),
    "Credit": ("ISLP", _islp("Credit", "Balance", "ID")),
    "Bikeshare": ("ISLP", _islp("Bikeshare", "bikers", "casual", "registered")),
    "star98": ("statsmodels", _star98),
    "randhie": ("statsmodels", _randhie),
}
"""The package that a table comes with, and how to load it."""
