# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products in 8 bits as quantisers write them: MatMul and Gemm between DequantizeLinear and QuantizeLinear, and QLinearMatMul; rows that
are signed, weights with scales and zero points for all and by column, transposed ones, one row and many, two activations. All scales are
powers of 2 and no sum leaves the 24 bits of a float, so that every way to compute it gives the same."""
import numpy as np
from graph import FLOAT, INT8, UINT8, Case, Graph, random
from make import onnxruntime_runner

DEPTH, WIDTH = 37, 21


def ORACLE(_model):
    """Without VNNI, ONNX Runtime's QLinearMatMul adds pairs of products in 16 bits, which saturate."""
    return onnxruntime_runner(build(is_spelt_out=True))


def build(is_spelt_out=False):
    """`is_spelt_out`: QLinearMatMul by what defines it."""
    rng = random("quantised forms weights")
    g = Graph("quantised_forms")
    g.input("x", UINT8, ["n", "m", DEPTH])
    g.input("signed", INT8, ["m", DEPTH])
    g.input("row", UINT8, [1, DEPTH])

    def parameters(bits, zero):
        return [g.const(np.float32(2.0**-bits)), g.const(zero)]

    def read(x, bits, zero):
        return g.op("DequantizeLinear", x, *parameters(bits, zero))

    def weight(axis, shape, by_channel=True, least=-128):
        w = rng.integers(least, 128, shape).astype(np.int8)
        count = shape[axis]
        scales = (2.0 ** -(7 + rng.integers(0, 2, count if by_channel else 1))).astype(np.float32)
        zeros = rng.integers(-9, 10, count if by_channel else 1).astype(np.int8)
        pair = (g.const(scales), g.const(zeros)) if by_channel else (g.const(scales[0]), g.const(zeros[0]))
        return [g.const(w), *pair]

    def output(name, value, dtype, dims):
        g.op("Identity", value, out=name)
        g.output(name, dtype, dims)

    def store(name, y, dims, bits=0, zero=np.uint8(121)):
        y = g.op("QuantizeLinear", y, *parameters(bits, zero))
        output(name, y, UINT8 if zero.dtype == np.uint8 else INT8, dims)
        return y

    def operator(x, w, y):
        """QLinearMatMul of (codes, scale, zero point) each; y without codes."""
        if not is_spelt_out:
            return g.op("QLinearMatMul", *x, *w, *y)
        # A weight's scales go with its columns.
        floats = g.op("MatMul", g.op("DequantizeLinear", *x), g.op("DequantizeLinear", *w, axis=-1))
        return g.op("QuantizeLinear", floats, *y)

    x = read("x", 5, np.uint8(130))
    codes = store("layer", g.op("MatMul", x, g.op("DequantizeLinear", *weight(1, (DEPTH, WIDTH)), axis=-1)), ["n", "m", WIDTH])
    bias = g.const(rng.integers(-9, 10, WIDTH).astype(np.float32))
    signed, row = read("signed", 5, np.int8(-3)), read("row", 5, np.uint8(0))
    turned = g.op("DequantizeLinear", *weight(0, (WIDTH, DEPTH)), axis=0)
    store("gemm", g.op("Gemm", signed, turned, bias, transB=1, alpha=0.5, beta=2.0), ["m", WIDTH], zero=np.int8(-9))
    store("relu", g.op("Relu", g.op("Gemm", row, turned, bias, transB=1)), [1, WIDTH], zero=np.uint8(0))
    # Of weights that no signed byte holds without their zero point, and of floats that nothing quantises.
    output("floats", g.op("MatMul", signed, g.op("DequantizeLinear", *weight(1, (DEPTH, 5), by_channel=False, least=120))), FLOAT, ["m", 5])
    # Rows of bytes by rows of bytes.
    hidden = read(codes, 3, np.uint8(121))
    scores = g.op("MatMul", hidden, g.op("Transpose", hidden, perm=[0, 2, 1]))
    store("scores", scores, ["n", "m", "m"], bits=1)
    many, one = ["x", *parameters(5, np.uint8(130))], ["row", *parameters(5, np.uint8(1))]
    y = operator(many, weight(1, (DEPTH, WIDTH)), parameters(0, np.uint8(121)))
    output("operator", y, UINT8, ["n", "m", WIDTH])
    y = operator(one, weight(1, (DEPTH, WIDTH), by_channel=False), parameters(0, np.uint8(9)))
    output("operator_row", y, UINT8, [1, WIDTH])
    turned = [g.op("Transpose", "x", perm=[0, 2, 1]), *parameters(5, np.uint8(130))]
    y = operator(many, turned, parameters(1, np.uint8(9)))
    output("operator_scores", y, UINT8, ["n", "m", "m"])
    return g.model(opset=21)


def cases():
    rng = random("quantised forms data")
    for n, m in ((1, 1), (2, 7), (3, 33), (0, 2)):
        yield Case({"x": rng.integers(0, 256, (n, m, DEPTH)).astype(np.uint8),
                    "signed": rng.integers(-128, 128, (m, DEPTH)).astype(np.int8),
                    "row": rng.integers(0, 256, (1, DEPTH)).astype(np.uint8)})
