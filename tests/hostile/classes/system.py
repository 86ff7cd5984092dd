# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A good model, and an operating system that says no, or a command line that looks like something else."""
import json
import os

from .base import Table, relu, write

table = Table()


def good(folder):
    return relu()


def prepared(prepare):
    def make(folder):
        prepare(folder)
        return relu()
    return make


def write_sparse(path):
    path.write_text("")
    os.truncate(path, 1 << 40)


# `output` is the path given to -o, relative to the case's folder.
table.row("output_parent_is_a_file", 3, prepared(lambda f: (f / "file").write_text("")), output="file/net")
table.row("output_is_a_file", 3, prepared(lambda f: (f / "net").write_text("keep me")), output="net")
table.row("output_is_a_symlink", 3, prepared(lambda f: ((f / "real").mkdir(), (f / "net").symlink_to("real"))),
          output="net")
table.row("output_is_a_dangling_symlink", 3, prepared(lambda f: (f / "net").symlink_to("nowhere")), output="net")
table.row("output_in_proc", 3, good, output="/proc/net-of-cameo")
table.row("output_name_too_long", 3, good, output="n" * 300)
table.row("output_list_is_a_pipe", 3, prepared(lambda f: ((f / "net").mkdir(), os.mkfifo(f / "net" / "cameo.files"))),
          output="net")
table.row("output_list_is_endless", 3,
          prepared(lambda f: ((f / "net").mkdir(), (f / "net" / "cameo.files").symlink_to("/dev/zero"))), output="net")
table.row("no_room", 3, good, file_bytes=100)
table.row("few_descriptors", (0, 3), good, descriptors=6)
table.row("no_home_no_tmp", 0, good, environment={"TMPDIR": "/nonexistent", "HOME": "/nonexistent"})
table.row("model_named_like_an_option", 0, lambda folder: write(folder, relu(), "-o"), after_dashes=True)
table.row("no_arguments", 2, good, arguments=[])
table.row("unknown_flag", 2, good, arguments=["compile", "model.onnx", "-o", "net", "--frobnicate"])
table.row("no_model", 2, good, arguments=["compile"])
table.row("unknown_target", 2, good, arguments=["compile", "model.onnx", "-o", "net", "--target", "abacus"])
table.row("unknown_verb", 2, good, arguments=["transmogrify", "model.onnx"])


# Plans travel with models.
def steered(exits, name, text, flags=("--plan", "plan.json")):
    def make(folder):
        if text is not None:
            (folder / "plan.json").write_text(text)
        return relu()
    table.row(name, exits, make, flags=list(flags))


def plan(place=(), asserts=()):
    return json.dumps({"plan": {"assert": list(asserts), "place": list(place), "sides": {"x": "host"}, "value": []}})


steered(0, "plan", plan(["x=host"]))
steered(2, "plan_of_brackets", "[" * 1000000)
steered(2, "plan_of_objects", '{"plan":' * 1000000)
steered(2, "plan_of_many_values", "[" + "0," * (1 << 24) + "0]")
steered(2, "plan_of_many_texts", plan(["x=host"] * 100000))
steered(2, "plan_repeats_repetitions", plan(["((((x{1,200}){1,200}){1,200}){1,200})=host"]))
steered(2, "plan_of_many_expressions", plan([f"{'x' * 200}.{number}=host" for number in range(1000)]))
steered(2, "plan_asserts_deep", plan(asserts=["(" * 4000 + "x == 1"]))
steered(2, "plan_asserts_a_product", plan(asserts=["*".join(["(x+y+1)"] * 500) + " == 1"]))
steered(2, "place_of_parentheses", None, ["--place", "(" * 100000 + "=host"])
steered(2, "place_refers_back", None, ["--place", r"(x*)*\1=host"])
table.row("plan_is_a_pipe", 3, prepared(lambda f: os.mkfifo(f / "plan.json")), flags=["--plan", "plan.json"])
table.row("plan_is_endless", 3, prepared(lambda f: (f / "plan.json").symlink_to("/dev/zero")), flags=["--plan", "plan.json"])
table.row("plan_is_sparse", 6, prepared(lambda f: write_sparse(f / "plan.json")),
          flags=["--plan", "plan.json"])
