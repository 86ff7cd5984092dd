# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wrong names, wrong order, wrong arity, wrong attributes; and some odd graphs that are legal."""
import numpy as np
from onnx import AttributeProto, TensorProto, helper

from .base import BOOL, FLOAT, INT64, Table, constant, edited, model, value

table = Table()
node = helper.make_node


def graph(*nodes, **parts):
    return lambda folder: model(nodes, **parts)


def with_attribute(fill, op="Softmax", **attributes):
    """One node whose attributes are completed by `fill(node)`."""
    def make(folder):
        n = node(op, ["x"], ["y"], name="n", **attributes)
        fill(n)
        return model([n])
    return make


table.row("cycle", 4, graph(node("Add", ["x", "b"], ["a"], name="first"), node("Relu", ["a"], ["b"], name="second"),
                            node("Relu", ["b"], ["y"], name="third")))
table.row("self_cycle", 4, graph(node("Add", ["x", "y"], ["y"], name="loop")))

# Other tools warn of these two, and so does Cameo unless it is told to refuse.
unsorted = graph(node("Relu", ["a"], ["y"], name="second"), node("Relu", ["x"], ["a"], name="first"))
table.row("unsorted", 0, unsorted)
table.row("unsorted_refused", 4, unsorted, flags=["--reject-warnings"])
table.row("undefined_input", 4, graph(node("Add", ["x", "ghost"], ["y"], name="add")))
table.row("undefined_output", 4, graph(node("Relu", ["x"], ["z"], name="relu")))
table.row("value_defined_twice", 4, graph(node("Relu", ["x"], ["y"]), node("Neg", ["x"], ["y"])))
table.row("value_named_as_input", 4, graph(node("Relu", ["x"], ["x"]), node("Neg", ["x"], ["y"])))
table.row("input_twice", 4, graph(node("Relu", ["x"], ["y"]), inputs=[value("x"), value("x")]))
table.row("node_without_outputs", 4, graph(node("Relu", ["x"], ["y"]), node("Relu", ["x"], [])))
table.row("relu_of_nothing", 4, graph(node("Relu", [], ["y"], name="relu")))
table.row("relu_of_64", 4, graph(node("Relu", ["x"] * 64, ["y"], name="relu")))
table.row("relu_of_an_absent_input", 4, graph(node("Relu", [""], ["y"], name="relu")))
table.row("input_without_name", 4, graph(node("Relu", ["x"], ["y"]), inputs=[value("x"), value("")]))
table.row("input_without_type", 4, edited(lambda m: m.graph.input[0].ClearField("type")))
table.row("empty_op_type", (4, 5), edited(lambda m: setattr(m.graph.node[0], "op_type", "")))
table.row("initializer_twice", 4, graph(node("Add", ["x", "w"], ["y"]),
                                        initializers=[constant("w", np.float32([1])), constant("w", np.float32([2]))]))
table.row("wrong_operand_type", 4, graph(node("Add", ["x", "w"], ["y"]), initializers=[constant("w", np.int64([1]))]))
table.row("output_type_contradicts", 4, graph(node("Relu", ["x"], ["y"]), outputs=[value("y", INT64)]))
contradicting = graph(node("Relu", ["x"], ["y"]), outputs=[value("y", dims=(2, 4))])
table.row("output_dims_contradict", 0, contradicting)
table.row("output_dims_refused", 4, contradicting, flags=["--reject-warnings"])
table.row("output_rank_contradicts", 0, graph(node("Relu", ["x"], ["y"]), outputs=[value("y", dims=(2, 3, 1))]))
table.row("shapes_do_not_match", 4, graph(node("Add", ["x", "w"], ["y"]),
                                          initializers=[constant("w", np.zeros((2, 4), np.float32))]))
table.row("inner_dims_do_not_match", 4, graph(node("MatMul", ["x", "x"], ["y"])))
table.row("negative_dim", 4, edited(lambda m: setattr(m.graph.input[0].type.tensor_type.shape.dim[0], "dim_value", -5)))


