"""Tables of units that hypothesis makes: small numbers, so that zeros and ties are frequent."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

AMOUNTS = st.sampled_from([0.0, 0.0, 1.0, 1.0, 2.0, 3.0, 0.5, 7.0, 0.1])


@st.composite
def outputs(draw, max_units=7, max_outputs=4):
    """Output tables, some with repeated units, dominated units and repeated columns."""
    shape = (draw(st.integers(1, max_units)), draw(st.integers(1, max_outputs)))
    table = draw(hnp.arrays(float, shape, elements=AMOUNTS))
    for shrink in draw(st.lists(st.sampled_from([1.0, 0.5, 1 / 3]), max_size=2)):
        row = draw(st.integers(0, len(table) - 1))
        table = np.vstack([table, shrink * table[row]])
    if draw(st.booleans()):
        table = np.hstack([table, table[:, :1]])
    return table


@st.composite
def inputs_and_outputs(draw, max_inputs=3):
    """Both tables; inputs may be zero, but each unit has a positive one, and each input a user."""
    y = draw(outputs())
    shape = (len(y), draw(st.integers(1, max_inputs)))
    x = draw(hnp.arrays(float, shape, elements=AMOUNTS))
    x[(x == 0).all(axis=1), 0] = 1.0
    x[0, (x == 0).all(axis=0)] = 1.0
    return x, y
