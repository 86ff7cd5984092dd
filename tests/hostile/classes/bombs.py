# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small files that unfold: nesting, recursion, doubling, endless loops, and very many of something."""
import numpy as np
from onnx import TensorProto, helper

from .base import BOOL, FLOAT, INT64, Table, constant, model, relu, sum_of_sums, value, varint

table = Table()
node = helper.make_node
DOMAIN = "bomb"


def field(number, payload):
    """A length-delimited protobuf field; texts are encoded."""
    payload = payload.encode() if isinstance(payload, str) else payload
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def nested_if(depth):
    """Written byte by byte: Python's protobuf refuses to hold what this asks the compiler to read."""
    def branch(name, last, *nodes):
        return field(2, name) + b"".join(field(1, n) for n in nodes) + field(12, value(last).SerializeToString())

    def attribute(name, body):
        return field(1, name) + field(6, body) + varint(20 << 3) + varint(5)

    def make(folder):
        inner = node("Relu", ["x"], [f"v{depth}"]).SerializeToString()
        for level in reversed(range(depth)):
            other = node("Neg", ["x"], [f"e{level}"]).SerializeToString()
            inner = field(1, "c") + field(2, f"v{level}") + field(4, "If") + \
                field(5, attribute("then_branch", branch(f"b{level}", f"v{level + 1}", inner))) + \
                field(5, attribute("else_branch", branch(f"o{level}", f"e{level}", other)))
        last = node("Identity", ["v0"], ["y"]).SerializeToString()
        proto = model([], inputs=[value("x"), value("c", BOOL, [])])
        graph = field(1, inner) + field(1, last) + proto.graph.SerializeToString()
        proto.ClearField("graph")
        return proto.SerializeToString() + field(7, graph)
    return make


table.row("if_nested_30", 0, nested_if(30))
table.row("if_nested_120", 6, nested_if(120))
table.row("if_nested_300", 6, nested_if(300))


def functions(bodies, stack=None):
    """bodies: name -> list of called functions; each adds its calls up. The graph calls the first."""
    def make(folder):
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid(DOMAIN, 1)]
        protos = []
        for name, calls in bodies.items():
            nodes, last = [], "x"
            for i, callee in enumerate(calls):
                nodes.append(node(callee, [last], [f"t{i}"], domain=DOMAIN))
                last = f"t{i}"
            nodes.append(node("Neg", [last], ["y"]))
            protos.append(helper.make_function(DOMAIN, name, ["x"], ["y"], nodes, opsets))
        proto = model([node(next(iter(bodies)), ["x"], ["y"], domain=DOMAIN)])
        proto.opset_import.append(helper.make_opsetid(DOMAIN, 1))
        proto.functions.extend(protos)
        return proto
    return make


table.row("function_calls_itself", 4, functions({"a": ["a"]}))
table.row("functions_call_each_other", 4, functions({"a": ["b"], "b": ["c"], "c": ["a"]}))
table.row("functions_double", 6, functions({f"f{i}": [f"f{i + 1}"] * 2 for i in range(40)} | {"f40": []}))
# Less than a plain file may have, and 11 s.
table.row("functions_double_to_2_to_20", 6, functions({f"f{i}": [f"f{i + 1}"] * 2 for i in range(19)} | {"f19": []}))
table.row("functions_chain_3000", (0, 6), functions({f"f{i}": [f"f{i + 1}"] for i in range(3000)} | {"f3000": []}),
          stack_kib=1024)


@table.case(4)
def function_calls_itself_in_branch(folder):
    then = helper.make_graph([node("a", ["x"], ["t"], domain=DOMAIN)], "then", [], [value("t")])
    other = helper.make_graph([node("Neg", ["x"], ["e"])], "else", [], [value("e")])
    body = [node("ReduceMax", ["x"], ["m"], keepdims=0), node("Cast", ["m"], ["c"], to=BOOL),
            node("If", ["c"], ["y"], then_branch=then, else_branch=other)]
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid(DOMAIN, 1)]
    proto = model([node("a", ["x"], ["y"], domain=DOMAIN)])
    proto.opset_import.append(helper.make_opsetid(DOMAIN, 1))
    proto.functions.append(helper.make_function(DOMAIN, "a", ["x"], ["y"], body, opsets))
    return proto


@table.case(4)
def function_defined_twice(folder):
    proto = functions({"a": []})(folder)
    proto.functions.append(proto.functions[0])
    return proto


