# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Texts that try to become code. All are legal models: they must compile, and what they become must compile too, with
warnings as errors. Every payload would stop the build if one character of it counted."""
import re

import numpy as np
from onnx import StringStringEntryProto, helper

from .base import FLOAT, Table, constant, model, value

table = Table()
PAYLOADS = {
    "newline": "a\n#error injected\nb",
    "carriage_return": "a\r#error injected\rb",
    "comment_end": "*/ static_assert(false); /*",
    "line_comment": "// \\\n#error injected",
    "backslash_at_end": "text \\",
    "trigraph": "a ??/\n#error injected ??/",
    "separators": "a\u2028#error injected\u2029\x0b#error injected\x0c",
    "bidi": "text\u202e} \u2066// ;\u2069",
    "quote": '"); static_assert(false); ("',
    "raw_string_end": ')" static_assert(false); )delimiter"',
    "format": "%n%s%n{0}{tensor}{{name}}",
    "line_directive": "#line 1 \"x\"\n#include <injected>",
    "braces": "} } static_assert(false); namespace {",
}


def everywhere(text):
    """`text` in every text field that a small model has."""
    def make(folder):
        nodes = [helper.make_node("Mul", ["x" + text, "w" + text], ["m" + text], name=text, doc_string=text),
                 helper.make_node("LeakyRelu", ["m" + text], ["y" + text], name="n" + text, alpha=0.5)]
        graph = helper.make_graph(nodes, text, [value("x" + text, FLOAT, ["d" + text, 3])],
                                  [value("y" + text, FLOAT, ["d" + text, 3])],
                                  [constant("w" + text, np.float32([1, 2, 3]))], doc_string=text,
                                  value_info=[value("m" + text, FLOAT, ["d" + text, 3])])
        proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], producer_name=text,
                                  producer_version=text, domain=text, doc_string=text)
        proto.ir_version = 10
        entry = StringStringEntryProto(key=text, value=text)
        for holder in (proto, proto.graph, *proto.graph.node):
            holder.metadata_props.append(entry)
        return proto
    return make


def plain(text):
    """A harmless text whose identifiers are as long, since lines break by length."""
    return re.sub("[A-Za-z]", "p", re.sub("[^A-Za-z0-9]+", "_", text)).rstrip("_")


for name, payload in PAYLOADS.items():
    table.row(name, 0, everywhere(payload), compiles=True, twin=everywhere(plain(payload)))


def names(*texts):
    """A chain of nodes whose values and nodes have just these names."""
    def make(folder):
        chain = [helper.make_node("Neg", [before], [after], name=after) for before, after in zip(texts, texts[1:])]
        return model(chain, inputs=[value(texts[0], FLOAT, ["n"])], outputs=[value(texts[-1], FLOAT, ["n"])])
    return make


table.row("names_that_clean_alike", 0, names("a.b", "a_b", "a-b", "a b", "A_b", "a__b", "_a_b"), compiles=True)
table.row("keywords", 0, names("int", "class", "template", "co_await", "__global__", "asm", "xor", "requires"),
          compiles=True)
table.row("macros", 0, names("MAX", "linux", "errno", "EOF", "NULL", "assert", "unix", "CAMEO_TRY"), compiles=True)
table.row("names_of_ours", 0, names("run", "context", "exec", "cameo", "e", "in", "main", "std"), compiles=True)
table.row("digits_and_empty", 0, names("0", "1", "_", "__", "-", ".", "µ", "变量"), compiles=True)
table.row("name_of_1_mb", 0, names("x" * 2**20, "x" * 2**20 + "y"), compiles=True)


def graph_named(text):
    def make(folder):
        proto = names("x", "y")(folder)
        proto.graph.name = text
        return proto
    return make


for name, text in [("graph_up", "../../x"), ("graph_option", "-rf"), ("graph_device", "CON"), ("graph_slash", "/etc/x"),
                   ("graph_dot", "."), ("graph_nul", "a\0b")]:
    table.row(name, 0, graph_named(text), compiles=True, twin=graph_named("plain"))


@table.case(0, compiles=True, locale="de_DE.UTF-8")
def float_constants(folder):
    special = np.float32([np.nan, np.inf, -np.inf, -0.0, 1e-45, 3.4028235e38, 0.1, 1 / 3])
    nodes = [helper.make_node("LeakyRelu", ["x"], ["a"], alpha=1e-40), helper.make_node("Elu", ["a"], ["b"], alpha=0.1),
             helper.make_node("Add", ["b", "w"], ["y"])]
    return model(nodes, inputs=[value("x", FLOAT, [8])], outputs=[value("y", FLOAT, [8])],
                 initializers=[constant("w", special)])
