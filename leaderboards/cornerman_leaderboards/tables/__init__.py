"""What people read in a terminal: tables of runs and boards, as text, Markdown and SVG."""
