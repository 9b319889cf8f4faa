"""Settings for all tests."""

from hypothesis import settings

# The first example of a test may compile a kernel, which takes longer than any deadline.
settings.register_profile("deacs", deadline=None)
settings.load_profile("deacs")
