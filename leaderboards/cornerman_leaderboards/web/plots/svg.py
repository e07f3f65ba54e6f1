"""SVG built of elements, so that every text in it is escaped; in a page, as a file of its own, and as a bitmap."""

from __future__ import annotations

import functools
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable

from markupsafe import Markup

from cornerman.errors import UsageError
from cornerman_leaderboards.tables.cells import width_of
from cornerman_leaderboards.web.rendering import asset
from cornerman_leaderboards.web.text import name

Element = ET.Element
NAMESPACE = "http://www.w3.org/2000/svg"
WIDTHS = {
    **dict.fromkeys("ijl|!.,:;'`", 3.2),
    **dict.fromkeys('ft()[]/\\-I r"*', 4.6),
    **dict.fromkeys("mwMW@%…", 10.4),
    **dict.fromkeys("ABCDEFGHJKLNOPQRSTUVXYZ&", 8.2),
}
"""Widths of the plots' letters where they are far from that of most."""
LETTER = 6.4
"""Width of the other letters, in the plots' units."""


def el(tag: str, *children: Element | str, **attributes: object) -> Element:
    """An element. Numbers are written to two decimals; `class_` is `class`, `stroke_width` is `stroke-width`."""
    made = Element(tag, {key.rstrip("_").replace("_", "-"): _written(value) for key, value in attributes.items()})
    for child in children:
        if isinstance(child, str):
            made.text = child
        else:
            made.append(child)
    return made


def _written(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def label(text: str, x: float, y: float, width: float, class_: str = "label", anchor: str = "start") -> Element:
    """A text of any origin on one line, shortened to a width, whole in its tooltip where it was."""
    short = fitting(text, width)
    made = el("text", short, x=x, y=y, class_=class_, text_anchor=anchor)
    if short != text:
        made.append(el("title", name(text, 400)))
    return made


def fitting(text: str, width: float) -> str:
    """A text on one line, its middle left out as far as its width asks for."""
    short = name(text)
    while text_width(short) > width and len(short) > 6:
        short = name(short.replace("…", ""), max(6, min(len(short) - 2, int(len(short) * width / text_width(short)))))
    return short


def text_width(text: str) -> float:
    """About how wide a text is, in the plots' units."""
    return sum(WIDTHS.get(c, LETTER) * width_of(c) for c in text)


def drawing(width: float, height: float, title: str, parts: Iterable[Element]) -> Element:
    """A plot. title: what it shows, for those who cannot see it."""
    root = el("svg", class_="plot", viewBox=f"0 0 {_written(float(width))} {_written(float(height))}", role="img")
    root.set("aria-label", name(title, 400))
    root.extend(parts)
    return root


def inline(plot: Element) -> Markup:
    """The plot as part of a page, which has the style."""
    return Markup(ET.tostring(plot, encoding="unicode"))


def standalone(plot: Element) -> str:
    """The plot as a file: white ground, the pages' light colours, nothing from outside."""
    width, height = plot.get("viewBox", "").split()[2:]
    root = Element("svg", {**plot.attrib, "xmlns": NAMESPACE, "width": width, "height": height})
    root.append(el("style", resolved()))
    root.append(el("rect", width=width, height=height, class_="paper"))
    root.extend(plot)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


@functools.cache
def resolved() -> str:
    """The plots' style with the light colours in place of their names."""
    light = re.search(r":root \{(.*?)\n\}", asset("style.css").decode(), re.DOTALL)
    assert light is not None
    tokens = dict(re.findall(r"--([\w-]+): ([^;]+);", light[1]))
    return re.sub(r"var\(--([\w-]+)\)", lambda found: tokens[found[1]], asset("plots.css").decode())


def png(svg: str, zoom: int = 3) -> bytes:
    """A plot's file as a bitmap. Raises `UsageError` where the library is not installed."""
    try:
        import resvg_py
    except ImportError:
        raise UsageError("bitmaps of plots need a library: pip install 'cornerman[site]', or leave out --png") from None
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=zoom))
