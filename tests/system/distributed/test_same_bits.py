"""One machine, a disk or a cluster: every engine gives the same selections and scores, bit by bit.

Clusters have 1, 2 and 3 workers, by feature and by row, and one on which a worker dies in the
middle of every selection; "another scheduler" is an adapter that is not Dask. A new engine is a
line in `engines.py`. Every count of every engine is compared on every kind of table. Selections are
made from those counts alone, so one engine of each kind makes all of them, and the others, which
differ in size or in what goes wrong, make two.
"""

from functools import cache, partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deacs import (
    CFS,
    CMI,
    CMIM,
    DEACS,
    FCBF,
    JMI,
    MRMR,
    DEASelector,
    OneVsRest,
    Significant,
    encode,
)
from deacs.coding import CodedData
from deacs.distributed import CodedStore
from deacs.exceptions import InputError
from deacs.greedy.engine import LocalEngine, open_counts
from tests.each import each
from tests.system.distributed.engines import DASK_ENGINES, ENGINES
from tests.tables_of_codes import coded_tables

SELECTORS = {
    "DEACS": DEACS.published,
    "DEACS, divergence": lambda **how: DEACS.published(label_score="divergence", **how),
    "DEACS, bounded": lambda **how: DEACS.published(judge="bounded", **how),
    "CMI": CMI,
    "MRMR": partial(MRMR, 4),
    "JMI": partial(JMI, 4),
    "CMIM": partial(CMIM, 4),
    "FCBF": FCBF,
    "CFS": CFS,
    "DEASelector": DEASelector,
}

CORRECTED = {
    "DEACS, the default": partial(DEACS, 6),
    "DEACS, until chance": DEACS,
    "DEACS, less chance": partial(DEACS.published, 5, label_score=OneVsRest("excess")),
    "DEACS, Miller-Madow": partial(DEACS.published, 5, label_score=OneVsRest("miller-madow")),
}
"""Selectors of engines that can correct for chance and know the order of values."""

PARTS = {"both": [1, 0], "wide": [3, 4, 5], "far": [2, 10]}
"""Columns as groups; "wide" has too many joint values, and stands for its best column."""

ROWS_READ = {
    "DEACS, significant": partial(DEACS.published, "auto", stop=Significant(random_state=1)),
    "JMI, groups": partial(JMI, 4, groups=PARTS),
    "DEACS, groups": partial(DEACS, 5, groups=PARTS),
    "CMI, both": partial(CMI, "auto", groups=PARTS, stop=Significant(random_state=2)),
}
"""Selectors that read rows, and not only counts."""


