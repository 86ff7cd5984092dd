# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches and loops."""
from onnx import TensorProto

from values import BOOL, F32, I64, Value, finer, least, require, static
from .family import of


KEEPING = ["Neg", "Abs", "Relu", "Tanh", "Sigmoid", "Identity"]


def keep(m, value):
    """A node or two whose result is like `value`."""
    operator = m.choice([*KEEPING, "Max", "Where"])
    if operator in KEEPING:
        exact = operator not in ("Tanh", "Sigmoid")
        return m.same(operator, value, max(value.bound, 1), value.grid if exact else None)
    other = m.operand(value.dtype, value.shape)
    operands = [value, other] if operator == "Max" else [m.operand(BOOL, ()), value, other]
    return m.value(m.op(operator, *operands), value.dtype, value.shape, max(value.bound, other.bound), finer(value, other))


@of("control")
def branch(m):
    value = m.any()
    if m.chance(0.5):
        condition = m.operand(BOOL, ())
    else:
        total = m.op("ReduceMax", m.exact(lambda v: least(v.shape) > 0), keepdims=0)
        condition = m.op("Greater", total, m.const(1.0))
    graphs, ends = {}, []
    for name in ("then_branch", "else_branch"):
        with m.inner(name) as body:
            end = value
            for _ in range(m.choice([1, 2])):
                end = keep(m, end)
            body.output(m.op("Identity", end), TensorProto.FLOAT, None)
            ends.append(end)
        graphs[name] = body.proto()
    m.value(m.op("If", condition, **graphs), F32, value.shape, max(end.bound for end in ends), finer(*ends))


@of("control")
def loop(m):
    """A carried value, and rows that are stacked: of none ONNX Runtime does not know the extents."""
    value = m.any(lambda v: v.rank <= 3)
    fewest = 1 if value.rank else 0
    trips = m.random.randint(fewest, 3)
    if m.chance(0.6):
        count, stacked = m.const(trips), static(trips)
    else:
        given = m.input(I64, (), lambda extents: m.rng.integers(fewest, 4))
        count, stacked = given, tuple(int(trip) for trip in m.data[given.name])
    names = [m.g.fresh(stem) for stem in ("i", "go", "carried")]
    carried = Value(names[2], F32, value.shape, max(value.bound, 1), None)
    with m.inner("loop", [carried]) as body:
        kept_dims = [m.declared(dim) for dim in value.shape]
        types = (TensorProto.INT64, TensorProto.BOOL, TensorProto.FLOAT)
        for name, dtype, shape in zip(names, types, ([], [], kept_dims)):
            body.input(name, dtype, shape)
        end = keep(m, carried)
        if m.chance(0.4):
            end = m.value(m.op("Min", m.op("Add", end, m.op("Cast", names[0], to=TensorProto.FLOAT)), m.const(4.0)), F32,
                          value.shape, value.bound + 4)
        require(end.shape == value.shape)
        row = end if m.chance(0.5) or not value.rank or least(value.shape) == 0 else m.value(
            m.op("ReduceSum", end, m.const([-1]), keepdims=0), F32, value.shape[:-1], end.bound * max(value.shape[-1]))
        body.output(m.op("Identity", names[1]), TensorProto.BOOL, [])
        for result in (end, row):
            body.output(m.op("Identity", result), TensorProto.FLOAT, [None] * result.rank)
    last, rows = m.op("Loop", count, "", value, out=2, body=body.proto())
    m.value(last, F32, value.shape, end.bound + value.bound)
    m.value(rows, F32, (stacked, *row.shape), row.bound)