def sparse(name, extent):
    """One value and many zeros."""
    return helper.make_sparse_tensor(constant(name, np.float32([1])), constant("", np.int64([extent // 2])), [extent])


@table.case(6)
def sparse_tensors_16(folder):
    """Each within what one sparse tensor may become, and 1 GiB together, of a file of 1 KiB."""
    names, extent = [f"w{i}" for i in range(16)], 1 << 24
    proto = model([node("Sum", ["x", *names], ["y"])], inputs=[value("x", FLOAT, [1])],
                  outputs=[value("y", FLOAT, [extent])])
    proto.graph.sparse_initializer.extend(sparse(name, extent) for name in names)
    return proto


def packed(message):
    """A model with a node that `message` makes of a million packed integers, a byte each."""
    def make(folder):
        proto = relu().SerializeToString()
        # A message that comes twice is merged: another node of the same graph.
        return proto + field(7, field(1, message(b"\1" * 1_000_000)))
    return make


table.row("packed_ints_of_1_mb", 6, packed(
    lambda ints: field(1, "x") + field(2, "z") + field(4, "Relu") + field(5, field(1, "axes") + field(8, ints))),
    flags=["--max-structure-bytes", "4000000"])
table.row("packed_dims_of_1_mb", 6, packed(
    lambda dims: field(1, "x") + field(2, "z") + field(4, "Relu") + field(5, field(1, "t") + field(5, field(1, dims)))),
    flags=["--max-structure-bytes", "4000000"])
table.row("weights_together", 6, lambda folder: model(
    [node("Sum", ["x", "v", "w"], ["y"])],
    initializers=[constant(name, np.ones((2, 3), np.float32)) for name in "vw"]),
    flags=["--max-weight-bytes", "47"])


@table.case((0, 6))
def sum_of_50000(folder):
    return model([node("Sum", ["x"] * 50_000, ["y"])])


@table.case(0)
def metadata_200000(folder):
    proto = relu()
    for i in range(200_000):
        proto.metadata_props.add(key=f"k{i}", value="v")
    return proto


@table.case(0)
def doc_string_20_mb(folder):
    proto = relu()
    proto.graph.node[0].doc_string = "d" * 20_000_000
    return proto


@table.case(0)
def loop_without_end(folder):
    body = helper.make_graph([node("Identity", ["c"], ["go"]), node("Neg", ["s"], ["t"])], "body",
                             [value("i", INT64, []), value("c", BOOL, []), value("s")],
                             [value("go", BOOL, []), value("t")])
    return model([node("Loop", ["n", "t0", "x"], ["y"], body=body)],
                 initializers=[constant("n", np.int64(2**63 - 1)), constant("t0", np.bool_(True))])


def branch(name, operator, *operands, **attributes):
    return helper.make_graph([node(operator, list(operands), [name], **attributes)], name, [],
                             [value(name, FLOAT, None)])


@table.case(0)
def ifs_2000(folder):
    """Those that differ in their graphs only, and in the extents that these define."""
    nodes = [node("If", ["c"], [f"v{i + 1}"], then_branch=branch("a", "Concat", "v0", f"v{i}", axis=0),
                  else_branch=branch("b", "Neg", f"v{i}")) for i in range(2000)]
    return model(nodes, inputs=[value("v0", FLOAT, ["n"]), value("c", BOOL, [])], outputs=[value("v2000", FLOAT, None)])


@table.case(0)
def growing_loops_1000(folder):
    """The size behind each depends on that behind the one before."""
    nodes = []
    for i in range(1000):
        body = helper.make_graph([node("Identity", ["c"], ["go"]), node("Concat", ["s", "v0"], ["t"], axis=0)], "body",
                                 [value("i", INT64, []), value("c", BOOL, []), value("s", FLOAT, None)],
                                 [value("go", BOOL, []), value("t", FLOAT, None)])
        nodes.append(node("Loop", ["n", "", f"v{i}"], [f"v{i + 1}"], body=body))
    return model(nodes, inputs=[value("v0", FLOAT, ["d"]), value("n", INT64, [])],
                 outputs=[value("v1000", FLOAT, None)])


@table.case(0)
def concat_of_10000(folder):
    return model([node("Concat", ["x"] * 10_000, ["y"], axis=0)], inputs=[value("x", FLOAT, ["n"])],
                 outputs=[value("y", FLOAT, None)])


@table.case(0)
def split_into_5000(folder):
    names = [f"y{i}" for i in range(5000)]
    return model([node("Split", ["x"], names, axis=0, num_outputs=5000)], inputs=[value("x", FLOAT, ["n"])],
                 outputs=[value(name, FLOAT, None) for name in names])


@table.case(0)
def one_value_read_by_4000(folder):
    return sum_of_sums(4000)


def unknown_extents(operator, source):
    nodes = []
    for i in range(2000):
        nodes += [node(operator, [f"x{i}"], [f"a{i}"]), node("Cast", [f"a{i}"], [f"b{i}"], to=FLOAT),
                  node("ReduceSum", [f"b{i}"], [f"c{i}"], keepdims=0)]
    return model([*nodes, node("Sum", [f"c{i}" for i in range(2000)], ["y"])],
                 inputs=[value(f"x{i}", source, ["n"]) for i in range(2000)], outputs=[value("y", FLOAT, None)])


@table.case(5)
def unknown_extents_2000(folder):
    """Each an operator that is refused, with extents of its own."""
    return unknown_extents("ImageDecoder", TensorProto.UINT8)


@table.case(0)
def counted_extents_2000(folder):
    """Each an operator whose result's size the data decides."""
    return unknown_extents("NonZero", FLOAT)


@table.case(0)
def large_constants_folded_2000_times(folder):
    nodes = [node("Gather", [f"v{i}", "reversed"], [f"v{i + 1}"]) for i in range(2000)]
    return model([*nodes, node("Add", ["x", "v2000"], ["y"])], inputs=[value("x", FLOAT, ["n", 1000])],
                 outputs=[value("y", FLOAT, None)],
                 initializers=[constant("v0", np.arange(1000, dtype=np.float32)),
                               constant("reversed", np.arange(999, -1, -1))])


@table.case(6)
def folding_to_2_to_40(folder):
    nodes = [node("Concat", [f"v{i}", f"v{i}"], [f"v{i + 1}"], axis=0) for i in range(40)]
    return model([*nodes, node("ReduceSum", ["v40"], ["s"], keepdims=0), node("Add", ["x", "s"], ["y"])],
                 initializers=[constant("v0", np.float32([1]))])


def long_list(operator, inputs=1, rank=2, **attributes):
    """An operand that is a list of 2^28 numbers, which nobody has given: no list of that many is made to look at them."""
    lists = [f"list{i}" for i in range(inputs)]
    return lambda folder: model([node(operator, ["x", *lists], ["y"], name="n", **attributes)],
                                inputs=[value("x", dims=range(2, 2 + rank)), *(value(n, INT64, [2**28]) for n in lists)],
                                outputs=[value("y", FLOAT, None)])


for operator, code, rest in [("ReduceSum", 4, {}), ("ReduceMax", 4, dict(keepdims=0)), ("Squeeze", (4, 5), {}),
                             ("Unsqueeze", (4, 5), {}), ("Reshape", 5, {}), ("Expand", 5, {}), ("Tile", (4, 5), {}),
                             ("Pad", (4, 5), {}), ("Slice", (4, 5), dict(inputs=2)), ("CenterCropPad", (4, 5), {}),
                             ("Split", (4, 5), {}), ("CumSum", 4, {}), ("AffineGrid", (4, 5), dict(rank=3))]:
    table.row(f"{operator.lower()}_by_2_to_28_numbers", code, long_list(operator, **rest))


@table.case((4, 5, 6))
def sequence_by_2_to_28_numbers(folder):
    return model([node("SplitToSequence", ["x", "list"], ["s"], name="n"), node("SequenceLength", ["s"], ["y"])],
                 inputs=[value("x"), value("list", INT64, [2**28])], outputs=[value("y", INT64, [])])


@table.case((0, 6))
def tile_chain(folder):
    nodes = [node("Tile", [f"v{i}", "two"], [f"v{i + 1}"]) for i in range(60)]
    return model([*nodes, node("Shape", ["v60"], ["y"])], outputs=[value("y", INT64, [1])],
                 initializers=[constant("v0", np.float32([1])), constant("two", np.int64([2]))])


@table.case((0, 4, 6))
def symbol_expressions_grow(folder):
    """Each step makes the extent a product of two long expressions."""
    nodes = []
    for i in range(24):
        nodes += [node("Shape", [f"v{i}"], [f"s{i}"]), node("Mul", [f"s{i}", f"s{i}"], [f"p{i}"]),
                  node("Add", [f"p{i}", f"s{i}"], [f"q{i}"]), node("ConstantOfShape", [f"q{i}"], [f"v{i + 1}"])]
    return model([*nodes, node("ReduceSum", ["v24"], ["y"], keepdims=0)], outputs=[value("y", FLOAT, [])],
                 inputs=[value("v0", FLOAT, ["n"])])


def own_dims(operator, count, **attributes):
    """Inputs with a dim each that meet in one operator: an extent with a part for each."""
    names = [f"x{i}" for i in range(count)]
    return model([node(operator, names, ["y"], **attributes)],
                 inputs=[value(name, FLOAT, [f"d{i}"]) for i, name in enumerate(names)],
                 outputs=[value("y", FLOAT, None)])


@table.case(5)
def sum_of_5000_own_dims(folder):
    return own_dims("Sum", 5000)


@table.case(0)
def concat_of_2000_own_dims(folder):
    return own_dims("Concat", 2000, axis=0)