def _columns(n_rows, n_features, seed=0):
    """Columns that tell of the class more or less, some wide, some missing."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 4, n_rows)
    columns = []
    for j in range(n_features):
        n_values = [2, 3, 5, 16, 40, 300][j % 6]
        noise = rng.integers(0, n_values, n_rows)
        columns.append(np.where(rng.random(n_rows) < 0.15 + j / 40, noise, y % n_values))
    return np.column_stack(columns), y


@cache
def _table(name):
    X, y = _columns(*((6000, 40) if name == "long" else (400, 12)))
    if name in ("labels", "numbers"):
        goal = np.column_stack((y > 1, y % 2, y == 2)).astype(int) if name == "labels" else y / 7
        return CodedData.from_codes(X, goal, target=name)
    if name in ("plain", "long"):
        return CodedData.from_codes(X, y)
    if name in ("weighted", "shares"):
        weights = np.random.default_rng(1).integers(1, 5, len(y)) / (1 if name == "weighted" else 7)
        return encode(X, y, discrete_features=True, sample_weight=weights)
    if name == "every code occurs":
        return encode(X, y, discrete_features=True)
    if name == "kinds":
        return encode(*_frame_of_kinds())
    holes = np.random.default_rng(2).random(X.shape) < 0.1
    masked = np.ma.MaskedArray(X, holes)
    return encode(masked, y, discrete_features=True, missing="ignore")


def _frame_of_kinds():
    """Numbers and words."""
    X, y = _columns(400, 12)
    rng = np.random.default_rng(3)
    numbers = X[:, :6] + rng.normal(size=(len(y), 6))
    words = [np.array(list("abcdefgh"))[X[:, j] % 8] for j in range(6, 12)]
    return pd.DataFrame({f"x{j}": each for j, each in enumerate([*numbers.T, *words])}), y


@cache
def _sorted_by_codes(table):
    """The rows in the order in which they come from a database, where they have none."""
    data = _table(table)
    columns = [data.column(j) for j in range(data.n_features)]
    return data.take(np.lexsort([*columns[::-1], data.labels]))


@cache
def _fitted(selector, table, data_of=_table):
    """One machine's answer; every engine is compared with the same one."""
    make = (SELECTORS | CORRECTED | ROWS_READ)[selector]
    return make(engine=LocalEngine()).fit(data_of(table))


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory):
    """Return an engine and the table that it counts, by their names.

    A table is written, or coded in a database, once for all tests; they open stores themselves.
    """

    def made(engine, table):
        return ENGINES[engine](_table(table), tmp_path_factory.mktemp("table"))

    kept = cache(made)

    def found(engine, table):
        if not (_is_store(engine) or _is_database(engine)):
            return made(engine, table)  # clusters count the deaths of one fit
        chosen, data = kept(engine, table)
        if isinstance(data, CodedStore):
            data = CodedStore.open(str(data.path))
        return chosen, data

    return found


def _assert_died_if_mortal(engine):
    assert getattr(engine, "deaths", 1) == 1


def _is_store(engine):
    return engine.startswith("out of core")


def _is_cluster(engine):
    """Whether it is a cluster, of which one size of Dask's stands for all."""
    return engine.startswith(("another scheduler", "dask")) and not _is_variant(engine)


def _is_database(engine):
    return "SQL" in engine or "Duck" in engine


def _is_elsewhere(engine):
    """Whether rows are neither here nor in a store."""
    return _is_cluster(engine) or (_is_database(engine) and not _is_variant(engine))


def _stands_for_others(engine):
    """Whether rows are read in a way of its own, or in that of several engines."""
    return engine in (
        "out of core, what suits a store",
        "out of core, 3 columns at a time",
        "out of core, on S3",
        "another scheduler by row, one part is lost",
        "dask by feature on 2",
        "DuckDB",
        "DuckDB, read only",
        "PostgreSQL",
    )


def _is_quick(engine):
    """Whether a hundred small tables take it seconds."""
    return not any(word in engine for word in ("dask", "read only", "PostgreSQL", "Spark", "S3"))


def _is_variant(engine):
    """Whether it is another size, place or fate of an engine that is here as well."""
    varies = ("a column at", "all columns", "address", "S3", "on 1", "on 3", "is lost", "read only")
    return any(word in engine for word in varies)


def _cases():
    for engine in ENGINES:
        variant = _is_variant(engine)
        for selector in ("DEACS", "JMI") if variant else SELECTORS:
            yield engine, "plain", selector
        for selector in () if variant else ("DEACS", "CMI", "JMI", "FCBF"):
            yield engine, "weighted", selector
            yield engine, "ignoring missing", selector


def _by_engine(cases):
    """The cases of each engine, which one test goes through."""
    found = {}
    for engine, *case in cases:
        found.setdefault(engine, []).append(case)
    return list(found.items())


@pytest.mark.parametrize(("engine", "cases"), _by_engine(_cases()))
def test_selections_and_scores_are_those_of_one_machine(engine, cases, elsewhere):
    for table, selector in cases:
        _assert_selects_the_same(engine, selector, table, elsewhere)


def _assert_selects_the_same(engine, selector, table, elsewhere):
    chosen, data = elsewhere(engine, table)
    here, there = _fitted(selector, table), SELECTORS[selector](engine=chosen).fit(data)
    _assert_died_if_mortal(chosen)
    assert there.ranking_.tolist() == here.ranking_.tolist()
    assert there.scores_.tobytes() == here.scores_.tobytes()
    assert there.stop_reason_ == here.stop_reason_
    for name in ("label_scores_", "residual_"):
        if hasattr(here, name):
            assert getattr(there, name).tobytes() == getattr(here, name).tobytes()


