# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantisation for a whole tensor, along an axis and in blocks, into integers of 8 to 2 bits and small floats, and back;
weights of 4 bits, whose last block is cut; scales that are inputs."""
import ml_dtypes
import numpy as np
from graph import FLOAT, FLOAT16, FLOAT4E2M1, INT4, UINT2, UINT8, Case, Graph, normal, random
from onnx import TensorProto, numpy_helper

# ONNX Runtime has no kernels for most of these types.
ORACLE = "reference"

WIDTH = 10


def build():
    rng = random("quantised weights")
    g = Graph("quantised")
    g.input("x", FLOAT, ["n", WIDTH])
    g.input("scale", FLOAT, [])
    g.input("scales", FLOAT, [WIDTH])
    g.input("blocks", FLOAT, ["n", 4])
    whole = g.op("QuantizeLinear", "x", "scale", output_dtype=UINT8, out="whole")
    g.output(whole, UINT8, ["n", WIDTH])
    zero = g.const(rng.integers(-3, 3, WIDTH).astype(np.int8))
    along = g.op("QuantizeLinear", "x", "scales", zero, axis=-1)
    g.output(g.op("DequantizeLinear", along, "scales", zero, axis=1, out="along"), FLOAT, ["n", WIDTH])
    block = g.op("QuantizeLinear", "x", "blocks", block_size=3, output_dtype=INT4, out="block")
    g.output(block, INT4, ["n", WIDTH])
    g.output(g.op("DequantizeLinear", block, "blocks", block_size=3, out="back"), FLOAT, ["n", WIDTH])
    g.output(g.op("QuantizeLinear", "x", "scale", output_dtype=UINT2, out="two_bits"), UINT2, ["n", WIDTH])
    g.output(g.op("QuantizeLinear", "x", "scale", output_dtype=FLOAT4E2M1, out="small"), FLOAT4E2M1, ["n", WIDTH])
    g.output(g.op("QuantizeLinear", "x", "scale", output_dtype=TensorProto.FLOAT8E4M3FN, out="eighths"),
             TensorProto.FLOAT8E4M3FN, ["n", WIDTH])
    # Large enough not to be folded into the kernel, and not of a whole number of bytes a row.
    weights = rng.integers(-8, 7, (WIDTH, 301), endpoint=True).astype(ml_dtypes.int4)
    g.initializers.append(numpy_helper.from_array(weights, "weights"))
    g.const(np.abs(normal(rng, WIDTH, 10, dtype=np.float16)) + np.float16(0.1), name="weight_scales")
    w = g.op("DequantizeLinear", "weights", "weight_scales", axis=1, block_size=32)
    g.output(g.op("MatMul", g.op("Cast", "x", to=FLOAT16), w, out="product"), FLOAT16, ["n", 301])
    return g.model(opset=25, ir_version=13)


def cases():
    rng = random("quantised data")
    for n in (3, 1, 0, 130):
        yield Case({"x": normal(rng, n, WIDTH, scale=3.0), "scale": np.array(0.25, np.float32),
                    "scales": np.abs(normal(rng, WIDTH)) + np.float32(0.1),
                    "blocks": np.abs(normal(rng, n, 4)) + np.float32(0.1)})
