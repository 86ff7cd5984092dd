# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The site, made by Sphinx (tools/docs) of the Markdown files as they lie in the repository.

Its source is the whole repository, not docs/ alone, so that links are the same in the files and on the site, and no page has
a copy. A file that is no page and to which a page links comes along as a download. The first page is README, behind which
contents.txt is read: it names all other pages, and one that it forgets is an error, as every warning is."""
from pathlib import Path

project = html_title = "Cameo"
copyright = "the authors of Cameo"

extensions = ["myst_parser"]
root_doc = "README"
include_patterns = ["*.md", "bench/**.md", "codegen_templates/*.md", "compiler/**/README.md", "docs/*.md", "runtime/**/README.md",
                    "samples/**/README.md", "tests/*/README.md", "tools/**/README.md"]
exclude_patterns = ["build", "dist", ".*", "**/build", "**/__pycache__"]
myst_heading_anchors = 6
# A fence without a language holds commands or a list of files; and there is no lexer for MLIR.
highlight_language = "text"
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_copy_source = html_show_sourcelink = html_show_sphinx = False
html_use_index = False
html_extra_path = ["site"]


def add_contents(app, docname, source):
    if docname == root_doc:
        source[0] += Path(app.confdir, "contents.txt").read_text()


def setup(app):
    app.connect("source-read", add_contents)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