@pytest.mark.parametrize("engine", [name for name in ENGINES if _is_elsewhere(name)])
@each("selector", CORRECTED)
@each("table", ["plain", "weighted", "ignoring missing"])
def test_scores_corrected_for_chance_are_those_of_one_machine(engine, selector, table, elsewhere):
    chosen, data = elsewhere(engine, table)
    here, there = _fitted(selector, table), CORRECTED[selector](engine=chosen).fit(data)
    _assert_died_if_mortal(chosen)
    assert there.ranking_.tolist() == here.ranking_.tolist()
    for name in ("scores_", "label_scores_", "residual_", "views_"):
        if hasattr(here, name):
            assert getattr(there, name).tobytes() == getattr(here, name).tobytes(), name


@pytest.mark.parametrize("engine", ENGINES)
@each("selector", ["DEACS", "JMI"])
def test_long_tables_of_which_rows_retire_give_the_same_bits(engine, selector, elsewhere):
    chosen, data = elsewhere(engine, "long")
    here, there = _fitted(selector, "long"), SELECTORS[selector](engine=chosen).fit(data)
    _assert_died_if_mortal(chosen)
    assert there.ranking_.tolist() == here.ranking_.tolist()
    assert there.scores_.tobytes() == here.scores_.tobytes()


@pytest.mark.parametrize("engine", ENGINES)
@each("table", ["plain", "weighted", "ignoring missing"])
def test_every_count_is_that_of_one_machine(engine, table, elsewhere):
    chosen, data = elsewhere(engine, table)
    here = LocalEngine().open(_table(table), "divergence")
    there = (chosen or data.engine).open(data, "divergence")
    asked = np.array([7, 2, 11, 0, 5])
    for step, feature in enumerate([4, 1, 9]):
        assert there.label_scores(asked).tobytes() == here.label_scores(asked).tobytes(), step
        assert there.residual().tobytes() == here.residual().tobytes()
        here.condition_on(feature)
        there.condition_on(feature)
    assert there.fresh().residual().tobytes() == here.fresh().residual().tobytes()
    assert there.n_features == here.n_features
    assert there.relevance().tobytes() == here.relevance().tobytes()
    assert there.entropy().tobytes() == here.entropy().tobytes()
    assert there.class_entropy() == here.class_entropy()
    assert there.mean_group_size([3, 0]) == here.mean_group_size([3, 0])
    assert there.redundancy(3, asked).tobytes() == here.redundancy(3, asked).tobytes()
    told, tells = there.pair_information(8, asked), here.pair_information(8, asked)
    for term in ("redundancy", "conditional", "class_redundancy", "joint", "joint_entropy"):
        assert getattr(told, term).tobytes() == getattr(tells, term).tobytes(), term
    _assert_died_if_mortal(chosen)


def _corrected(estimator, conditioning, engine):
    how = {"label_score": OneVsRest(estimator), "conditioning": conditioning}
    return DEACS(6, engine=engine, **how)


@cache
def _corrected_here(estimator, conditioning, table):
    return _corrected(estimator, conditioning, LocalEngine()).fit(_table(table))


@pytest.mark.parametrize(
    "engine", [name for name in ENGINES if _is_store(name) and not _is_variant(name)]
)
@each("estimator", ["miller-madow", "excess"])
@each("conditioning", ["joint", "blocks"])
@each("table", ["plain", "weighted", "shares", "ignoring missing", "long"])
def test_scores_of_stores_corrected_for_chance_are_those_of_one_machine(
    engine, estimator, conditioning, table, elsewhere
):
    chosen, data = elsewhere(engine, table)
    here = _corrected_here(estimator, conditioning, table)
    there = _corrected(estimator, conditioning, engine=chosen).fit(data)
    assert there.ranking_.tolist() == here.ranking_.tolist()
    for name in ("scores_", "label_scores_", "residual_"):
        assert getattr(there, name).tobytes() == getattr(here, name).tobytes(), name


