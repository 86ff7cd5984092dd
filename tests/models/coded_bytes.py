# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MatMulNBits that may round rows to bytes (accuracy_level 4): 2, 4 and 8 bits, blocks of 16 to 256, zero
points, a bias, a shorter last block; a vector, few rows and many, none; halves, which are not rounded. Rows are what bytes hold
exactly, so that products of floats, which a GPU has and ONNX Runtime of some of these, are the same."""
import numpy as np

from graph import FLOAT, FLOAT16, Case, Graph, random

DEPTH, COLUMNS = 600, 37
# Bits, block, depth, whether there are zero points and a bias.
FORMS = {"four": (4, 32, 600, True, False), "ragged": (4, 16, 70, True, True), "centred": (4, 128, 600, False, True),
         "one_block": (4, 256, 70, True, False), "long": (4, 256, 600, True, False), "pairs": (2, 16, 70, True, False),
         "pairs_of_long": (2, 64, 600, False, False), "bytes": (8, 32, 70, True, True), "bytes_of_long": (8, 256, 600, True, False)}


def build():
    rng = random("coded_bytes weights")
    g = Graph("coded_bytes")
    g.input("x", FLOAT, ["m", DEPTH])
    g.input("stack", FLOAT, [2, "m", 70])
    g.input("vector", FLOAT, [70])
    g.input("halves", FLOAT16, ["m", 64])

    def nbits(x, bits, block, depth, zero_points, bias, scales=None, **more):
        blocks = -(-depth // block)
        if scales is None:
            scales = (rng.random(COLUMNS * blocks) / 16 + 0.01).astype(np.float32)
        operands = [x, g.const(rng.integers(0, 256, (COLUMNS, blocks, block * bits // 8)).astype(np.uint8)), g.const(scales)]
        operands.append(g.const(rng.integers(0, 256, COLUMNS * -(-blocks * bits // 8)).astype(np.uint8)) if zero_points else "")
        operands += ["", g.const(rng.random(COLUMNS).astype(np.float32))] if bias else []
        g.op("MatMulNBits", *operands, domain="com.microsoft", K=depth, N=COLUMNS, bits=bits, block_size=block, accuracy_level=4, **more)

    for out, (bits, block, depth, zero_points, bias) in FORMS.items():
        nbits("x" if depth == DEPTH else "stack", bits, block, depth, zero_points, bias, out=out)
        g.output(out, FLOAT, ["m", COLUMNS] if depth == DEPTH else [2, "m", COLUMNS])
    nbits("vector", 4, 16, 70, True, False, out="of_vector")
    g.output("of_vector", FLOAT, [COLUMNS])
    # Halves hold these weights exactly, which ONNX Runtime multiplies as floats.
    nbits("halves", 4, 32, 64, False, False, np.full(COLUMNS * 2, 1 / 16, np.float16), out="of_halves")
    g.output("of_halves", FLOAT16, ["m", COLUMNS])
    return g.model(extra_domains=["com.microsoft"], full_check=False)


def exact(rng, *shape):
    """Multiples of a power of two, of which the largest of each sixteen is 127 times it; some rows are zeros."""
    numbers = rng.integers(-127, 128, shape)
    numbers[..., ::16] = rng.choice([-127, 127], numbers[..., ::16].shape)
    by = np.exp2(rng.integers(-9, -4, (*shape[:-1], 1)))
    by[rng.random(by.shape) < 0.1] = 0
    return (numbers * by).astype(np.float32)


def cases():
    rng = random("coded_bytes data")
    for m in (1, 2, 3, 9, 40, 0):
        yield Case({"x": exact(rng, m, DEPTH), "stack": exact(rng, 2, m, 70), "vector": exact(rng, 70),
                    "halves": exact(rng, m, 64).astype(np.float16)})
