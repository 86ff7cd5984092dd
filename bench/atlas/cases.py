# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the atlas times: operators by family, each of the element types and the shapes that models have.

A family is a function that gives, for each shape, an operator, its types and what builds it: cases of constant extents and, where
the family says so, of open ones. Weights are random, and constants of the model."""
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from onnx import helper, shape_inference

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/models"))
from graph import BFLOAT16, BOOL, FLOAT, FLOAT16, INT64, UINT8, Graph, normal, random  # noqa: E402

OPERATOR_SETS = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
KINDS = {"float": FLOAT, "half": FLOAT16, "bfloat16": BFLOAT16, "int64": INT64, "uint8": UINT8}


@dataclass(frozen=True)
class Case:
    """One model; `kind` is the type of its inputs and weights, indices apart."""
    family: str
    operator: str
    kind: str
    shape: str
    extents: str
    build: callable = field(compare=False)

    @property
    def key(self):
        return f"{self.family}/{self.operator}/{self.kind}/{self.shape}/{self.extents}"

    def make(self):
        """(the model, arrays of its inputs): these have the case's shape where the model's extents are open."""
        g = Graph("".join(c if c.isalnum() else "_" for c in self.operator))
        maker = Maker(g, self.kind, self.extents == "open")
        self.build(maker)
        model = helper.make_model(g.proto(), opset_imports=OPERATOR_SETS, ir_version=10)
        return shape_inference.infer_shapes(model, strict_mode=True), maker.arrays

    def as_float(self):
        """The same of floats, which a case of integers has none of: it is its own."""
        kind = "float" if self.kind in FLOATS else self.kind
        return Case(self.family, self.operator, kind, self.shape, self.extents, self.build)


class Maker:
    """Writes a case into a graph, in its type."""

    def __init__(self, graph, kind, is_open):
        self.graph, self.kind, self.is_open = graph, kind, is_open
        self.dtype = helper.tensor_dtype_to_np_dtype(KINDS[kind])
        self.rng, self.inputs_rng = random("atlas"), np.random.default_rng(1)
        self.arrays = []

    def input(self, shape, fixed=()):
        """An input: open extents are those of all axes but `fixed` ones, which operators or weights determine."""
        if self.kind in FLOATS:
            array = self.inputs_rng.standard_normal(shape).astype(np.float32).astype(self.dtype)
        else:
            array = self.inputs_rng.integers(1, 100, shape).astype(self.dtype)
        return self.add_input(array, KINDS[self.kind], fixed)

    def indices(self, shape, limit, fixed=()):
        """An input of indices below `limit`."""
        return self.add_input(self.inputs_rng.integers(0, limit, shape), INT64, fixed)

    def add_input(self, array, dtype, fixed):
        """An open extent has one name in all inputs that have as many elements along that axis."""
        name = "xyz"[len(self.arrays)]
        self.arrays.append(array)
        dims = list(array.shape)
        for axis in range(array.ndim if self.is_open else 0):
            if axis not in fixed:
                dims[axis] = f"d{axis}_{array.shape[axis]}"
        return self.graph.input(name, dtype, dims)

    def weight(self, *shape, scale=None):
        scale = scale or 1 / np.sqrt(max(1, np.prod(shape[1:])))
        return self.graph.const(normal(self.rng, *shape, scale=scale).astype(self.dtype))

    def output(self, value, dtype=None):
        """What the last node computes, in the case's type unless another is said."""
        assert self.graph.nodes[-1].output[0] == value
        self.graph.nodes[-1].output[0] = "result"
        self.graph.output("result", dtype or KINDS[self.kind], None)


def text_of(shape):
    return "x".join(map(str, shape))


FLOATS = ("float", "half", "bfloat16")
ONE = ("float",)

FAMILIES = {}
FIRST_OPEN = set()


def family(function):
    """A family whose shapes are all cases of open extents too."""
    FAMILIES[function.__name__] = function
    return function


def family_with_few_open(function):
    """A family of which the first shape of each operator is a case of open extents too."""
    FIRST_OPEN.add(function.__name__)
    return family(function)


