# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products by constant matrices of 2, 4 and 8 bits, as exporters write them: MatMulNBits of ONNX Runtime, and DequantizeLinear in
blocks of rows or for each column, with and without zero points, with a shorter last block, transposed or not, read twice; and
matrices that something else reads, so that they are floats. Few rows and many, a vector, none; floats and halves."""
import numpy as np
from onnx import helper

from graph import FLOAT, FLOAT16, INT4, UINT4, Case, Graph, normal, random

DEPTH, COLUMNS = 70, 37


def build():
    rng = random("coded_products weights")
    g = Graph("coded_products")
    g.input("x", FLOAT, ["m", DEPTH])
    g.input("stack", FLOAT, [2, "m", 64])
    g.input("vector", FLOAT, [64])
    g.input("halves", FLOAT16, ["m", 64])

    def nbits(x, bits, depth, block, out, zero_points):
        """ONNX Runtime packs rows of blocks."""
        blocks = -(-depth // block)
        codes = g.const(rng.integers(0, 256, (COLUMNS, blocks, block * bits // 8)).astype(np.uint8))
        operands = [x, codes, g.const(scales(COLUMNS * blocks))]
        if zero_points:
            operands.append(g.const(rng.integers(0, 256, COLUMNS * -(-blocks * bits // 8)).astype(np.uint8)))
        g.op("MatMulNBits", *operands, domain="com.microsoft", K=depth, N=COLUMNS, bits=bits, block_size=block, out=out)

    def scales(*shape):
        return (rng.random(shape) / 16 + 0.01).astype(np.float32)

    def nibbles(element_type, *shape):
        least = -8 if element_type == INT4 else 0
        name = g.fresh("nibbles")
        values = rng.integers(least, least + 16, shape)
        g.initializers.append(helper.make_tensor(name, element_type, shape, values.flatten().tolist()))
        return name

    nbits("stack", 4, 64, 32, "packed", True)
    nbits("x", 4, DEPTH, 16, "ragged", True)
    nbits("x", 4, DEPTH, 32, "centred", False)
    nbits("vector", 2, 64, 16, "pairs", True)
    nbits("stack", 8, 64, 32, "bytes", True)
    # Not MatMulNBits, which ONNX Runtime computes in floats.
    wide = g.op("DequantizeLinear", nibbles(INT4, 64, COLUMNS), g.const(scales(2, COLUMNS).astype(np.float16)), axis=0, block_size=32)
    g.op("MatMul", "halves", wide, out="of_halves")

    blocks = g.op("DequantizeLinear", nibbles(INT4, DEPTH, COLUMNS), g.const(scales(3, COLUMNS)), nibbles(INT4, 3, COLUMNS),
                  axis=0, block_size=32)
    g.op("MatMul", "x", blocks, out="blocked")
    g.op("Relu", g.op("Gemm", "x", blocks, g.const(scales(COLUMNS))), out="again")
    rows = g.op("DequantizeLinear", g.const(rng.integers(-128, 128, (COLUMNS, DEPTH)).astype(np.int8)), g.const(scales(COLUMNS)),
                axis=0)
    g.op("Gemm", "x", rows, g.const(scales(COLUMNS)), transB=1, alpha=0.5, beta=2.0, out="per_column")
    g.op("MatMul", "x", g.op("Transpose", rows, perm=[1, 0]), out="turned")

    # Floats: a matrix that is also read as it is, one on the left, groups that no number of codes divides.
    read = g.op("DequantizeLinear", nibbles(UINT4, 64, COLUMNS), g.const(scales(4, COLUMNS)), axis=0, block_size=16)
    g.op("MatMul", "vector", read, out="both")
    g.op("Neg", read, out="plain")
    left = g.op("DequantizeLinear", nibbles(UINT4, COLUMNS, DEPTH), g.const(scales(COLUMNS, 3)), axis=1, block_size=32)
    g.op("MatMul", left, g.op("Transpose", "x", perm=[1, 0]), out="left")
    short = g.op("DequantizeLinear", nibbles(UINT4, DEPTH, COLUMNS), g.const(scales(7, COLUMNS)), axis=0, block_size=10)
    g.op("MatMul", "x", short, out="short")

    for name in ("packed", "bytes"):
        g.output(name, FLOAT, [2, "m", COLUMNS])
    for name in ("ragged", "centred", "blocked", "again", "per_column", "turned", "short"):
        g.output(name, FLOAT, ["m", COLUMNS])
    g.output("of_halves", FLOAT16, ["m", COLUMNS])
    for name in ("pairs", "both"):
        g.output(name, FLOAT, [COLUMNS])
    g.output("plain", FLOAT, [64, COLUMNS])
    g.output("left", FLOAT, [COLUMNS, "m"])
    return g.model(extra_domains=["com.microsoft"], full_check=False)


def cases():
    rng = random("coded_products data")
    for m in (1, 3, 4, 17, 0):
        yield Case({"x": normal(rng, m, DEPTH), "stack": normal(rng, 2, m, 64), "vector": normal(rng, 64),
                    "halves": normal(rng, m, 64).astype(np.float16)})
