# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shape chains at every opset that has their operators: attributes became inputs, the plan stays what it is.

Outputs are computed here, since no evaluator runs all of these versions.
"""
import math

import numpy as np
import onnx
from declare import Data, Variant, case, device
from graph import FLOAT, FLOAT16, INT64, Graph, normal, random

NEWEST = onnx.defs.onnx_opset_version()
FIRST_RESHAPE = 5  # that takes its shape as an input
FIRST_EXPAND = 8
FIRST_SIZES = 11  # of Resize


def opsets(first):
    return range(first, NEWEST + 1)


class Versioned(Graph):
    """Writes a node as its opset wants it."""

    def __init__(self, name, opset):
        super().__init__(name)
        self.opset = opset

    def gather(self, value, indices):
        return self.op("Gather", value, self.const(indices), axis=0)

    def concat(self, *values, **more):
        if self.opset >= 4:
            return self.op("Concat", *values, axis=0, **more)
        joined = self.op("Concat", *[self.cast(value, FLOAT) for value in values], axis=0)  # of floats only
        return self.cast(joined, INT64, **more)

    def cast(self, value, to, **more):
        name = onnx.TensorProto.DataType.Name(to)
        return self.op("Cast", value, to=name if self.opset < 6 else to, **more)

    def unsqueeze(self, value, axes):
        if self.opset < 13:
            return self.op("Unsqueeze", value, axes=axes)
        return self.op("Unsqueeze", value, self.const(axes))

    def slice(self, value, *operands):
        """starts, ends, axes, steps; steps are there from 10 on."""
        if self.opset < 10:
            return self.op("Slice", value, **dict(zip(("starts", "ends", "axes"), operands)))
        return self.op("Slice", value, *[self.const(operand) for operand in operands])

    def reduce(self, operator, value, axes, keepdims):
        takes_input = self.opset >= 18
        operands = [self.const(axes)] if takes_input else []
        attributes = {} if takes_input else {"axes": axes}
        return self.op(operator, value, *operands, keepdims=keepdims, **attributes)

    def shape(self, value, start, end):
        if self.opset < 15:
            return self.slice(self.op("Shape", value), [start], [end])
        return self.op("Shape", value, start=start, end=end)

    def scale(self, value, factor):
        broadcast = {"broadcast": 1} if self.opset < 7 else {}
        return self.op("Mul", value, factor, **broadcast)

    def build(self):
        return self.model(opset=self.opset)


def each(name, first, build, shapes, oracle, **more):
    """A variant per opset; `build` adds the graph behind the input x."""
    rng = random(name)
    dtype = more.pop("dtype", FLOAT)
    numpy_dtype = onnx.helper.tensor_dtype_to_np_dtype(dtype)
    data = [Data({"x": normal(rng, *shape, dtype=numpy_dtype)}, device("x")) for shape in shapes]
    for opset in opsets(first):
        g = Versioned(name, opset)
        g.input("x", dtype, [f"d{position}" for position in range(len(shapes[0]))])
        build(g)
        yield Variant(g.build(), data, name=f"opset-{opset}", oracle=oracle, **more)


@case(15, "the product of three dims, an integer ReduceProd, is a dim", "0/0", h2d=0)
def product_of_dims():
    def build(g):
        rest = g.reduce("ReduceProd", g.gather(g.op("Shape", "x"), [1, 2, 3]), [0], keepdims=1)
        shape = g.concat(g.gather(g.op("Shape", "x"), [0]), rest, out="shape")
        g.output(g.op("Reshape", "x", shape, out="y"), FLOAT, ["b", None])

    yield from each("product_of_dims", FIRST_RESHAPE, build, [(2, 3, 4, 5), (1, 1, 1, 1), (7, 2, 1, 3)],
                    lambda i: [i["x"].reshape(len(i["x"]), -1)], sides={"shape": "host both"}, limits={"launches": 1})


@case(16, "200 copies of one shape chain", "0/0", h2d=0)
def copies_of_a_chain():
    def build(g):
        indices = g.const([1])
        flat = []
        for _ in range(200):
            columns = g.op("Gather", g.op("Shape", "x"), indices, axis=0)
            flat.append(g.op("Reshape", "x", g.concat(columns, g.const([-1]))))
        g.output(g.op("Sum", *flat, out="y"), FLOAT, [None, None])

    yield from each("copies_of_a_chain", FIRST_RESHAPE, build, [(2, 3), (1, 1), (16, 5)],
                    lambda i: [200 * i["x"].reshape(i["x"].shape[1], -1)], operations={"Gather": 1, "Concat": 1, "Reshape": 1})


@case(17, "the shape vector goes through a Reshape itself", "0/0", h2d=0)
def reshaped_shape():
    def build(g):
        column = g.op("Reshape", g.op("Shape", "x"), g.const([-1, 1]))
        row = g.op("Reshape", column, g.const([-1]))
        g.output(g.op("Expand", "x", g.concat(g.const([3]), row, out="shape"), out="y"), FLOAT, [3, None, None])

    yield from each("reshaped_shape", FIRST_EXPAND, build, [(2, 3), (1, 1), (5, 0), (16, 5)],
                    lambda i: [np.broadcast_to(i["x"], (3, *i["x"].shape))], sides={"shape": "host both"}, limits={"launches": 1})


def half_rounded(extent):
    return int(np.floor(np.float16(extent) * np.float16(0.5)))


def shrink(inputs):
    x = inputs["x"]
    rows, columns = (half_rounded(extent) for extent in x.shape[2:])
    row, column = (np.arange(new) * old // new for new, old in ((rows, x.shape[2]), (columns, x.shape[3])))
    return [x[:, :, row][:, :, :, column]]


@case(18, "sizes of a Resize through fp16, whose rounding shows above 2048", "0/0", h2d=0)
def sizes_through_half():
    def build(g):
        half = g.op("Mul", g.cast(g.op("Shape", "x"), FLOAT16), g.const(np.float16(0.5)))
        sizes = g.cast(g.op("Floor", half), INT64)
        first = g.gather(g.op("Shape", "x"), [0, 1])
        all_sizes = g.concat(first, g.gather(sizes, [2, 3]), out="sizes")
        none = g.const(np.zeros(0, np.float32)) if g.opset < 13 else ""
        roi = g.const(np.zeros(0, np.float16)) if g.opset < 13 else ""
        g.output(g.op("Resize", "x", roi, none, all_sizes, mode="nearest", nearest_mode="floor", out="y",
                      coordinate_transformation_mode="asymmetric"), FLOAT16, [None] * 4)

    assert half_rounded(2051) != math.floor(2051 * 0.5)
    yield from each("sizes_through_half", FIRST_SIZES, build, [(1, 1, 6, 4), (2, 3, 9, 5), (1, 1, 2051, 2)], shrink,
                    dtype=FLOAT16, sides={"sizes": "host both", "x": "device"}, limits={"launches": 1})


@case(19, "one graph in the form of every opset: Shape, Slice, Size, Unsqueeze, Gather", "0/0", h2d=0)
def every_opset():
    def build(g):
        whole = g.op("Shape", "x")
        parts = [g.unsqueeze(g.op("Size", "x"), [0]), g.shape("x", 1, 3), g.slice(whole, [-1], [1000], [0]),
                 g.unsqueeze(g.op("Gather", whole, g.const(0), axis=0), [0])]
        if g.opset >= 10:
            parts.append(g.slice(whole, [2], [-1000], [0], [-2]))
        else:
            parts += [g.gather(whole, [2]), g.gather(whole, [0])]
        g.output(g.concat(*parts, out="numbers"), INT64, [None])
        first = g.cast(g.gather(whole, [0]), FLOAT)
        g.output(g.scale("x", first), FLOAT, [None] * 3)
        if g.opset >= FIRST_RESHAPE:
            shape = g.concat(g.gather(whole, [0]), g.const([-1]), out="shape")
            g.output(g.op("Reshape", "x", shape, out="flat"), FLOAT, [None] * 2)

    def oracle(opset):
        def compute(inputs):
            x = inputs["x"]
            a, b, c = x.shape
            flat = [x.reshape(a, -1)] if opset >= FIRST_RESHAPE else []
            return [np.array([x.size, b, c, c, a, c, a]), x * np.float32(a), *flat]
        return compute

    for variant in each("every_opset", 1, build, [(2, 3, 4), (1, 1, 1), (5, 2, 7)], None,
                        sides={"numbers": "host both", "x": "device"}, limits={"launches": 2}):
        variant.oracle = oracle(int(variant.name.rpartition("-")[2]))
        yield variant