def cases():
    """All of them, family by family."""
    for name, function in FAMILIES.items():
        seen = set()
        for operator, kinds, shape, build in function():
            has_open = name not in FIRST_OPEN or operator not in seen
            seen.add(operator)
            for kind in kinds:
                for extents in ("constant", "open") if has_open else ("constant",):
                    yield Case(name, operator, kind, shape if isinstance(shape, str) else text_of(shape), extents, build)

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
    """A decoder's layer by weights of four bits, of which 32 have a scale and a zero point; where rows may be rounded to bytes
    (accuracy_level 4), as most models say that are published, and where not."""
    block = 32

    def layer(shape, columns, **attributes):
        def write(m):
            depth, blocks = shape[-1], shape[-1] // block
            x = m.input(shape, (len(shape) - 1,))
            codes = m.rng.integers(0, 256, (columns, blocks, block // 2)).astype(np.uint8)
            zeros = m.rng.integers(0, 256, columns * ((blocks + 1) // 2)).astype(np.uint8)
            scales = (m.rng.random(columns * blocks) / 64).astype(np.float32)
            operands = [m.graph.const(array) for array in (codes, scales, zeros)]
            m.output(m.graph.op("MatMulNBits", x, *operands, domain="com.microsoft", K=depth, N=columns, bits=4,
                                block_size=block, **attributes))
        return write
    for name, attributes in [("MatMulNBits", {}), ("MatMulNBits by bytes", {"accuracy_level": 4})]:
        for rows, depth, columns in [(1, 768, 768), (1, 2048, 2048), (1, 2048, 5632), (1, 5632, 2048), (4, 2048, 2048),
                                     (16, 2048, 2048), (128, 2048, 2048), (128, 768, 3072)]:
            yield name, ONE, f"{rows}x{depth} by {columns}", layer((rows, depth), columns, **attributes)


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
            ((1, 256, 14, 14), 128, (2, 2), {"strides": [2, 2]}), ((1, 512, 7, 7), 256, (4, 4), {"strides": [2, 2], "pads": [1] * 4}),
            ((8, 32, 14, 14), 16, (3, 3), {"strides": [2, 2], "pads": [1] * 4, "output_padding": [1, 1]}),
            ((1, 64, 56, 56), 64, (3, 3), {"pads": [1] * 4}), ((1, 32, 8, 14, 14), 16, (2, 2, 2), {"strides": [2] * 3})]:
        yield f"ConvTranspose, {len(taps)}-D", ONE, f"{text_of(shape)} by {out}, {text_of(taps)}", \
            operator("ConvTranspose", lambda m, s, out=out, taps=taps: m.weight(s[1], out, *taps), fixed=(1,), **attributes)(shape)


@family
def conv_1d():
    for shape, out, taps, attributes in [
            ((1, 192, 200), 192, (5,), {"pads": [2, 2]}), ((1, 80, 400), 256, (7,), {"pads": [3, 3]}), ((1, 512, 100), 512, (1,), {}),
            ((1, 1, 16000), 64, (11,), {"strides": [2]}), ((1, 128, 60), 100, (3,), {}), ((8, 128, 60), 100, (5,), {}),
            ((1, 256, 100), 256, (31,), {"group": 256, "pads": [15, 15]})]:
        yield "Conv, 1-D", ONE, f"{text_of(shape)} by {out}, {text_of(taps)}", conv(shape, out, taps, attributes)


def conv(shape, out, taps, attributes):
    """A convolution by weights of the model."""
    depth = shape[1] // attributes.get("group", 1)
    return operator("Conv", lambda m, s: m.weight(out, depth, *taps), fixed=(1,), **attributes)(shape)


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


@family_with_few_open
def conv_2d():
    for shape, out, taps, attributes in [
            ((1, 64, 56, 56), 64, 3, {"pads": [1] * 4}), ((1, 256, 14, 14), 256, 3, {"pads": [1] * 4}),
            ((1, 512, 7, 7), 512, 3, {"pads": [1] * 4}), ((8, 64, 28, 28), 64, 3, {"pads": [1] * 4}),
            ((1, 128, 56, 56), 128, 3, {"pads": [1] * 4, "strides": [2, 2]}), ((1, 100, 17, 17), 50, 3, {}),
            ((1, 256, 32, 32), 64, 3, {"dilations": [2, 2], "pads": [2] * 4}), ((1, 64, 35, 35), 96, 5, {"pads": [2] * 4}),
            ((1, 21, 64, 64), 21, 3, {"pads": [1] * 4})]:
        yield "Conv", ONE, f"{text_of(shape)} by {out}, {taps}x{taps}", conv(shape, out, (taps, taps), attributes)
    for shape, out in [((1, 64, 56, 56), 256), ((1, 256, 56, 56), 64), ((1, 320, 7, 7), 1280), ((8, 96, 14, 14), 576), ((1, 16, 112, 112), 96),
                       ((1, 1280, 1, 1), 1000)]:
        yield "Conv of one tap", ONE, f"{text_of(shape)} by {out}", conv(shape, out, (1, 1), {})
    for shape, out, taps, attributes in [
            ((1, 3, 224, 224), 64, 7, {"strides": [2, 2], "pads": [3] * 4}), ((1, 3, 224, 224), 32, 3, {"strides": [2, 2], "pads": [1] * 4}),
            ((1, 3, 224, 224), 96, 4, {"strides": [4, 4]}), ((8, 3, 32, 32), 16, 3, {"pads": [1] * 4}), ((1, 1, 28, 28), 6, 5, {})]:
        yield "Conv of an image", ONE, f"{text_of(shape)} by {out}, {taps}x{taps}", conv(shape, out, (taps, taps), attributes)
    for shape, out, taps in [((1, 64, 56, 56), 1, 3), ((1, 64, 128, 128), 3, 3), ((1, 256, 28, 28), 2, 1)]:
        yield "Conv to few channels", ONE, f"{text_of(shape)} by {out}, {taps}x{taps}", \
            conv(shape, out, (taps, taps), {"pads": [taps // 2] * 4})
    for shape, taps, stride in [((1, 32, 112, 112), 3, 1), ((1, 144, 56, 56), 3, 2), ((1, 960, 7, 7), 3, 1), ((1, 96, 56, 56), 7, 1),
                                ((8, 120, 14, 14), 5, 1)]:
        attributes = {"group": shape[1], "pads": [taps // 2] * 4, "strides": [stride] * 2}
        yield "Conv, depthwise", ONE, f"{text_of(shape)} by {taps}x{taps}, steps {stride}", conv(shape, shape[1], (taps, taps), attributes)
    for shape, groups in [((1, 128, 56, 56), 32), ((1, 272, 14, 14), 4)]:
        yield "Conv in groups", ONE, f"{text_of(shape)} by {groups} groups", \
            conv(shape, shape[1], (3, 3), {"group": groups, "pads": [1] * 4})


@family_with_few_open
def conv_3d():
    for shape, out, taps, attributes in [
            ((1, 32, 8, 28, 28), 32, (3, 3, 3), {"pads": [1] * 6}), ((1, 3, 16, 56, 56), 32, (3, 7, 7), {"strides": [1, 2, 2]}),
            ((1, 64, 4, 14, 14), 128, (1, 1, 1), {}), ((8, 16, 8, 8, 8), 16, (3, 3, 3), {"pads": [1] * 6}),
            ((1, 24, 8, 28, 28), 24, (3, 3, 3), {"group": 24, "pads": [1] * 6})]:
        groups = f", {attributes['group']} groups" if "group" in attributes else ""
        yield "Conv, 3-D", ONE, f"{text_of(shape)} by {out}, {text_of(taps)}{groups}", conv(shape, out, taps, attributes)


@family_with_few_open
def pool():
    windows = [((1, 64, 112, 112), 3, 2, 1), ((1, 64, 112, 112), 2, 2, 0), ((1, 192, 28, 28), 3, 1, 1), ((1, 256, 13, 13), 5, 1, 2),
               ((8, 16, 16, 16), 2, 2, 0), ((1, 1, 28, 28), 2, 2, 0), ((1, 128, 400), 2, 2, 0), ((8, 64, 101), 3, 2, 1),
               ((1, 32, 16, 28, 28), 2, 2, 0)]
    for op_type in ("MaxPool", "AveragePool"):
        for shape, taps, stride, pad in windows:
            axes = len(shape) - 2
            text = f"{text_of(shape)} by {taps}, steps {stride}"
            yield op_type, FLOATS if op_type == "MaxPool" and pad == 0 else ONE, text, \
                operator(op_type, kernel_shape=[taps] * axes, strides=[stride] * axes, pads=[pad] * 2 * axes)(shape)
    for op_type in ("GlobalAveragePool", "GlobalMaxPool"):
        for shape in [(1, 1280, 7, 7), (8, 512, 7, 7), (1, 64, 112, 112), (1, 256, 100)]:
            yield op_type, ONE, shape, operator(op_type)(shape)


@family_with_few_open
def elementwise():
    shapes = [(8, 197, 768), (1, 64, 56, 56), (1, 1000), (7, 99)]
    for op_type in ("Relu", "Sigmoid", "Tanh", "Gelu", "HardSwish", "Exp", "Erf", "Sqrt"):
        for shape in shapes[1:] if op_type != "Gelu" else shapes:
            yield op_type, FLOATS if op_type in ("Relu", "Gelu") else ONE, shape, operator(op_type)(shape)

    def swish(m):
        x = m.input((1, 64, 56, 56))
        m.output(m.graph.op("Mul", x, m.graph.op("Sigmoid", x)))
    yield "Swish", FLOATS, (1, 64, 56, 56), swish

    def of_two(op_type, shape, dtype=None):
        return lambda m: m.output(m.graph.op(op_type, m.input(shape), m.input(shape)), dtype)
    for shape in shapes:
        yield "Add", FLOATS + ("int64", "uint8") if shape == shapes[1] else ONE, shape, of_two("Add", shape)
    for shape in shapes[1:]:
        yield "Div", ("float", "int64") if shape == shapes[2] else ONE, shape, of_two("Div", shape)
    yield "Greater", ("float", "int64"), shapes[1], of_two("Greater", shapes[1], BOOL)
    for op_type in ("Add", "Mul"):
        yield f"{op_type} of a row", ONE, shapes[0], operator(op_type, lambda m, s: m.weight(s[-1]), fixed=(2,))(shapes[0])
        yield f"{op_type} of a channel", ONE, shapes[1], operator(op_type, lambda m, s: m.weight(s[1], 1, 1), fixed=(1,))(shapes[1])

    def of_column(m):
        m.output(m.graph.op("Mul", m.input((8, 197, 768), (0, 1)), m.weight(8, 197, 1)))
    yield "Mul of a column", ONE, shapes[0], of_column

    def where(m):
        x, y = m.input(shapes[1]), m.input(shapes[1])
        m.output(m.graph.op("Where", m.graph.op("Greater", x, y), x, m.graph.const(np.array(0, m.dtype))))
    yield "Where", ONE, shapes[1], where
    for name, target in (("half", FLOAT16), ("int64", INT64), ("uint8", UINT8)):
        def cast(m, target=target):
            m.output(m.graph.op("Cast", m.graph.op("Abs", m.input((1, 64, 56, 56))), to=target), target)
        yield f"Cast to {name}", ONE, shapes[1], cast
    for kind in ("half", "int64", "uint8"):
        yield "Cast to float", (kind,), shapes[1], lambda m: m.output(m.graph.op("Cast", m.input((1, 64, 56, 56)), to=FLOAT), FLOAT)


@family_with_few_open
def move():
    """Elements that only change their places."""
    for shape, order in [((1, 128, 12, 64), (0, 2, 1, 3)), ((1, 64, 56, 56), (0, 2, 3, 1)), ((1, 56, 56, 64), (0, 3, 1, 2)), ((512, 512), (1, 0)),
                         ((1, 3, 224, 224), (0, 2, 3, 1)), ((8, 100, 17), (2, 0, 1)), ((4, 16, 4, 16, 32), (0, 2, 1, 3, 4))]:
        yield "Transpose", FLOATS[:2] + ("int64", "uint8") if shape == (512, 512) else ONE, \
            f"{text_of(shape)} to {text_of(order)}", operator("Transpose", perm=list(order))(shape)

    def concat(shape, axis):
        return lambda m: m.output(m.graph.op("Concat", m.input(shape), m.input(shape), axis=axis))
    for shape, axis in [((1, 64, 56, 56), 1), ((1, 197, 384), -1), ((128, 3), -1), ((1, 100, 64), 1)]:
        yield "Concat", ("float", "uint8") if shape[1] == 64 else ONE, f"{text_of(shape)}, axis {axis}", concat(shape, axis)
    for shape, axis, begin, end, step in [((1, 64, 56, 56), 1, 16, 48, 1), ((1, 197, 768), 1, 1, 197, 1), ((1, 197, 768), 2, 256, 512, 1),
                                          ((1, 64, 56, 56), 3, 0, 56, 2), ((128, 1000), 1, 999, -1001, -1)]:
        yield "Slice", ("float", "int64") if axis == 1 else ONE, f"{text_of(shape)}, axis {axis}, {begin} to {end} by {step}", \
            operator("Slice", np.array([begin]), np.array([end]), np.array([axis]), np.array([step]), fixed=(axis,))(shape)
    for shape in [(1, 64, 56, 56), (1, 12, 224, 224)]:
        yield "DepthToSpace", ONE, shape, operator("DepthToSpace", blocksize=2, fixed=(1,))(shape)
        yield "SpaceToDepth", ONE, shape, operator("SpaceToDepth", blocksize=2, fixed=(1, 2, 3))(shape)
    for shape, repeats in [((1, 1, 768), (1, 197, 1)), ((1, 64, 28, 1), (1, 1, 1, 28)), ((8, 100), (1, 4))]:
        yield "Tile", ONE, f"{text_of(shape)} by {text_of(repeats)}", operator("Tile", np.array(repeats))(shape)
    for shape, to in [((1, 1, 768), (8, 197, 768)), ((1, 64, 1, 1), (1, 64, 56, 56))]:
        yield "Expand", ONE, f"{text_of(shape)} to {text_of(to)}", operator("Expand", np.array(to))(shape)


@family_with_few_open
def gather():
    def rows(shape, count):
        def write(m):
            index = m.indices(count, shape[0])
            m.output(m.graph.op("Gather", m.weight(*shape, scale=1), index))
        return write
    for shape, count in [((2000, 384), (1, 128)), ((2000, 768), (8, 128)), ((5000, 32), (1, 1000)), ((1000, 1), (8, 400)), ((2000, 384), (1, 1))]:
        yield "Gather of rows", FLOATS if count == (1, 128) else ONE, f"{text_of(shape)} by {text_of(count)}", rows(shape, count)

    def along(shape, axis, count):
        return lambda m: m.output(m.graph.op("Gather", m.input(shape, (axis,)), m.indices((count,), shape[axis]), axis=axis))
    for shape, axis, count in [((1, 64, 56, 56), 1, 64), ((1, 197, 768), 1, 49), ((128, 1000), 1, 100), ((8, 400, 3), 2, 3)]:
        yield "Gather along an axis", ("float", "int64") if axis == 1 else ONE, f"{text_of(shape)}, {count} of axis {axis}", along(shape, axis, count)

    def elements(shape, axis, count):
        def write(m):
            data = m.input(shape, range(len(shape)))
            m.output(m.graph.op("GatherElements", data, m.indices((*shape[:axis], count, *shape[axis + 1:]), shape[axis]), axis=axis))
        return write
    for shape, axis, count in [((8, 1000), 1, 100), ((1, 8400, 4), 1, 300), ((1, 64, 400), 2, 400)]:
        yield "GatherElements", ONE, f"{text_of(shape)}, {count} of axis {axis}", elements(shape, axis, count)

    def tuples(shape, count, depth):
        def write(m):
            data = m.input(shape, range(len(shape)))
            m.output(m.graph.op("GatherND", data, m.indices((count, depth), min(shape[:depth]), (1,))))
        return write
    for shape, count, depth in [((56, 56, 64), 300, 2), ((100, 100), 1000, 2)]:
        yield "GatherND", ONE, f"{text_of(shape)}, {count} of {depth}", tuples(shape, count, depth)


@family_with_few_open
def scatter():
    def elements(shape, axis, count):
        def write(m):
            data = m.input(shape, range(len(shape)))
            updates = (*shape[:axis], count, *shape[axis + 1:])
            m.output(m.graph.op("ScatterElements", data, m.indices(updates, shape[axis]), m.input(updates), axis=axis, reduction="add"))
        return write
    for shape, axis, count in [((8, 1000), 1, 100), ((1, 64, 400), 2, 400), ((500, 32), 0, 1000)]:
        yield "ScatterElements, add", ONE, f"{text_of(shape)}, {count} of axis {axis}", elements(shape, axis, count)

    def rows(shape, count):
        def write(m):
            data = m.input(shape, range(len(shape)))
            order = m.graph.const(m.rng.permutation(shape[0])[:count].reshape(count, 1))
            m.output(m.graph.op("ScatterND", data, order, m.input((count, shape[1]), (0, 1))))
        return write
    for shape, count in [((512, 64), 128), ((196, 768), 49)]:
        yield "ScatterND", ONE, f"{text_of(shape)}, {count} rows", rows(shape, count)


@family_with_few_open
def sort():
    for shape, count in [((1, 1000), 5), ((128, 1000), 5), ((1, 8400), 300), ((1, 1000), 1000), ((64, 100), 100), ((8, 20), 20), ((1, 80, 400), 10)]:
        yield "TopK", FLOATS[:2] if shape == (1, 1000) else ONE, f"{count} of {text_of(shape)}", \
            operator("TopK", np.array([count]), out=2, fixed=(len(shape) - 1,))(shape)
    yield "TopK", ONE, "3 of axis 1 of 1x21x64x64", operator("TopK", np.array([3]), out=2, axis=1, fixed=(1,))((1, 21, 64, 64))

    def arg(op_type, axis, shape):
        return lambda m: m.output(m.graph.op(op_type, m.input(shape), axis=axis, keepdims=0), INT64)
    for shape, axis in [((128, 1000), -1), ((1, 21, 128, 128), 1), ((1, 8400, 80), -1), ((64, 7), -1), ((1, 50000), -1)]:
        yield "ArgMax", FLOATS[:2] if shape == (128, 1000) else ONE, f"{text_of(shape)}, axis {axis}", arg("ArgMax", axis, shape)
    for shape, axis in [((8, 197), 1), ((1, 64, 400), 2), ((128, 1000), 0)]:
        yield "CumSum", ("float", "int64") if axis == 1 else ONE, f"{text_of(shape)}, axis {axis}", operator("CumSum", np.array(axis))(shape)


@family_with_few_open
def normalize():
    def per_channel(op_type, count, **attributes):
        return operator(op_type, *[lambda m, s: m.graph.const(np.abs(normal(m.rng, s[1])).astype(m.dtype))] * count, fixed=(1,), **attributes)
    for shape in [(1, 64, 56, 56), (8, 32, 28, 28), (1, 256, 100), (1, 3, 224, 224)]:
        yield "InstanceNormalization", ONE, shape, per_channel("InstanceNormalization", 2)(shape)
    for shape in [(1, 128, 28, 28), (8, 64, 14, 14), (1, 320, 64, 64)]:
        yield "GroupNormalization", ONE, shape, per_channel("GroupNormalization", 2, num_groups=32)(shape)
    for shape in [(1, 64, 56, 56), (8, 512, 7, 7), (128, 256)]:
        yield "BatchNormalization", ONE, shape, per_channel("BatchNormalization", 4)(shape)
    for shape in [(1, 96, 27, 27), (1, 256, 13, 13)]:
        yield "LRN", ONE, shape, operator("LRN", size=5)(shape)
    for shape in [(1, 512), (128, 256), (8, 197, 768)]:
        yield "LpNormalization", ONE, shape, operator("LpNormalization", axis=-1)(shape)


@family_with_few_open
def sample():
    def grid(shape, size, mode):
        def write(m):
            m.output(m.graph.op("GridSample", m.input(shape, (1,)), m.input((shape[0], *size, 2), (3,)), mode=mode))
        return write
    for shape, size in [((1, 32, 64, 64), (64, 64)), ((1, 3, 224, 224), (224, 224)), ((8, 256, 14, 14), (7, 7))]:
        for mode in ("linear", "nearest"):
            yield f"GridSample, {mode}", ONE, f"{text_of(shape)} by {text_of(size)}", grid(shape, size, mode)

    def regions(shape, count):
        def write(m):
            corner = m.rng.random((count, 2)) * shape[2] * 8
            boxes = m.graph.const(np.concatenate([corner, corner + 16 + m.rng.random((count, 2)) * shape[2] * 8], 1).astype(np.float32))
            m.output(m.graph.op("RoiAlign", m.input(shape, (1,)), boxes, m.graph.const(np.zeros(count, np.int64)), output_height=7,
                                output_width=7, sampling_ratio=2, spatial_scale=1 / 16))
        return write
    for shape, count in [((1, 256, 50, 50), 64), ((1, 64, 25, 25), 10)]:
        yield "RoiAlign", ONE, f"{text_of(shape)}, {count} regions", regions(shape, count)


@family_with_few_open
def matmul():
    """Products of two inputs."""
    def product(left, right):
        return lambda m: m.output(m.graph.op("MatMul", m.input(left), m.input(right, range(len(right)))))
    for left, right in [((256, 256), (256, 256)), ((12, 128, 64), (12, 64, 128)), ((1, 512, 768), (768, 100)), ((64, 10, 16), (64, 16, 10)),
                        ((1, 1, 512), (1, 512, 2048)), ((17, 33), (33, 65)), ((1024, 64), (64, 2)), ((8, 100, 100), (8, 100, 1))]:
        yield "MatMul", FLOATS if left == (256, 256) else ("float",), f"{text_of(left)} by {text_of(right)}", product(left, right)
