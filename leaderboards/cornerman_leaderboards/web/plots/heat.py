"""The heat map of tasks × methods, as a file for papers; a page shows the same as a table."""

from __future__ import annotations

from collections.abc import Sequence

from cornerman_leaderboards.web.plots.svg import Element, drawing, el, label, text_width

SIDE, NAMES, FOOT = 16, 300, 34
STEPS = 5


def step(share: float | None) -> str:
    """The style of a share of solved trials: h0, none, to h5, all; `h-none` where nothing was played."""
    return "h-none" if share is None else f"h{round(share * STEPS)}"


def heat(tasks: Sequence[str], methods: Sequence[str], shares: Sequence[Sequence[float | None]]) -> Element:
    """The map: a row a task, a column a method, as they are given."""
    heads = min(180.0, max(map(text_width, methods), default=0.0) + 12)
    side = max(SIDE, 18)
    parts: list[Element] = []
    for j, method in enumerate(methods):
        x = NAMES + j * side + side / 2
        turned = el("g", label(method, 0, 4, heads), transform=f"translate({x:.1f} {heads - 6:.1f}) rotate(-90)")
        parts.append(turned)
    for i, task in enumerate(tasks):
        y = heads + i * SIDE
        parts.append(label(task, NAMES - 8, y + 12, NAMES - 16, class_="small soft", anchor="end"))
        parts += [
            el("rect", x=NAMES + j * side, y=y, width=side - 1, height=SIDE - 1, class_=step(share))
            for j, share in enumerate(shares[i])
        ]
    bottom = heads + len(tasks) * SIDE + 12
    parts += key(NAMES, bottom)
    width = max(NAMES + len(methods) * side + 8, NAMES + 220)
    return drawing(width, bottom + FOOT - 12, "Share of trials solved, by task and method", parts)


def key(x: float, y: float) -> list[Element]:
    """What the colours mean."""
    boxes = [el("rect", x=x + 40 + i * 18, y=y, width=17, height=12, class_=step(i / STEPS)) for i in range(STEPS + 1)]
    none = el("text", "none", x=x + 34, y=y + 10, class_="small faint", text_anchor="end")
    every = el("text", "all solved", x=x + 46 + (STEPS + 1) * 18, y=y + 10, class_="small faint")
    return [none, *boxes, every]