@table.case(0)
def value_info_contradicts(folder):
    proto = model([node("Relu", ["x"], ["m"]), node("Relu", ["m"], ["y"])])
    proto.graph.value_info.append(value("m", FLOAT, (7, 7)))
    return proto


@table.case(0)
def branch_captures_later_name(folder):
    then = helper.make_graph([node("Relu", ["late"], ["t"])], "then", [], [value("t")])
    other = helper.make_graph([node("Relu", ["x"], ["e"])], "else", [], [value("e")])
    return model([node("If", ["c"], ["y"], then_branch=then, else_branch=other), node("Neg", ["x"], ["late"])],
                 initializers=[constant("c", np.bool_(True))])


@table.case(4)
def branch_without_outputs(folder):
    empty = helper.make_graph([], "empty", [], [])
    return model([node("If", ["c"], ["y"], then_branch=empty, else_branch=empty)],
                 initializers=[constant("c", np.bool_(True))])


@table.case(4)
def sequence_of_two_types(folder):
    return model([node("SequenceConstruct", ["x", "i"], ["s"], name="n"), node("SequenceLength", ["s"], ["y"])],
                 inputs=[value("x"), value("i", INT64)], outputs=[value("y", INT64, [])])


@table.case(4)
def loop_body_arity(folder):
    body = helper.make_graph([node("Identity", ["c"], ["go"])], "body", [value("i", INT64, []), value("c", BOOL, [])],
                             [value("go", BOOL, [])])
    return model([node("Loop", ["", "", "x"], ["y"], body=body)])


@table.case(4)
def scan_body_arity(folder):
    body = helper.make_graph([node("Relu", ["a"], ["b"])], "body", [value("a", FLOAT, [3])], [value("b", FLOAT, [3])])
    return model([node("Scan", ["x"], ["y"], body=body, num_scan_inputs=9)])


def wrong_type(n):
    n.attribute.append(helper.make_attribute("axis", "one"))


def payload_not_type(n):
    attribute = n.attribute.add(name="axis", type=AttributeProto.INT)
    attribute.s = b"one"


def twice(n):
    n.attribute.extend([helper.make_attribute("axis", 0), helper.make_attribute("axis", 1)])


def reference(n):
    n.attribute.add(name="axis", type=AttributeProto.INT, ref_attr_name="outer")


def nameless(n):
    n.attribute.add(type=AttributeProto.INT, i=1)


table.row("attribute_of_wrong_type", 4, with_attribute(wrong_type))
table.row("attribute_type_without_payload", 4, with_attribute(payload_not_type))
table.row("attribute_twice", 4, with_attribute(twice))
table.row("attribute_reference_outside_function", 4, with_attribute(reference))
table.row("attribute_without_name", 4, with_attribute(nameless))
table.row("attribute_unknown", 4, with_attribute(lambda n: None, op="Relu", colour="blue"))
table.row("attribute_missing", 4, with_attribute(lambda n: None, op="Cast"))

# Legal, however odd.
table.row("output_is_input", 0, graph(outputs=[value("x")]))
table.row("output_is_initializer", 0, graph(node("Relu", ["x"], ["r"]), initializers=[constant("y", np.ones((2, 3), np.float32))]))
table.row("output_twice", 0, graph(node("Relu", ["x"], ["y"]), outputs=[value("y"), value("y")]))
table.row("unused_input", 0, graph(node("Relu", ["x"], ["y"]), inputs=[value("x"), value("spare", INT64, ["n"])]))
table.row("constants_share_a_tensor_name", 0, graph(
    *(node("Constant", [], [f"c{i}"], value=helper.make_tensor("same", TensorProto.FLOAT, [1], [i])) for i in range(3)),
    node("Sum", ["x", "c0", "c1", "c2"], ["y"])))
