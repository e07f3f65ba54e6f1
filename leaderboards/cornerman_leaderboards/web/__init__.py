"""What the pages of the site and of the viewer share: their templates, their style, and how hostile text is shown."""
