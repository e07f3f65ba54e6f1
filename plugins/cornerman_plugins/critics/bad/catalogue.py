"""What this family enters into the catalogue."""

from __future__ import annotations

from cornerman.registry import Registry

AT = "cornerman_plugins.critics.bad"
WAFER = "WAFER-QA, arXiv 2506.03332"


def register(registry: Registry) -> None:
    """Enter the critics that no one should listen to."""
    for name, target, doc, paper in [
        ("hypercritical", "waferqa:Hypercritical", "finds fault with whatever is done", WAFER),
        ("malicious", "waferqa:Malicious", "names another action with confidence, out of nothing", WAFER),
        ("grounded-malicious", "waferqa:GroundedMalicious", "names a wrong action and quotes evidence for it", WAFER),
        ("random-critic", "others:RandomCritic", "random verdicts, scores and advice", "a control of ours"),
        ("answer-leaking", "others:AnswerLeaking", "tells the rest of the solution", "a control of ours"),
    ]:
        registry.add("critic", name, f"{AT}.{target}", doc=doc, paper=paper, basis="rule", experiment="bad-critics")
