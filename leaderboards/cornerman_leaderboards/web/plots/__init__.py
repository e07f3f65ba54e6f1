"""Plots as SVG: in pages, coloured by the pages' style, and as files of their own for papers."""
