# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A good model, and an operating system that says no, or a command line that looks like something else."""
from .base import Table, relu, write

table = Table()


def good(folder):
    return relu()


def prepared(prepare):
    def make(folder):
        prepare(folder)
        return relu()
    return make


# `output` is the path given to -o, relative to the case's folder.
table.row("output_parent_is_a_file", 3, prepared(lambda f: (f / "file").write_text("")), output="file/net")
table.row("output_is_a_file", 3, prepared(lambda f: (f / "net").write_text("keep me")), output="net")
table.row("output_is_a_symlink", 3, prepared(lambda f: ((f / "real").mkdir(), (f / "net").symlink_to("real"))),
          output="net")
table.row("output_is_a_dangling_symlink", 3, prepared(lambda f: (f / "net").symlink_to("nowhere")), output="net")
table.row("output_in_proc", 3, good, output="/proc/net-of-cameo")
table.row("output_name_too_long", 3, good, output="n" * 300)
table.row("no_room", 3, good, file_bytes=100)
table.row("few_descriptors", (0, 3), good, descriptors=6)
table.row("no_home_no_tmp", 0, good, environment={"TMPDIR": "/nonexistent", "HOME": "/nonexistent"})
table.row("model_named_like_an_option", 0, lambda folder: write(folder, relu(), "-o"), after_dashes=True)
table.row("no_arguments", 2, good, arguments=[])
table.row("unknown_flag", 2, good, arguments=["compile", "model.onnx", "-o", "net", "--frobnicate"])
table.row("no_model", 2, good, arguments=["compile"])
table.row("unknown_target", 2, good, arguments=["compile", "model.onnx", "-o", "net", "--target", "abacus"])
table.row("unknown_verb", 2, good, arguments=["transmogrify", "model.onnx"])