@pytest.mark.parametrize("engine", [name for name in ENGINES if not _is_variant(name)])
@each("estimator", ["miller-madow", "excess"])
@each("kind", ["joint", "divergence"])
def test_scores_without_a_correction_for_chance_are_refused(engine, estimator, kind, elsewhere):
    chosen, data = elsewhere(engine, "plain")
    with pytest.raises(InputError, match=f"needs one-vs-rest label scores, got '{kind}'"):
        open_counts(data, chosen, kind, estimator=estimator).label_scores(np.arange(2))


@pytest.mark.parametrize("engine", [name for name in ENGINES if _is_cluster(name)])
@each("estimator", ["miller-madow", "excess"])
@each("table", ["shares", "long"])
def test_corrected_scores_of_any_weights_and_shuffled_rows_are_those_of_one_machine(
    engine, estimator, table, elsewhere
):
    chosen, data = elsewhere(engine, table)
    there = DEACS.published(5, engine=chosen, label_score=OneVsRest(estimator))
    if table == "shares" and chosen.by == "row":
        with pytest.raises(
            InputError, match="by='row' adds up weights and cannot count rows, as estimator"
        ):
            there.fit(data)
        return
    corrected = "DEACS, less chance" if estimator == "excess" else "DEACS, Miller-Madow"
    here = _fitted(corrected, table)
    there.fit(data)
    assert there.ranking_.tolist() == here.ranking_.tolist()
    for name in ("scores_", "label_scores_", "residual_"):
        assert getattr(there, name).tobytes() == getattr(here, name).tobytes(), name


@pytest.mark.parametrize("engine", [name for name in ENGINES if _is_cluster(name)])
@each("target", ["labels", "numbers"])
@each("selector", ["DEACS", "DEACS, divergence", "CMI", "DEACS, less chance", "DEACS, the default"])
def test_labels_and_numbers_have_the_scores_of_one_machine(engine, target, selector, elsewhere):
    chosen, data = elsewhere(engine, target)
    here = _fitted(selector, target)
    there = (SELECTORS | CORRECTED)[selector](engine=chosen).fit(data)
    _assert_died_if_mortal(chosen)
    assert there.ranking_.tolist() == here.ranking_.tolist()
    for name in ("scores_", "label_scores_", "residual_", "views_"):
        if hasattr(here, name):
            assert getattr(there, name).tobytes() == getattr(here, name).tobytes(), name


@pytest.mark.parametrize("engine", [n for n in ENGINES if _is_store(n) or _is_cluster(n)])
@each("table", ["plain", "weighted", "shares", "ignoring missing", "kinds"])
def test_the_default_sees_the_order_of_codes_wherever_they_are(engine, table, elsewhere):
    chosen, data = elsewhere(engine, table)
    if table == "shares" and getattr(chosen, "by", None) == "row":
        return  # the default corrects for chance, and weights with fractions go by feature
    if isinstance(data, CodedStore):
        here = DEACS(6, engine=LocalEngine()).fit(data.to_memory())
    else:
        here = _fitted("DEACS, the default", table)
    there = DEACS(6, engine=chosen).fit(data)
    assert there.ranking_.tolist() == here.ranking_.tolist()
    for name in ("scores_", "label_scores_", "residual_"):
        assert getattr(there, name).tobytes() == getattr(here, name).tobytes(), name


def _cases_of_rows():
    tables = ["every code occurs", "ignoring missing"]
    for engine in filter(_stands_for_others, ENGINES):
        for k, selector in enumerate(ROWS_READ):
            # Read only, every statement codes the table anew: each selector has one of the tables.
            for table in tables[k % 2 :][:1] if "read only" in engine else tables:
                yield engine, table, selector


