"""The site: static pages of boards, methods and learning curves, built from recorded runs alone."""
