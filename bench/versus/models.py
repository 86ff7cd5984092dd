# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models that are timed: each function gives an ONNX model of fixed shapes with random weights, the same every time.

No weight is a constant that a compiler could fold or deduplicate away: of the light_* networks of the onnx package,
whose weights are ConstantOfShape, each of these becomes random elements."""
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper, version_converter

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/models"))
import forest as trees  # noqa: E402
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


class Trunk:
    """A convolutional network as frameworks export it: convolutions without a bias, a BatchNormalization behind each."""
    def __init__(self, name, size=224):
        self.rng, self.g = random(f"versus {name}"), Graph(name)
        self.g.input("image", FLOAT, [1, 3, size, size])

    def conv(self, x, inputs, outputs, kernel, stride=1, groups=1, activation=None):
        depth = inputs // groups
        weight = normal(self.rng, outputs, depth, kernel, kernel, scale=(2 / (depth * kernel * kernel))**0.5)
        x = self.g.op("Conv", x, self.g.const(weight), strides=[stride] * 2, pads=[kernel // 2] * 4, group=groups)
        around_one = [self.g.const(self.rng.uniform(0.8, 1.2, outputs).astype(np.float32)) for _ in range(2)]
        small = [self.g.const(normal(self.rng, outputs, scale=0.05)) for _ in range(2)]
        x = self.g.op("BatchNormalization", x, around_one[0], small[0], small[1], around_one[1])
        if activation == "Relu6":
            return self.g.op("Clip", x, self.g.const(0.0), self.g.const(6.0))
        return self.g.op(activation, x) if activation else x

    def classified(self, x, channels, classes=1000):
        x = self.g.op("Flatten", self.g.op("GlobalAveragePool", x))
        self.g.op("Gemm", x, self.g.const(normal(self.rng, classes, channels, scale=channels**-0.5)),
                  self.g.const(normal(self.rng, classes, scale=0.1)), transB=1, out="scores")
        self.g.output("scores", FLOAT, [1, classes])
        return self.g.model()


def resnet18():
    t = Trunk("resnet18")
    x = t.g.op("MaxPool", t.conv("image", 3, 64, 7, 2, activation="Relu"), kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    inputs = 64
    for outputs, stride in ((64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1)):
        y = t.conv(t.conv(x, inputs, outputs, 3, stride, activation="Relu"), outputs, outputs, 3)
        if inputs != outputs:
            x = t.conv(x, inputs, outputs, 1, stride)
        x, inputs = t.g.op("Relu", t.g.op("Add", y, x)), outputs
    return t.classified(x, inputs)


def mobilenet_v1():
    t = Trunk("mobilenet_v1")
    x, inputs = t.conv("image", 3, 32, 3, 2, activation="Relu"), 32
    for outputs, stride in ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1)):
        x = t.conv(x, inputs, inputs, 3, stride, groups=inputs, activation="Relu")
        x, inputs = t.conv(x, inputs, outputs, 1, activation="Relu"), outputs
    return t.classified(x, inputs)


def mobilenet_v2():
    t = Trunk("mobilenet_v2")
    x, inputs = t.conv("image", 3, 32, 3, 2, activation="Relu6"), 32
    for growth, outputs, count, first in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                                          (6, 160, 3, 2), (6, 320, 1, 1)):
        for number in range(count):
            wide, stride = inputs * growth, first if number == 0 else 1
            y = t.conv(x, inputs, wide, 1, activation="Relu6") if growth > 1 else x
            y = t.conv(t.conv(y, wide, wide, 3, stride, groups=wide, activation="Relu6"), wide, outputs, 1)
            x, inputs = t.g.op("Add", x, y) if stride == 1 and inputs == outputs else y, outputs
    return t.classified(t.conv(x, inputs, 1280, 1, activation="Relu6"), 1280)


def linear(g, x, rng, inputs, outputs):
    product = g.op("MatMul", x, g.const(normal(rng, inputs, outputs, scale=inputs**-0.5)))
    return g.op("Add", product, g.const(normal(rng, outputs, scale=0.1)))


def layer_norm(g, x, rng, width):
    return g.op("LayerNormalization", x, g.const(1 + normal(rng, width, scale=0.1)),
                g.const(normal(rng, width, scale=0.1)), axis=-1)


def attention(g, x, rng, width, heads, tokens, bias=None):
    """As PyTorch exports it: a product each for queries, keys and values, heads by Reshape and Transpose."""
    def split(x, perm):
        return g.op("Transpose", g.op("Reshape", x, g.const([1, tokens, heads, width // heads])), perm=perm)

    q, k, v = (split(linear(g, x, rng, width, width), perm)
               for perm in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
    scores = g.op("Div", g.op("MatMul", q, k), g.const((width / heads)**0.5))
    if bias:
        scores = g.op("Add", scores, bias)
    weights = g.op("Softmax", scores, axis=-1)
    mixed = g.op("Transpose", g.op("MatMul", weights, v), perm=[0, 2, 1, 3])
    return g.op("Reshape", mixed, g.const([1, tokens, width]))


def feed_forward(g, x, rng, width):
    return linear(g, g.op("Gelu", linear(g, x, rng, width, 4 * width)), rng, 4 * width, width)


def bert(name, width, heads, layers, sequence=128, vocabulary=2000):
    """BERT's encoder as PyTorch exports it from opset 20 on: LayerNormalization and Gelu are operators."""
    rng = random(f"versus {name}")
    g = Graph(name)
    g.input("input_ids", INT64, [1, sequence])
    g.input("attention_mask", FLOAT, [1, 1, 1, sequence])
    x = g.op("Gather", g.const(normal(rng, vocabulary, width)), "input_ids")
    x = layer_norm(g, g.op("Add", x, g.const(normal(rng, 1, sequence, width))), rng, width)
    bias = g.op("Mul", g.op("Sub", g.const(1.0), "attention_mask"), g.const(-10000.0))
    for _ in range(layers):
        merged = attention(g, x, rng, width, heads, sequence, bias)
        x = layer_norm(g, g.op("Add", linear(g, merged, rng, width, width), x), rng, width)
        x = layer_norm(g, g.op("Add", feed_forward(g, x, rng, width), x), rng, width)
    g.op("Identity", x, out="state")
    g.output("state", FLOAT, [1, sequence, width])
    return g.model()


