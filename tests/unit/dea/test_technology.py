import numpy as np
import pytest

from deacs.dea import bcc, ram, references, super_efficiency, super_sbm


@pytest.mark.parametrize(
    ("model", "options"),
    [
        (bcc, {}),
        (ram, {}),
        (super_efficiency, {"returns_to_scale": "vrs"}),
        (super_efficiency, {"returns_to_scale": "vrs", "orientation": "output"}),
        (super_sbm, {"returns_to_scale": "vrs"}),
    ],
)
def test_leaving_out_dominated_references_changes_nothing(model, options, monkeypatch):
    """Small integers, so that units are equal and one hides behind another alone."""
    rng = np.random.default_rng(1)
    x, y = rng.integers(1, 6, (60, 2)).astype(float), rng.integers(0, 6, (60, 2)).astype(float)
    cut = model(x, y, **options)
    usual = references.possible_peers
    monkeypatch.setattr(references, "possible_peers", lambda columns, _: usual(columns, None))
    whole = model(x, y, **options)
    np.testing.assert_array_equal(np.isinf(cut.scores), np.isinf(whole.scores))
    finite = np.isfinite(whole.scores)
    np.testing.assert_allclose(cut.scores[finite], whole.scores[finite], atol=1e-10)
    np.testing.assert_array_equal(cut.status, whole.status)
