# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A good graph under a bad header."""
from onnx import helper

from .base import Table, edited, model

table = Table()


def opsets(*pairs):
    def edit(proto):
        del proto.opset_import[:]
        proto.opset_import.extend(helper.make_opsetid(domain, version) for domain, version in pairs)
    return edited(edit)


def unknown_ops(*pairs):
    nodes = [helper.make_node("Relu", ["x"], ["r"], name="fine")]
    nodes += [helper.make_node(op, ["r"], [f"o{i}"], name=f"odd_{i}", domain=domain)
              for i, (op, domain) in enumerate(pairs)]
    nodes.append(helper.make_node("Identity", ["r"], ["y"], name="last"))

    def make(folder):
        proto = model(nodes)
        proto.opset_import.extend(helper.make_opsetid(domain, 1) for domain in sorted({d for _, d in pairs if d}))
        return proto
    return make


table.row("no_graph", 4, edited(lambda m: m.ClearField("graph")))
table.row("no_opset", 4, opsets())
table.row("no_ir_version", 4, edited(lambda m: m.ClearField("ir_version")))
table.row("opset_twice", 0, opsets(("", 13), ("", 21)))
table.row("opset_twice_by_alias", 0, opsets(("", 13), ("ai.onnx", 21)))
table.row("opset_twice_the_last_unknown", 5, opsets(("", 21), ("", 9999)))
table.row("opset_a_thousand_times", 0, opsets(*[("", 1 + number % 21) for number in range(1008)]))
table.row("opset_zero", 4, opsets(("", 0)))
table.row("opset_negative", 4, opsets(("", -1)))
table.row("opset_9999", 5, opsets(("", 9999)))
table.row("ir_version_huge", 5, edited(lambda m: setattr(m, "ir_version", 10**9)))
table.row("ir_version_negative", 4, edited(lambda m: setattr(m, "ir_version", -3)))
table.row("unknown_op", 5, unknown_ops(("Frobnicate", "")))
table.row("unknown_ops_all_listed", 5, unknown_ops(("Frobnicate", ""), ("Whirl", "org.example")))
table.row("domain_not_imported", 4, edited(lambda m: setattr(m.graph.node[0], "domain", "org.example")))
table.row("op_newer_than_opset", (4, 5), edited(lambda m: setattr(m.graph.node[0], "op_type", "Gelu"),
                                                start=lambda: model([helper.make_node("Relu", ["x"], ["y"])], opset=13)))


@table.case(0)
def training_info(folder):
    proto = model([helper.make_node("Relu", ["x"], ["y"], name="relu")])
    proto.training_info.add().algorithm.name = "none"
    return proto
