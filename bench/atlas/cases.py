# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the atlas times: operators by family, each of the element types and the shapes that models have.

A family is a function of a maker's `Family` that calls add() once a shape; `run` makes of each a case of constant extents
and one of open ones. Weights are random, and constants of the model."""
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from onnx import helper, shape_inference

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/models"))
from graph import BFLOAT16, FLOAT, FLOAT16, Graph, normal, random  # noqa: E402

OPERATOR_SETS = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
KINDS = {"float": FLOAT, "half": FLOAT16, "bfloat16": BFLOAT16}


@dataclass(frozen=True)
class Case:
    """One model; `kind` is the type of its input and weights."""
    family: str
    operator: str
    kind: str
    shape: str
    extents: str
    build: callable = field(compare=False)

    @property
    def key(self):
        return f"{self.family}/{self.operator}/{self.kind}/{self.shape}/{self.extents}"

    def model(self):
        g = Graph("".join(c if c.isalnum() else "_" for c in self.operator))
        self.build(Maker(g, self.kind, self.extents == "open"))
        model = helper.make_model(g.proto(), opset_imports=OPERATOR_SETS, ir_version=10)
        return shape_inference.infer_shapes(model, strict_mode=True)

    def as_float(self):
        return Case(self.family, self.operator, "float", self.shape, self.extents, self.build)


class Maker:
    """Writes a case into a graph, in its type."""

    def __init__(self, graph, kind, is_open):
        self.graph, self.kind, self.is_open = graph, kind, is_open
        self.dtype = helper.tensor_dtype_to_np_dtype(KINDS[kind])
        self.rng = random("atlas")

    def input(self, shape, fixed=()):
        """The input: open extents are those of all axes but `fixed` ones, which operators or weights determine."""
        dims = [f"d{axis}" if self.is_open and axis not in fixed else extent for axis, extent in enumerate(shape)]
        self.shape = shape
        return self.graph.input("x", KINDS[self.kind], dims)

    def weight(self, *shape, scale=None):
        scale = scale or 1 / np.sqrt(max(1, np.prod(shape[1:])))
        return self.graph.const(normal(self.rng, *shape, scale=scale).astype(self.dtype))

    def output(self, value):
        """What the last node computes."""
        assert self.graph.nodes[-1].output[0] == value
        self.graph.nodes[-1].output[0] = "y"
        self.graph.output("y", KINDS[self.kind], None)


def text_of(shape):
    return "x".join(map(str, shape))


FAMILIES = {}


def family(function):
    FAMILIES[function.__name__] = function
    return function


def cases():
    """All of them, family by family."""
    for name, function in FAMILIES.items():
        for operator, kinds, shape, build in function():
            for kind in kinds:
                for extents in ("constant", "open"):
                    yield Case(name, operator, kind, shape if isinstance(shape, str) else text_of(shape), extents, build)


FLOATS = ("float", "half", "bfloat16")
ONE = ("float",)

ROWS = [(4, 8, 49, 49), (1, 8, 196, 12), (1, 8, 197, 197), (512, 12), (4096, 7), (1024, 32), (1, 1000), (256, 96), (196, 96), (128, 768),
        (1, 768), (16, 4096)]


def operator(op_type, *weights, fixed=(), out=1, **attributes):
    """A case's build: one operator of an input and of weights; these are arrays, or what makes them of the maker."""
    def build(shape):
        def write(m):
            x = m.input(shape, fixed if not callable(fixed) else fixed(shape))
            operands = [w(m, shape) if callable(w) else m.graph.const(w) for w in weights]
            values = m.graph.op(op_type, x, *operands, out=out, **attributes)
            m.output(values if out == 1 else values[0])
        return write
    return build


@family
def softmax():
    for shape in ROWS:
        yield "Softmax", FLOATS, shape, operator("Softmax", axis=-1)(shape)
    for shape in [(1, 21, 128, 128), (8, 10, 196), (1, 80, 400)]:
        yield "Softmax of axis 1", ONE, shape, operator("Softmax", axis=1)(shape)
    for shape in [(32, 10), (128, 1000)]:
        yield "LogSoftmax", ONE, shape, operator("LogSoftmax", axis=-1)(shape)


