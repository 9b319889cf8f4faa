"""Reasons why a selection ended, in words."""

from deacs.tables import Target

__all__ = ["STOP_REASONS", "ending"]

STOP_REASONS = {
    "n_features_to_select": "the requested number of features is reached",
    "budget": "the next feature would exceed the budget",
    "exhausted": "no remaining feature adds information about any {noun}",
    "chance": "no remaining feature outscores the best of as many uninformative ones",
    "not significant": "no remaining feature adds significant information about the {nouns}",
    "cross-validation": "this number of features was chosen by cross-validation",
    "one of each group": "one column of each group is kept",
}


def ending(stop_reason: str, about: Target, *, is_all: bool = False) -> str:
    """Return why a selection ended; `is_all` means that every feature was ranked."""
    if is_all and stop_reason == "exhausted":
        return "all features are ranked"
    words = {"noun": about.noun, "nouns": about.nouns}
    return STOP_REASONS.get(stop_reason, stop_reason).format(**words)
