# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models that are timed: each function gives an ONNX model of fixed shapes with random weights, the same every time.

No weight is a constant that a compiler could fold or deduplicate away: of the light_* networks of the onnx package,
whose weights are ConstantOfShape, each of these becomes random elements."""
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/models"))
from graph import FLOAT, INT64, Graph, normal, random  # noqa: E402

LIGHT = Path(onnx.__file__).parent / "backend/test/data/light"


def light_names():
    return sorted(p.stem.removeprefix("light_") for p in LIGHT.glob("light_*.onnx"))


def random_weight(rng, shape, uses):
    """Elements in the size that keeps activations ordinary numbers: He's for what sums, around 1 for what scales and for
    variances, small for what is added. `uses` are (operator, operand's number)."""
    if any(op in ("Conv", "Gemm") and number == 1 for op, number in uses):
        return normal(rng, *shape, scale=(2 / max(1, int(np.prod(shape[1:]))))**0.5)
    if any(op == "Mul" or (op == "BatchNormalization" and number in (1, 4)) for op, number in uses):
        return rng.uniform(0.8, 1.2, shape).astype(np.float32)
    return normal(rng, *shape, scale=0.05)


def outputs_of(graph):
    """The graph's, and what a Softmax makes them of: of random numbers that is often one 1 and many 0, which tells nothing."""
    outputs = list(graph.output)
    for node in graph.node:
        for output in graph.output:
            if node.op_type == "Softmax" and output.name in node.output:
                shape = [d.dim_value for d in output.type.tensor_type.shape.dim]
                outputs.append(helper.make_tensor_value_info(node.input[0], FLOAT, shape))
    return outputs


def realize(model, name):
    """Makes a random initializer of each ConstantOfShape of a known shape."""
    graph = model.graph
    known = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
    uses = {}
    for node in reversed(graph.node):
        for number, operand in enumerate(node.input):
            # What passes elements on is used as its result is.
            passed = uses.get(node.output[0], []) if node.op_type == "Unsqueeze" else [(node.op_type, number)]
            uses.setdefault(operand, []).extend(passed)
    rng = random(f"versus {name}")
    nodes, made = [], []
    for node in graph.node:
        if node.op_type == "ConstantOfShape" and node.input[0] in known:
            shape = [int(extent) for extent in known[node.input[0]]]
            made.append(numpy_helper.from_array(random_weight(rng, shape, uses[node.output[0]]), node.output[0]))
        else:
            nodes.append(node)
    read = {operand for node in nodes for operand in node.input}
    kept = [i for i in graph.initializer if i.name in read] + made
    constants = {i.name for i in kept}
    inputs = [i for i in graph.input if i.name in read and i.name not in constants]
    result = helper.make_model(helper.make_graph(nodes, name, inputs, outputs_of(graph), kept),
                               opset_imports=list(model.opset_import))
    result.ir_version = 4  # the first in which an initializer need not be an input
    return result


def light(name):
    return realize(onnx.load(LIGHT / f"light_{name}.onnx"), name)


def linear(g, x, rng, inputs, outputs):
    product = g.op("MatMul", x, g.const(normal(rng, inputs, outputs, scale=inputs**-0.5)))
    return g.op("Add", product, g.const(normal(rng, outputs, scale=0.1)))


def bert(name, width, heads, layers, sequence=128, vocabulary=2000):
    """BERT's encoder as PyTorch exports it from opset 20 on: LayerNormalization and Gelu are operators."""
    rng = random(f"versus {name}")
    g = Graph(name)
    g.input("input_ids", INT64, [1, sequence])
    g.input("attention_mask", FLOAT, [1, 1, 1, sequence])

    def norm(x):
        return g.op("LayerNormalization", x, g.const(1 + normal(rng, width, scale=0.1)),
                    g.const(normal(rng, width, scale=0.1)), axis=-1)

    def split(x, perm):
        return g.op("Transpose", g.op("Reshape", x, g.const([1, sequence, heads, width // heads])), perm=perm)

    x = g.op("Gather", g.const(normal(rng, vocabulary, width)), "input_ids")
    x = norm(g.op("Add", x, g.const(normal(rng, 1, sequence, width))))
    bias = g.op("Mul", g.op("Sub", g.const(1.0), "attention_mask"), g.const(-10000.0))
    for _ in range(layers):
        q, k, v = (split(linear(g, x, rng, width, width), perm)
                   for perm in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
        scores = g.op("Div", g.op("MatMul", q, k), g.const((width / heads)**0.5))
        weights = g.op("Softmax", g.op("Add", scores, bias), axis=-1)
        mixed = g.op("Transpose", g.op("MatMul", weights, v), perm=[0, 2, 1, 3])
        merged = g.op("Reshape", mixed, g.const([1, sequence, width]))
        x = norm(g.op("Add", linear(g, merged, rng, width, width), x))
        hidden = g.op("Gelu", linear(g, x, rng, width, 4 * width))
        x = norm(g.op("Add", linear(g, hidden, rng, 4 * width, width), x))
    g.op("Identity", x, out="state")
    g.output("state", FLOAT, [1, sequence, width])
    return g.model()


def lstm(sequence=100, width=128, hidden=256):
    rng = random("versus lstm")
    g = Graph("lstm")
    g.input("x", FLOAT, [sequence, 1, width])
    w, r = (g.const(normal(rng, 1, 4 * hidden, size, scale=size**-0.5)) for size in (width, hidden))
    y = g.op("LSTM", "x", w, r, g.const(normal(rng, 1, 8 * hidden, scale=0.1)), hidden_size=hidden)
    g.op("Squeeze", y, g.const([1]), out="y")
    g.output("y", FLOAT, [sequence, 1, hidden])
    return g.model()


def elementwise(count=100, elements=65536):
    """A chain of cheap operators, every fourth of which reads a second tensor."""
    rng = random("versus elementwise")
    g = Graph("elementwise")
    g.input("x", FLOAT, [elements])
    g.input("y", FLOAT, [elements])
    x = "x"
    for number in range(count):
        if number % 4 == 3:
            x = g.op("Add", x, "y")
        elif number % 4 == 2:
            x = g.op("Relu", x)
        else:
            x = g.op("Mul" if number % 4 == 0 else "Sub", x, g.const(float(rng.uniform(0.5, 1))))
    g.op("Neg", x, out="z")
    g.output("z", FLOAT, [elements])
    return g.model()


def mlp(*widths):
    rng = random("versus mlp")
    g = Graph("mlp")
    g.input("x", FLOAT, [1, widths[0]])
    x = "x"
    for inputs, outputs in zip(widths, widths[1:]):
        x = g.op("Gemm", g.op("Relu", x) if x != "x" else x,
                 g.const(normal(rng, outputs, inputs, scale=(2 / inputs)**0.5)), g.const(normal(rng, outputs)), transB=1)
    g.op("Softmax", x, out="y")
    g.output("y", FLOAT, [1, widths[-1]])
    return g.model()


def mnist():
    """The small network of the ONNX model zoo: two convolutions with pools, one product."""
    rng = random("versus mnist")
    g = Graph("mnist")
    g.input("image", FLOAT, [1, 1, 28, 28])
    x = "image"
    for inputs, outputs, pool in ((1, 8, 2), (8, 16, 3)):
        weight = g.const(normal(rng, outputs, inputs, 5, 5, scale=(2 / (25 * inputs))**0.5))
        x = g.op("Conv", x, weight, g.const(normal(rng, outputs)), pads=[2] * 4)
        x = g.op("MaxPool", g.op("Relu", x), kernel_shape=[pool] * 2, strides=[pool] * 2)
    g.op("Gemm", g.op("Flatten", x), g.const(normal(rng, 256, 10, scale=0.1)), g.const(normal(rng, 10)), out="y")
    g.output("y", FLOAT, [1, 10])
    return g.model()


MODELS = {
    **{name: (lambda name=name: light(name)) for name in light_names()},
    "bert_tiny": lambda: bert("bert_tiny", 128, 2, 2),
    "bert_mini": lambda: bert("bert_mini", 256, 4, 4),
    "bert_base": lambda: bert("bert_base", 768, 12, 12),
    "lstm": lstm,
    "elementwise": elementwise,
    "mlp": lambda: mlp(64, 128, 128, 10),
    "mnist": mnist,
}


def inputs_of(model, name):
    """Arrays by name: indices below 1000, masks of ones, images and features of normal numbers."""
    rng = random(f"versus data {name}")
    arrays = {}
    for value in model.graph.input:
        kind = value.type.tensor_type
        shape = [d.dim_value for d in kind.shape.dim]
        if kind.elem_type == INT64:
            arrays[value.name] = rng.integers(0, 1000, shape)
        elif "mask" in value.name:
            arrays[value.name] = np.ones(shape, np.float32)
        else:
            arrays[value.name] = normal(rng, *shape)
    return arrays