@pytest.mark.parametrize(("engine", "cases"), _by_engine(_cases_of_rows()))
def test_tests_and_groups_are_those_of_one_machine(engine, cases, elsewhere):
    for table, selector in cases:
        chosen, data = elsewhere(engine, table)
        here = _fitted(selector, table, _sorted_by_codes if _is_database(engine) else _table)
        _assert_same_fit(ROWS_READ[selector](engine=chosen).fit(data), here)


@pytest.mark.skipif("DuckDB" not in ENGINES, reason="sqlglot is not installed")
def test_groups_of_weighted_rows_are_those_of_one_machine(elsewhere):
    chosen, data = elsewhere("DuckDB", "weighted")
    there = ROWS_READ["DEACS, groups"](engine=chosen).fit(data)
    _assert_same_fit(there, _fitted("DEACS, groups", "weighted"))


def _assert_same_fit(there, here):
    assert there.ranking_.tolist() == here.ranking_.tolist()
    assert there.stop_reason_ == here.stop_reason_
    for name in ("scores_", "label_scores_", "residual_", "p_values_"):
        if hasattr(here, name):
            assert getattr(there, name).tobytes() == getattr(here, name).tobytes(), name


@pytest.mark.skipif(not DASK_ENGINES, reason="distributed is not installed")
@pytest.mark.parametrize("selector", ["auto", "groups"])
def test_a_dask_frame_is_tested_and_grouped_as_in_memory(selector):
    import dask.dataframe as dd

    frame, y = _frame_of_kinds()
    make = {
        "auto": partial(DEACS.published, "auto", stop=Significant(random_state=1)),
        "groups": partial(DEACS, 5, groups={"far": ["x11", "x0"], "wide": ["x9", "x1", "x8"]}),
    }[selector]
    engine = DASK_ENGINES["dask by row on 2"](None, None)[0]
    there = make(engine=engine).fit(dd.from_pandas(frame.assign(y=y), npartitions=3), "y")
    data = encode(frame, y, discretizer=make().discretizer, recodable=True)
    _assert_same_fit(there, make().fit(data))


@pytest.mark.parametrize("engine", ["feature", "row"])
def test_a_store_is_tested_and_grouped_here_and_counted_on_a_cluster(engine, tmp_path):
    store = CodedStore.write(_table("plain"), tmp_path / "store")
    for make in (ROWS_READ["DEACS, significant"], ROWS_READ["JMI, groups"]):
        there = make(engine=DASK_ENGINES[f"dask by {engine} on 2"](store, tmp_path)[0]).fit(store)
        assert there.scores_.tobytes() == make().fit(_table("plain")).scores_.tobytes()


@pytest.mark.filterwarnings("ignore::deacs.exceptions.IdentifierWarning")
@pytest.mark.parametrize("engine", [name for name in ENGINES if _is_quick(name)])
@given(table=coded_tables(), label_score=st.sampled_from(["one-vs-rest", "divergence"]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_table_is_selected_from_alike(engine, table, label_score, tmp_path):
    columns, y = table
    data = CodedData.from_codes(np.array(columns).T, y)
    chosen, elsewhere = ENGINES[engine](data, tmp_path)
    here = DEACS.published(label_score=label_score).fit(data)
    there = DEACS.published(label_score=label_score, engine=chosen).fit(elsewhere)
    assert there.ranking_.tolist() == here.ranking_.tolist()
    assert there.label_scores_.tobytes() == here.label_scores_.tobytes()


@pytest.mark.filterwarnings("ignore::deacs.exceptions.IdentifierWarning")
@given(table=coded_tables())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_table_has_its_default_selection_in_duckdb(table, tmp_path):
    columns, y = table
    data = CodedData.from_codes(np.array(columns).T, y)
    chosen, elsewhere = ENGINES["DuckDB"](data, tmp_path)
    here, there = DEACS().fit(data), DEACS(engine=chosen).fit(elsewhere)
    assert there.ranking_.tolist() == here.ranking_.tolist()
    assert there.stop_reason_ == here.stop_reason_
    assert there.label_scores_.tobytes() == here.label_scores_.tobytes()