@family
def layer_norm():
    last = [lambda m, s: m.weight(s[-1], scale=0.1)] * 2
    for shape in ROWS:
        if len(shape) < 4:
            yield "LayerNormalization", FLOATS, shape, operator("LayerNormalization", *last, axis=-1,
                                                               fixed=lambda s: (len(s) - 1,))(shape)

    def turned(shape):
        def write(m):
            x = m.graph.op("Transpose", m.input(shape, (1,)), perm=[0, 2, 3, 1])
            m.output(m.graph.op("LayerNormalization", x, m.weight(shape[1]), m.weight(shape[1]), axis=-1))
        return write
    for shape in [(1, 96, 56, 56), (1, 192, 28, 28), (1, 768, 7, 7)]:
        yield "LayerNormalization of turned images", ONE, shape, turned(shape)


@family
def reduce():
    for op_type in ("ReduceMean", "ReduceMax"):
        for shape in ROWS:
            yield f"{op_type}, last axis", FLOATS if op_type == "ReduceMean" else ONE, shape, \
                operator(op_type, np.array([-1]), keepdims=0)(shape)
    for shape in [(1, 768, 7, 7), (8, 512, 7, 7), (1, 64, 112, 112), (1, 1280, 1, 1)]:
        yield "ReduceMean, image", ONE, shape, operator("ReduceMean", np.array([2, 3]))(shape)
    for shape in [(1, 7, 7, 768), (1, 56, 56, 96), (1, 197, 768)]:
        axes = np.array(range(1, len(shape) - 1))
        yield "ReduceMean, outer axes", FLOATS, shape, operator("ReduceMean", axes)(shape)
    for shape in [(1, 96, 56, 56), (1, 21, 64, 64), (8, 3, 400)]:
        yield "ReduceMean, axis 1", ONE, shape, operator("ReduceMean", np.array([1]))(shape)


def codes_of(m, shape, kind, zero):
    """Weights in bytes, and their zero point, which is 0 in signed ones."""
    rng = m.rng
    if kind == "int8":
        return m.graph.const(rng.integers(-127, 128, shape).astype(np.int8)), m.graph.const(np.array(0, np.int8))
    return m.graph.const(rng.integers(0, 256, shape).astype(np.uint8)), m.graph.const(np.array(zero, np.uint8))


@family
def dynamic_linear():
    """As quantize_dynamic writes a layer."""
    def layer(shape, columns, kind):
        def write(m):
            x = m.input(shape, (len(shape) - 1,))
            g = m.graph
            codes, scale, zero = g.op("DynamicQuantizeLinear", x, out=3)
            w, w_zero = codes_of(m, (shape[-1], columns), kind, 121)
            sums = g.op("Cast", g.op("MatMulInteger", codes, w, zero, w_zero), to=FLOAT)
            scaled = g.op("Mul", sums, g.op("Mul", scale, g.const(np.float32(2e-3))))
            m.output(g.op("Add", scaled, m.weight(columns)))
        return write
    for kind in ("int8", "uint8"):
        for rows, depth, columns in [(1, 768, 768), (64, 768, 768), (1, 768, 3072), (64, 3072, 768), (128, 384, 1536), (7, 100, 50),
                                     (16, 256, 256)]:
            yield f"Linear by {kind}", ONE, f"{rows}x{depth} by {columns}", layer((rows, depth), columns, kind)


@family
def float_linear():
    """What dynamic_linear must not be slower than."""
    def layer(shape, columns):
        def write(m):
            x = m.input(shape, (len(shape) - 1,))
            product = m.graph.op("MatMul", x, m.weight(shape[-1], columns))
            m.output(m.graph.op("Add", product, m.weight(columns)))
        return write
    for rows, depth, columns in [(1, 768, 768), (64, 768, 768), (1, 768, 3072), (64, 3072, 768), (128, 384, 1536), (7, 100, 50),
                                 (16, 256, 256)]:
        yield "Linear", ONE, f"{rows}x{depth} by {columns}", layer((rows, depth), columns)


