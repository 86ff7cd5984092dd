# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs and outputs of elements below a byte: computed with, moved, passed through, returned twice, used further, taken by a
branch and carried by a loop; odd counts, none, a scalar, a default."""
import ml_dtypes
import numpy as np
from graph import BOOL, FLOAT, FLOAT4E2M1, INT2, INT4, INT64, UINT2, UINT4, Case, Graph, normal, random
from onnx import helper

# ONNX Runtime has no kernels for most of these types.
ORACLE = "reference"


def branch(g, name, dtype, *nodes):
    """A branch whose nodes follow one another."""
    sub, value = g.sub(name), nodes[0][1]
    for op_type, source, attributes in nodes:
        value = sub.op(op_type, value if source is None else source, **attributes)
    sub.output(value, dtype, None)
    return sub.proto()


def loop_body(g):
    """The next state is the wider one, cut again."""
    body = g.sub("body")
    body.input("i", INT64, [])
    body.input("go", BOOL, [])
    body.input("state", INT2, ["n"])
    body.output(body.op("Identity", "go"), BOOL, [])
    wide = body.op("Add", body.op("Cast", "state", to=FLOAT), body.op("Cast", "pairs", to=FLOAT))
    body.output(body.op("Cast", body.op("Mod", wide, body.const(2.0), fmod=1), to=INT2), INT2, ["n"])
    return body.proto()


def build():
    g = Graph("packed_elements")
    g.input("a", INT4, ["rows", "n"])
    g.input("pairs", UINT2, ["n"])
    g.input("x", FLOAT, ["rows", "n"])
    g.input("scalar", UINT4, [])
    g.input("small", FLOAT4E2M1, [3, "n"])
    g.input("state", INT2, ["n"])
    g.input("flag", BOOL, [])
    g.input("default", UINT4, [5])
    g.initializers.append(helper.make_tensor("default", UINT4, [5], [1, 15, 0, 7, 8]))

    g.output(g.op("Mul", g.op("Cast", "a", to=FLOAT), "x", out="product"), FLOAT, ["rows", "n"])
    g.output(g.op("Transpose", "a", perm=[1, 0], out="turned"), INT4, ["n", "rows"])
    g.output("pairs", UINT2, ["n"])
    cut = g.op("Cast", "x", to=INT4, out="cut")
    g.output(cut, INT4, ["rows", "n"])
    g.output(g.op("Mul", g.op("Cast", cut, to=FLOAT), g.const(2.0), out="twice"), FLOAT, ["rows", "n"])
    g.output(g.op("Identity", cut, out="again"), INT4, ["rows", "n"])
    g.output(g.op("Cast", g.op("Add", g.op("Cast", "small", to=FLOAT), g.const(0.5)), to=FLOAT4E2M1, out="rounded"),
             FLOAT4E2M1, [3, "n"])
    g.output(g.op("Cast", g.op("Sub", g.op("Cast", "scalar", to=FLOAT), g.const(8.0)), to=INT4, out="centred"), INT4, [])
    g.output(g.op("Reshape", "small", g.const([-1]), out="flat"), FLOAT4E2M1, ["count"])
    g.output(g.op("If", "flag", out="chosen",
                  then_branch=branch(g, "then", INT4, ("Identity", "a", {})),
                  else_branch=branch(g, "else", INT4, ("Cast", "x", {"to": FLOAT}), ("Neg", None, {}),
                                     ("Cast", None, {"to": INT4}))), INT4, ["rows", "n"])
    g.output(g.op("Loop", g.const(3), g.const(True), "state", out="carried", body=loop_body(g)), INT2, ["n"])
    g.output(g.op("Cast", "default", to=FLOAT, out="default_read"), FLOAT, [5])
    return g.model(opset=25, ir_version=13)


def cases():
    rng = random("packed_elements data")

    def integers(dtype, low, high, *shape):
        return rng.integers(low, high, shape, endpoint=True).astype(dtype)

    for rows, n, flag in [(3, 7, True), (1, 1, False), (2, 4, True), (5, 0, True), (0, 3, False), (17, 129, False)]:
        inputs = {"a": integers(ml_dtypes.int4, -8, 7, rows, n), "pairs": integers(ml_dtypes.uint2, 0, 3, n),
                  "x": np.clip(normal(rng, rows, n, scale=4.0), -7.5, 7.5), "scalar": integers(ml_dtypes.uint4, 0, 15),
                  "small": normal(rng, 3, n, scale=3.0).astype(ml_dtypes.float4_e2m1fn),
                  "state": integers(ml_dtypes.int2, -2, 1, n), "flag": np.array(flag)}
        if n % 2:
            inputs["default"] = integers(ml_dtypes.uint4, 0, 15, 5)
        yield Case(inputs)
