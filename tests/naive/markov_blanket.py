"""Grow and shrink by brute force, without early dropping."""


def blanket(p_values, score, n_features, alpha):
    """The blanket; `p_values(given, candidates)` are adjusted for the candidates, `score` ranks."""
    members = []
    while True:
        candidates = [j for j in range(n_features) if j not in members]
        if not candidates:
            break
        found = p_values(members, candidates)
        passed = [j for j, p in zip(candidates, found, strict=True) if p <= alpha]
        if not passed:
            break
        best = max(score(j, members) for j in passed)
        members.append(min(j for j in passed if score(j, members) >= best - 1e-9))
    while members:
        p = {j: p_values([other for other in members if other != j], [j])[0] for j in members}
        worst = max(members, key=p.__getitem__)
        if p[worst] <= alpha:
            break
        members.remove(worst)
    return members
