"""Tables in databases: the loop is ours, `GROUP BY` is theirs, and only counts travel."""
