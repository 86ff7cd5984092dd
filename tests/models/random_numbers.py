# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random operators: drawn by seed, bit for bit what Philox gives; and, seeded or not, distributed as they should be.

Numbers spread evenly are multiplied until they are integers, which are compared exactly. What holds of any numbers so
distributed is an output of bools, which are to be true: bounds of Kolmogorov's statistic and of moments that one draw
of a hundred thousand would miss; draws of other nodes, and of other iterations, that are other numbers.
"""
import ml_dtypes
import numpy as np
from graph import BFLOAT16, BOOL, DOUBLE, FLOAT, FLOAT16, INT32, INT64, UINT8, Case, Graph, normal, random
from onnx import helper
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

SAMPLES = 4096
FLOATS = [(FLOAT, 24, "f32"), (DOUBLE, 53, "f64"), (FLOAT16, 11, "f16"), (BFLOAT16, 8, "bf16")]


def philox(seed, draw, count):
    """The blocks of `count` elements: [count, 2] words of 64 bits."""
    position, mask = np.arange(count, dtype=np.uint64), np.uint64(0xFFFFFFFF)
    half, draw = np.uint64(32), np.full(count, draw % 2**64, np.uint64)
    a, b, c, d = position & mask, position >> half, draw & mask, draw >> half
    low, high = seed & 0xFFFFFFFF, seed >> 32
    for _ in range(10):
        from_a, from_c = np.uint64(0xD2511F53) * a, np.uint64(0xCD9E8D57) * c
        a, b = (from_c >> half) ^ b ^ np.uint64(low), from_c & mask
        c, d = (from_a >> half) ^ d ^ np.uint64(high), from_a & mask
        low, high = (low + 0x9E3779B9) & 0xFFFFFFFF, (high + 0xBB67AE85) & 0xFFFFFFFF
    return np.stack([a | b << half, c | d << half], axis=1)


class Draws:
    """How often each node was evaluated, which is the iteration of the loop around it."""

    counts = {}

    @classmethod
    def words(cls, node, seed, shape):
        draw = cls.counts.get(node.output[0], 0)
        cls.counts[node.output[0]] = draw + 1
        key = int(np.float32(seed).view(np.uint32)) if seed is not None else 2**63 | sum(map(ord, node.output[0]))
        return philox(key, draw, int(np.prod(shape))).reshape(*shape, 2)


def accumulator(dtype):
    return np.float64 if dtype == np.float64 else np.float32


def uniform(words, dtype, low, high):
    digits = {np.dtype(helper.tensor_dtype_to_np_dtype(number)): digits for number, digits, _ in FLOATS}[np.dtype(dtype)]
    real = accumulator(dtype)
    unit = (words[..., 0] >> np.uint64(64 - digits)).astype(real) * real(2.0**-digits)
    value = (unit * real(np.float64(high) - np.float64(low)) + real(low)).astype(dtype)
    return np.minimum(value, np.nextafter(np.array(high, dtype), np.array(low, dtype)))


def gaussian(words, dtype, mean, scale):
    real = accumulator(dtype)
    digits = 53 if real == np.float64 else 32
    low, high = ((words[..., half] >> np.uint64(64 - digits)).astype(real) * real(2.0**-digits) for half in (0, 1))
    distance = np.sqrt(np.log(low + real(0.5 * 2.0**-digits)) * real(-2))
    return (distance * np.cos(high * real(2 * np.pi)) * real(scale) + real(mean)).astype(dtype)


def numpy_type(dtype, otherwise=np.float32):
    return helper.tensor_dtype_to_np_dtype(dtype) if dtype else otherwise


class RandomUniform(OpRun):
    op_domain = ""

    def _run(self, dtype=None, high=None, low=None, seed=None, shape=None):
        return (uniform(Draws.words(self.onnx_node, seed, shape), numpy_type(dtype), low, high),)


class RandomUniformLike(OpRun):
    op_domain = ""

    def _run(self, x, dtype=None, high=None, low=None, seed=None):
        return (uniform(Draws.words(self.onnx_node, seed, x.shape), numpy_type(dtype, x.dtype), low, high),)


class RandomNormal(OpRun):
    op_domain = ""

    def _run(self, dtype=None, mean=None, scale=None, seed=None, shape=None):
        return (gaussian(Draws.words(self.onnx_node, seed, shape), numpy_type(dtype), mean, scale),)


class RandomNormalLike(OpRun):
    op_domain = ""

    def _run(self, x, dtype=None, mean=None, scale=None, seed=None):
        return (gaussian(Draws.words(self.onnx_node, seed, x.shape), numpy_type(dtype, x.dtype), mean, scale),)


class Bernoulli(OpRun):
    op_domain = ""

    def _run(self, x, dtype=None, seed=None):
        real = accumulator(x.dtype)
        drawn = uniform(Draws.words(self.onnx_node, seed, x.shape), real, 0, 1)
        return ((drawn < x.astype(real)).astype(numpy_type(dtype, x.dtype)),)


class Dropout(OpRun):
    op_domain = ""

    def _run(self, x, ratio=None, training_mode=None, seed=None):
        real = accumulator(x.dtype)
        dropped = real(0.5 if ratio is None else ratio)
        mask = uniform(Draws.words(self.onnx_node, seed, x.shape), real, 0, 1) >= dropped
        if not training_mode:
            return x, np.ones(x.shape, bool)
        return np.where(mask, x.astype(real) * (real(1) / (real(1) - dropped)), real(0)).astype(x.dtype), mask


class Multinomial(OpRun):
    op_domain = ""

    def _run(self, x, dtype=None, sample_size=None, seed=None):
        sums = np.cumsum(np.exp(x - x.max(1, keepdims=True)), axis=1, dtype=accumulator(x.dtype))
        drawn = uniform(Draws.words(self.onnx_node, seed, (len(x), sample_size)), accumulator(x.dtype), 0, 1)
        passed = sums[:, None, :] <= (drawn * sums[:, -1:])[:, :, None]
        return (passed.sum(-1).astype(numpy_type(dtype, np.int32)),)


def ORACLE(model):
    evaluator = ReferenceEvaluator(model, new_ops=[RandomUniform, RandomUniformLike, RandomNormal, RandomNormalLike,
                                                   Bernoulli, Dropout, Multinomial])

    def run(inputs):
        Draws.counts = {}
        outputs = evaluator.run(None, inputs)
        for value, info in zip(outputs, model.graph.output):
            assert value.dtype != bool or value.all() or info.name.startswith("dropout"), \
                f"{info.name} does not hold of Philox itself"
        return outputs

    return run


def build():
    g = Graph("random_numbers")
    g.input("x", FLOAT, ["n", "m"])
    g.input("chances", FLOAT, ["n", "m"])
    g.input("logits", FLOAT, ["n", 5])
    g.input("trains", BOOL, [])
    true = g.const(True)

    def less(a, b, out):
        """A bool that is to be true."""
        g.output(g.op("Less", a, b, out=out), BOOL, [])

    # Drawn by seed: bits.
    for seed, (dtype, digits, name) in enumerate(FLOATS, 1):
        for like in (False, True):
            drawn = g.op("RandomUniformLike", "x", dtype=dtype, seed=float(seed)) if like else \
                g.op("RandomUniform", dtype=dtype, seed=seed + 0.5, shape=[3, 5])
            scale = g.const(np.array(2.0**digits, helper.tensor_dtype_to_np_dtype(dtype)))
            g.output(g.op("Cast", g.op("Mul", drawn, scale), to=INT64, out=f"bits_{name}{'_like' * like}"), INT64,
                     ["n", "m"] if like else [3, 5])
        # Between two numbers that are close in the small types; exact where a step of the draw is one of the result.
        g.output(g.op("Cast", g.op("RandomUniform", dtype=dtype, seed=17.0, shape=[65], low=-1.0, high=3.0), to=FLOAT,
                      out=f"between_{name}"), FLOAT, [65])
        g.output(g.op("Cast", g.op("RandomNormal", dtype=dtype, seed=-1.5, shape=[65], mean=2.0, scale=0.5), to=FLOAT,
                      out=f"normal_{name}"), FLOAT, [65])
    g.output(g.op("RandomNormalLike", "x", seed=5.25, out="normal_like"), FLOAT, ["n", "m"])
    g.output(g.op("RandomUniformLike", g.const(0.0), seed=1.0, out="scalar"), FLOAT, [])
    g.output(g.op("Bernoulli", "chances", seed=3.0, dtype=UINT8, out="bernoulli"), UINT8, ["n", "m"])
    g.output(g.op("Multinomial", "logits", seed=4.0, sample_size=7, out="multinomial"), INT32, ["n", 7])
    for number, (dtype, _, name) in enumerate(FLOATS):
        ratio = g.const(0.25, helper.tensor_dtype_to_np_dtype(dtype)) if number else ""
        dropped, mask = g.op("Dropout", g.op("Cast", "x", to=dtype), ratio, "trains" if number < 2 else true, seed=number,
                             out=2)
        g.output(g.op("Cast", dropped, to=FLOAT, out=f"dropout_{name}"), FLOAT, ["n", "m"])
        g.output(g.op("Identity", mask, out=f"dropout_mask_{name}"), BOOL, ["n", "m"])
    # Read twice, by what is fused and by what is not: the same numbers.
    drawn = g.op("RandomUniformLike", "x", seed=9.0)
    g.output(g.op("Sub", g.op("Transpose", g.op("Transpose", drawn)), drawn, out="same"), FLOAT, ["n", "m"])

    # Distributions, without a seed.
    ranks = g.const((np.arange(SAMPLES, dtype=np.float32) + 0.5) / SAMPLES)
    bound = g.const(float(2.4 / np.sqrt(SAMPLES)))
    even, gauss = g.op("RandomUniform", shape=[SAMPLES]), g.op("RandomNormal", shape=[SAMPLES])
    for name, drawn, share in [
            ("uniform", even, lambda x: x),
            ("normal", gauss, lambda x: g.op("Mul", g.const(0.5), g.op("Add", g.const(1.0), g.op(
                "Erf", g.op("Mul", x, g.const(0.5**0.5))))))]:
        ascending = g.op("TopK", drawn, g.const([SAMPLES]), largest=0, out=2)[0]
        distance = g.op("ReduceMax", g.op("Abs", g.op("Sub", share(ascending), ranks)), keepdims=0)
        less(distance, bound, f"{name}_is_distributed")
        # Neighbours know nothing of each other.
        centred = g.op("Sub", drawn, g.op("ReduceMean", drawn, keepdims=0))
        neighbours = g.op("Mul", g.op("Slice", centred, g.const([0]), g.const([SAMPLES - 1])),
                          g.op("Slice", centred, g.const([1]), g.const([SAMPLES])))
        less(g.op("Abs", g.op("ReduceMean", neighbours, keepdims=0)), g.const(float(4.5 / np.sqrt(SAMPLES))),
             f"{name}_is_not_correlated")
    less(g.op("ReduceMax", even, keepdims=0), g.const(1.0), "uniform_ends")
    less(g.op("Abs", g.op("Sub", g.op("ReduceMean", g.op("Mul", gauss, gauss), keepdims=0), g.const(1.0))),
         g.const(float(4.5 * np.sqrt(2 / SAMPLES))), "normal_variance")
    hits = g.op("Bernoulli", g.const(np.full(SAMPLES, 0.25, np.float32)))
    less(g.op("Abs", g.op("Sub", g.op("ReduceMean", hits, keepdims=0), g.const(0.25))),
         g.const(float(4.5 * np.sqrt(0.25 * 0.75 / SAMPLES))), "bernoulli_is_distributed")
    shares = np.array([0.1, 0, 0.2, 0.7])
    with np.errstate(divide="ignore"):
        classes = g.op("Multinomial", g.const(np.log(shares)[None].astype(np.float32)), sample_size=SAMPLES)
    counts = g.op("ReduceMean", g.op("OneHot", classes, g.const(4), g.const([0.0, 1.0])), g.const([0, 1]), keepdims=0)
    errors = g.op("LessOrEqual", g.op("Abs", g.op("Sub", counts, g.const(shares.astype(np.float32)))),
                  g.const((4.5 * np.sqrt(shares * (1 - shares) / SAMPLES)).astype(np.float32)))
    g.output(g.op("Identity", errors, out="multinomial_is_distributed"), BOOL, [4])

    # Two nodes that are alike draw on their own.
    least = g.const(0.001)
    less(least, g.op("ReduceMean", g.op("Abs", g.op("Sub", *(g.op("RandomUniform", shape=[64]) for _ in range(2)))),
                     keepdims=0), "nodes_differ")

    # So does one in each iteration, also of a loop in a loop.
    inner = g.sub("inner")
    inner.input("j", INT64, [])
    inner.input("go_on", BOOL, [])
    inner.output(inner.op("Identity", "go_on"), BOOL, [])
    inner.output(inner.op("RandomNormal", shape=[8]), FLOAT, [8])
    body = g.sub("body")
    body.input("i", INT64, [])
    body.input("goes_on", BOOL, [])
    seeded = body.op("RandomUniformLike", "x", seed=8.0)
    unseeded = body.op("RandomUniform", shape=[8])
    nested = body.op("Reshape", body.op("Loop", body.const(3), true, body=inner.proto()), body.const([24]))
    for value, dtype, dims in [(body.op("Identity", "goes_on"), BOOL, []), (seeded, FLOAT, ["n", "m"]),
                               (unseeded, FLOAT, [8]), (nested, FLOAT, [24])]:
        body.output(value, dtype, dims)
    seeded, unseeded, nested = g.op("Loop", g.const(4), true, body=body.proto(), out=3)
    # In a row: ONNX's evaluator does not stack what a loop yields, but puts it end to end.
    seeded = g.op("Reshape", g.op("Mul", seeded, g.const(2.0**24)), g.const([-1]))
    g.output(g.op("Cast", seeded, to=INT64, out="bits_of_iterations"), INT64, [None])
    for name, drawn, rows in [("iterations", unseeded, 4), ("nested", nested, 12)]:
        flat = g.op("Reshape", drawn, g.const([rows, 8]))
        pairs = g.op("Abs", g.op("Sub", g.op("Unsqueeze", flat, g.const([0])), g.op("Unsqueeze", flat, g.const([1]))))
        apart = g.op("Add", g.op("ReduceMean", pairs, g.const([2]), keepdims=0), g.const(np.eye(rows, dtype=np.float32)))
        less(least, g.op("ReduceMin", apart, keepdims=0), f"{name}_differ")
    return g.model(opset=22)


def cases():
    rng = random("random_numbers data")
    for n, m in [(2, 3), (1, 1), (5, 41), (3, 0)]:
        chances = rng.random((n, m), np.float32)
        chances.flat[:1] = 1
        yield Case({"x": normal(rng, n, m), "chances": chances, "logits": normal(rng, n, 5),
                    "trains": np.bool_(n != 5)})
