# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Three spellings of one layer normalisation and two of Gelu, as exporters write them; all must give one answer."""
from graph import FLOAT, Case, Graph, normal, random

WIDTH = 24


def build():
    rng = random("layernorm_idiom weights")
    g = Graph("layernorm_idiom")
    g.input("x", FLOAT, ["batch", "sequence", WIDTH])
    g.const(1 + normal(rng, WIDTH, scale=0.2), name="scale")
    g.const(normal(rng, WIDTH, scale=0.2), name="shift")

    mean = g.op("ReduceMean", "x", g.const([-1]))
    centred = g.op("Sub", "x", mean)
    for name, square in [("by_pow", g.op("Pow", centred, g.const(2.0))), ("by_mul", g.op("Mul", centred, centred))]:
        deviation = g.op("Sqrt", g.op("Add", g.op("ReduceMean", square, g.const([-1])), g.const(1e-5)))
        g.op("Add", g.op("Mul", g.op("Div", centred, deviation), "scale"), "shift", out=name)
    g.op("LayerNormalization", "x", "scale", "shift", out="by_name", axis=-1, epsilon=1e-5)

    half = g.op("Mul", "by_name", g.const(0.5))
    g.op("Mul", half, g.op("Add", g.op("Erf", g.op("Mul", "by_name", g.const(0.5**0.5))), g.const(1.0)), out="gelu")
    cube = g.op("Pow", "by_name", g.const(3.0))
    inner = g.op("Mul", g.op("Add", "by_name", g.op("Mul", cube, g.const(0.044715))), g.const(0.7978845608))
    g.op("Mul", half, g.op("Add", g.op("Tanh", inner), g.const(1.0)), out="gelu_tanh")
    for name in ("by_pow", "by_mul", "by_name", "gelu", "gelu_tanh"):
        g.output(name, FLOAT, ["batch", "sequence", WIDTH])
    return g.model(opset=18, ir_version=8)


def cases():
    rng = random("layernorm_idiom data")
    for batch, sequence in [(2, 3), (1, 1), (0, 4)]:
        yield Case({"x": 3 + normal(rng, batch, sequence, WIDTH)})
