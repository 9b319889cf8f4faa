"""PMU against its definition."""

from hypothesis import given, settings

from deacs import PMU
from tests.naive import labels as naive_labels
from tests.naive.filters import coded, greedy, same_path
from tests.tables_of_codes import labelled_tables


@settings(max_examples=40)
@given(labelled_tables())
def test_ranking_equals_the_naive_twin(table):
    columns, y = table
    same_path(PMU().fit(coded(columns, y)), greedy(naive_labels.pmu, columns, y))