def vit(width=192, heads=3, layers=12, image=224, patch=16):
    """A vision transformer (ViT-Ti/16): patches by a convolution, a class token, normalisation in front of each block."""
    rng = random("versus vit")
    g = Graph("vit")
    g.input("image", FLOAT, [1, 3, image, image])
    patches = (image // patch)**2
    weight = g.const(normal(rng, width, 3, patch, patch, scale=(3 * patch * patch)**-0.5))
    x = g.op("Conv", "image", weight, g.const(normal(rng, width, scale=0.1)), strides=[patch] * 2)
    x = g.op("Transpose", g.op("Reshape", x, g.const([1, width, patches])), perm=[0, 2, 1])
    x = g.op("Concat", g.const(normal(rng, 1, 1, width)), x, axis=1)
    x = g.op("Add", x, g.const(normal(rng, 1, patches + 1, width)))
    for _ in range(layers):
        merged = attention(g, layer_norm(g, x, rng, width), rng, width, heads, patches + 1)
        x = g.op("Add", x, linear(g, merged, rng, width, width))
        x = g.op("Add", x, feed_forward(g, layer_norm(g, x, rng, width), rng, width))
    token = g.op("Gather", layer_norm(g, x, rng, width), g.const(0, np.int64), axis=1)
    g.op("Identity", linear(g, token, rng, width, 1000), out="scores")
    g.output("scores", FLOAT, [1, 1000])
    return g.model()


def llama_step(width=512, heads=8, kv_heads=2, layers=6, hidden=1376, past=255, vocabulary=4000):
    """One token of a decoder like Llama: RMSNormalization spelt out, rotary positions, keys and values shared by groups of
    heads and appended to a cache, SiLU."""
    rng = random("versus llama_step")
    g = Graph("llama_step")
    size, group = width // heads, heads // kv_heads
    g.input("token", INT64, [1, 1])

    def matmul(x, inputs, outputs):
        return g.op("MatMul", x, g.const(normal(rng, inputs, outputs, scale=inputs**-0.5)))

    def norm(x):
        mean = g.op("ReduceMean", g.op("Mul", x, x), g.const([-1]))
        root = g.op("Sqrt", g.op("Add", mean, g.const(1e-5)))
        return g.op("Mul", g.op("Div", x, root), g.const(1 + normal(rng, width, scale=0.1)))

    def split(x, count):
        return g.op("Transpose", g.op("Reshape", x, g.const([1, 1, count, size])), perm=[0, 2, 1, 3])

    angles = past * 10000.0**(-np.arange(0, size, 2) / size)
    cosine, sine = (g.const(np.tile(f(angles), 2).astype(np.float32)) for f in (np.cos, np.sin))

    def rotate(x):
        halves = [g.op("Slice", x, g.const([start]), g.const([end]), g.const([3]))
                  for start, end in ((0, size // 2), (size // 2, size))]
        turned = g.op("Concat", g.op("Neg", halves[1]), halves[0], axis=3)
        return g.op("Add", g.op("Mul", x, cosine), g.op("Mul", turned, sine))

    def repeat(x):
        wide = g.op("Expand", g.op("Unsqueeze", x, g.const([2])), g.const([1, kv_heads, group, past + 1, size]))
        return g.op("Reshape", wide, g.const([1, heads, past + 1, size]))

    x = g.op("Gather", g.const(normal(rng, vocabulary, width)), "token")
    for layer in range(layers):
        cache = [g.input(f"{what}_{layer}", FLOAT, [1, kv_heads, past, size]) for what in ("keys", "values")]
        y = norm(x)
        q = rotate(split(matmul(y, width, width), heads))
        k = rotate(split(matmul(y, width, kv_heads * size), kv_heads))
        v = split(matmul(y, width, kv_heads * size), kv_heads)
        keys, values = (g.op("Concat", old, new, axis=2, out=f"new_{old}") for old, new in zip(cache, (k, v)))
        for value in (keys, values):
            g.output(value, FLOAT, [1, kv_heads, past + 1, size])
        scores = g.op("MatMul", q, g.op("Transpose", repeat(keys), perm=[0, 1, 3, 2]))
        weights = g.op("Softmax", g.op("Mul", scores, g.const(size**-0.5)), axis=-1)
        mixed = g.op("Transpose", g.op("MatMul", weights, repeat(values)), perm=[0, 2, 1, 3])
        x = g.op("Add", x, matmul(g.op("Reshape", mixed, g.const([1, 1, width])), width, width))
        y = norm(x)
        gate = matmul(y, width, hidden)
        gated = g.op("Mul", g.op("Mul", gate, g.op("Sigmoid", gate)), matmul(y, width, hidden))
        x = g.op("Add", x, matmul(gated, hidden, width))
    g.op("Identity", matmul(norm(x), width, vocabulary), out="scores")
    g.output("scores", FLOAT, [1, 1, vocabulary])
    return g.model()


class Images:
    """Normal images, for ONNX Runtime's calibration."""
    def __init__(self, model, count=4):
        rng = random("versus calibration")
        value = model.graph.input[0]
        shape = [d.dim_value for d in value.type.tensor_type.shape.dim]
        self.left = [{value.name: normal(rng, *shape)} for _ in range(count)]

    def get_next(self):
        return self.left.pop() if self.left else None


def quantised(name):
    """A light_* network in 8 bits, as ONNX Runtime's own tool writes it: a QuantizeLinear and a DequantizeLinear around
    every convolution, signed weights by channel, unsigned activations."""
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
    CalibrationDataReader.register(Images)
    model = version_converter.convert_version(light(name), 13)  # the first in which channels have scales of their own
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / file for file in ("float.onnx", "int8.onnx")]
        onnx.save(model, paths[0])
        quantize_static(*paths, Images(model), quant_format=QuantFormat.QDQ, per_channel=True,
                        activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8)
        return onnx.load(paths[1])


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


def single(name, op_type, shape, *operands, attributes=None, result=None):
    """One operator on its own, of constants `operands` beside its input."""
    g = Graph(name)
    g.input("x", FLOAT, shape)
    g.op(op_type, "x", *(g.const(operand) for operand in operands), out="y", **(attributes or {}))
    g.output("y", FLOAT, result or shape)
    return g.model()


def product(rows, depth, columns):
    rng = random(f"versus product {rows} {depth} {columns}")
    return single("product", "MatMul", [rows, depth], normal(rng, depth, columns, scale=depth**-0.5),
                  result=[rows, columns])


def depthwise(channels=256, size=56):
    weight = normal(random("versus depthwise"), channels, 1, 3, 3, scale=1 / 3)
    return single("depthwise", "Conv", [1, channels, size, size], weight,
                  attributes={"group": channels, "pads": [1] * 4})


def normalised(rows=128, width=768):
    rng = random("versus layer_norm")
    return single("layer_norm", "LayerNormalization", [rows, width], 1 + normal(rng, width, scale=0.1),
                  normal(rng, width, scale=0.1), attributes={"axis": -1})


def forest(rows, count=100, depth=8, features=20):
    """A regressor as gradient boosting writes it: full trees, whose nodes ask whether a feature is at most a number."""
    rng = random("versus forest")
    g = Graph("forest")
    g.input("x", FLOAT, [rows, features])
    grown = [trees.grow(rng, depth, features, trees.weights(rng, 1)) for _ in range(count)]
    g.op("TreeEnsembleRegressor", "x", out="y", domain="ai.onnx.ml", n_targets=1,
         **trees.by_ids(grown, "target", tracks=False))
    g.output("y", FLOAT, [rows, 1])
    return trees.model(g, 3)


MODELS = {
    **{name: (lambda name=name: light(name)) for name in light_names()},
    "resnet18": resnet18,
    "mobilenet_v1": mobilenet_v1,
    "mobilenet_v2": mobilenet_v2,
    "bert_tiny": lambda: bert("bert_tiny", 128, 2, 2),
    "bert_mini": lambda: bert("bert_mini", 256, 4, 4),
    "bert_base": lambda: bert("bert_base", 768, 12, 12),
    "vit": vit,
    "llama_step": llama_step,
    "squeezenet_int8": lambda: quantised("squeezenet"),
    "resnet50_int8": lambda: quantised("resnet50"),
    "lstm": lstm,
    "elementwise": elementwise,
    "mlp": lambda: mlp(64, 128, 128, 10),
    "tiny_mlp": lambda: mlp(8, 16, 16, 4),
    "mnist": mnist,
    "forest_1": lambda: forest(1),
    "forest_1000": lambda: forest(1000),
}

# The least that is asked of a ratio to the best peer on one thread, from what a prototype of the kernels reached on an AMD
# EPYC (Zen 4): what README.md lists is below it, with the reason.
FLOORS = {
    "vgg19": 2.7, "resnet18": 1.7, "resnet50": 1.2, "inception_v2": 1.4, "squeezenet": 1.4, "densenet121": 1.25,
    "bvlc_alexnet": 1.5, "zfnet512": 1.5, "inception_v1": 1.5, "mobilenet_v1": 1.03, "mobilenet_v2": 1.03, "shufflenet": 1.2,
    "bert_base": 1.03, "bert_mini": 1.08, "bert_tiny": 1.08, "vit": 1.08, "llama_step": 1.08, "elementwise": 1.0,
    "squeezenet_int8": 1.0, "resnet50_int8": 1.0, "lstm": 1.0, "mnist": 1.5, "mlp": 1.5, "tiny_mlp": 1.5,
    "gemv_1024": 1.15, "gemv_4096": 1.15, "forest_1": 1.0, "forest_1000": 1.0,
}

# Single operators, whose times say where a network's come from.
KERNELS = {
    "gemm_512": lambda: product(512, 512, 512),
    "gemm_1024": lambda: product(1024, 1024, 1024),
    "gemv_1024": lambda: product(1, 1024, 1024),
    "gemv_4096": lambda: product(1, 4096, 4096),
    "softmax": lambda: single("softmax", "Softmax", [512, 512], attributes={"axis": -1}),
    "layer_norm": normalised,
    "gelu": lambda: single("gelu", "Gelu", [128, 3072]),
    "depthwise": depthwise,
    "lstm_cell": lambda: lstm(sequence=1),
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