@family
def coded_linear():
    """A decoder's layer by weights of four bits, of which 32 have a scale and a zero point."""
    block = 32

    def layer(shape, columns):
        def write(m):
            depth, blocks = shape[-1], shape[-1] // block
            x = m.input(shape, (len(shape) - 1,))
            codes = m.rng.integers(0, 256, (columns, blocks, block // 2)).astype(np.uint8)
            zeros = m.rng.integers(0, 256, columns * ((blocks + 1) // 2)).astype(np.uint8)
            scales = (m.rng.random(columns * blocks) / 64).astype(np.float32)
            operands = [m.graph.const(array) for array in (codes, scales, zeros)]
            m.output(m.graph.op("MatMulNBits", x, *operands, domain="com.microsoft", K=depth, N=columns, bits=4,
                                block_size=block))
        return write
    for rows, depth, columns in [(1, 768, 768), (1, 2048, 2048), (1, 2048, 5632), (1, 5632, 2048), (4, 2048, 2048), (16, 2048, 2048),
                                 (128, 2048, 2048), (128, 768, 3072)]:
        yield "MatMulNBits", ONE, f"{rows}x{depth} by {columns}", layer((rows, depth), columns)


@family
def dynamic_conv():
    """As quantize_dynamic writes a convolution."""
    def layer(shape, out, taps, attributes):
        def write(m):
            x = m.input(shape, (1,))
            g = m.graph
            codes, scale, zero = g.op("DynamicQuantizeLinear", x, out=3)
            depth = shape[1] // attributes.get("group", 1)
            w, w_zero = codes_of(m, (out, depth, *taps), "uint8", 121)
            sums = g.op("Cast", g.op("ConvInteger", codes, w, zero, w_zero, **attributes), to=FLOAT)
            m.output(g.op("Mul", sums, g.op("Mul", scale, g.const(np.float32(2e-3)))))
        return write
    for shape, out, taps, attributes in [
            ((1, 64, 56, 56), 64, (3, 3), {"pads": [1] * 4}), ((1, 128, 28, 28), 256, (1, 1), {}),
            ((1, 3, 112, 112), 32, (3, 3), {"pads": [1] * 4, "strides": [2, 2]}), ((1, 256, 14, 14), 256, (3, 3), {"pads": [1] * 4}),
            ((1, 192, 200), 192, (5,), {"pads": [2, 2]}), ((1, 80, 400), 256, (7,), {"pads": [3, 3]}), ((1, 512, 100), 512, (1,), {})]:
        yield f"ConvInteger, {len(taps)}-D", ONE, f"{text_of(shape)} by {out}, {text_of(taps)}", layer(shape, out, taps, attributes)


@family
def static_conv():
    """A convolution between QuantizeLinear and DequantizeLinear."""
    def layer(shape, out, taps, attributes):
        def write(m):
            x = m.input(shape, (1,))
            g = m.graph
            small, zero = g.const(np.float32(0.03)), g.const(np.array(120, np.uint8))
            codes = g.op("DequantizeLinear", g.op("QuantizeLinear", x, small, zero), small, zero)
            w = g.const(m.rng.integers(-127, 128, (out, shape[1], *taps)).astype(np.int8))
            weights = g.op("DequantizeLinear", w, g.const(np.float32(2e-3)), g.const(np.array(0, np.int8)))
            y = g.op("Conv", codes, weights, **attributes)
            m.output(g.op("DequantizeLinear", g.op("QuantizeLinear", y, small, zero), small, zero))
        return write
    for shape, out, taps, attributes in [
            ((1, 64, 56, 56), 64, (3, 3), {"pads": [1] * 4}), ((1, 192, 200), 192, (5,), {"pads": [2, 2]}),
            ((1, 80, 400), 256, (7,), {"pads": [3, 3]}), ((1, 512, 100), 512, (1,), {})]:
        yield f"Conv in QDQ, {len(taps)}-D", ONE, f"{text_of(shape)} by {out}, {text_of(taps)}", layer(shape, out, taps, attributes)


@family
def resize():
    for mode, coordinates in (("nearest", ""), ("nearest", "asymmetric"), ("linear", ""), ("cubic", ""), ("linear", "align_corners")):
        attributes = {"coordinate_transformation_mode": coordinates} if coordinates else {}
        if coordinates == "asymmetric":
            attributes["nearest_mode"] = "floor"
        for shape, scales in [((1, 64, 28, 28), (1, 1, 2, 2)), ((1, 3, 224, 224), (1, 1, 0.5, 0.5)), ((1, 21, 16, 16), (1, 1, 8, 8)),
                              ((1, 256, 13, 13), (1, 1, 2, 2)), ((1, 80, 200), (1, 1, 2))]:
            name = f"Resize, {mode}{', ' if coordinates else ''}{coordinates}"
            yield name, ONE, f"{text_of(shape)} by {text_of(scales)}", \
                operator("Resize", lambda m, s: "", np.array(scales, np.float32), mode=mode, **attributes)(shape)


@family
def pad():
    for mode, sides in (("constant", 1), ("constant", 3), ("reflect", 3), ("edge", 2), ("wrap", 2)):
        for shape in [(1, 64, 56, 56), (1, 3, 224, 224), (1, 512, 7, 7), (1, 80, 400)]:
            pads = [0, 0, *[sides] * (len(shape) - 2)] * 2
            yield f"Pad, {mode}", FLOATS if mode == "constant" else ONE, f"{text_of(shape)} by {sides}", \
                operator("Pad", np.array(pads), mode=mode)(shape)


@family
def dft():
    for shape in [(1, 512, 1), (8, 512, 1), (4, 100, 1), (1, 4096, 1), (16, 400, 1)]:
        for sides in (0, 1):
            yield f"DFT, {'one side' if sides else 'both sides'}", ONE, shape, \
                operator("DFT", lambda m, s: "", np.array(1), onesided=sides, fixed=(2,))(shape)


@family
def conv_transpose():
    for shape, out, taps, attributes in [
            ((1, 64, 28, 28), 32, (4, 4), {"strides": [2, 2], "pads": [1] * 4}), ((1, 64, 64, 64), 1, (2, 2), {"strides": [2, 2]}),
            ((1, 128, 64), 64, (16,), {"strides": [8], "pads": [4, 4]}), ((1, 1026, 100), 1, (1024,), {"strides": [256]}),
            ((1, 256, 14, 14), 128, (2, 2), {"strides": [2, 2]})]:
        yield f"ConvTranspose, {len(taps)}-D", ONE, f"{text_of(shape)} by {out}, {text_of(taps)}", \
            operator("ConvTranspose", lambda m, s, out=out, taps=taps: m.weight(s[1], out, *taps), fixed=(1,), **attributes)(shape)


@family
def conv_1d():
    for shape, out, taps, attributes in [
            ((1, 192, 200), 192, (5,), {"pads": [2, 2]}), ((1, 80, 400), 256, (7,), {"pads": [3, 3]}), ((1, 512, 100), 512, (1,), {}),
            ((1, 1, 16000), 64, (11,), {"strides": [2]}), ((1, 128, 60), 100, (3,), {}), ((8, 128, 60), 100, (5,), {}),
            ((1, 256, 100), 256, (31,), {"group": 256, "pads": [15, 15]})]:
        depth = shape[1] // attributes.get("group", 1)
        yield "Conv, 1-D", ONE, f"{text_of(shape)} by {out}, {text_of(taps)}", \
            operator("Conv", lambda m, s, out=out, depth=depth, taps=taps: m.weight(out, depth, *taps), fixed=(1,), **attributes)(shape)


@family
def attention():
    def write_of(heads, tokens, size):
        def write(m):
            g = m.graph
            x = m.input((heads, tokens, size), (2,))
            scores = g.op("MatMul", g.op("Mul", x, g.const(np.array(size**-0.5, m.dtype))), g.op("Transpose", x, perm=[0, 2, 1]))
            m.output(g.op("MatMul", g.op("Softmax", scores, axis=-1), x))
        return write
    for heads, tokens, size in [(12, 128, 64), (192, 49, 32), (6, 197, 64), (8, 10, 32), (4, 512, 64), (16, 77, 80)]:
        yield "Attention", ONE, f"{heads} heads, {tokens}x{size}", write_of(heads, tokens, size)


@family
def recurrent():
    def layer(op_type, gates):
        def build(shape, size):
            def write(m):
                x = m.input(shape, (2,))
                operands = m.weight(1, gates * size, shape[2]), m.weight(1, gates * size, size)
                m.output(m.graph.op(op_type, x, *operands, out=2, hidden_size=size)[0])
            return write
        return build
    for op_type, gates in (("GRU", 3), ("LSTM", 4)):
        for shape, size in [((32, 1, 128), 128), ((16, 8, 512), 512), ((50, 1, 256), 256)]:
            yield op_type, ONE, f"{text_of(shape)} to {size}", layer(op_type, gates)(shape, size)
