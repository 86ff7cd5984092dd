# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Extents that follow from data of the device: bounds on the host, exact values on the device, one fetch at the end."""
import numpy as np
import pad_topk
from declare import Data, Variant, case, device, host, ints
from graph import BOOL, FLOAT, INT64, Graph, fill, normal, random


def as_count(g, value):
    """A float scalar as the one element of an int64 vector."""
    return g.op("Reshape", g.op("Cast", value, to=INT64), g.const([1]))


@case(14, "a dim of a Reshape is the largest id, the element count is known", "1e/0", h2d=0)
def largest_id():
    rng = random("largest_id")
    g = Graph("largest_id")
    g.input("ids", INT64, ["m"])
    g.input("x", FLOAT, ["n"])
    rows = g.op("ReduceMax", "ids", keepdims=1, out="rows")
    table = g.op("Reshape", g.op("Neg", "x"), g.op("Concat", rows, g.const([-1]), axis=0))
    g.output(g.op("Relu", table, out="y"), FLOAT, [None, None])
    data = []
    for rows, columns, m in [(3, 4, 9), (1, 1, 1), (40, 6, 4096)]:
        ids = rng.integers(0, rows + 1, m)
        ids[m // 2] = rows
        data.append(Data({"ids": ids, "x": normal(rng, rows * columns)}, device("ids", "x")))
    # A dim of 0 is a copied one.
    data.append(Data({"ids": np.zeros(7, np.int64), "x": normal(rng, 5)}, device("ids", "x")))
    yield Variant(g.model(), data, sides={"ids": "device", "rows": "device", "y": "device"})


@case(25, "one dim and one largest length are a target of Expand", "1/1", h2d=0)
def dim_and_length():
    rng = random("dim_and_length")
    g = Graph("dim_and_length")
    g.input("x", FLOAT, ["n", 1])
    g.input("lens", INT64, ["m"])
    target = g.op("Concat", g.op("Shape", "x", start=0, end=1), g.op("ReduceMax", "lens", keepdims=1), axis=0)
    g.output(g.op("Tanh", g.op("Expand", "x", target), out="y"), FLOAT, ["n", None])
    data = [Data({"x": normal(rng, n, 1), "lens": rng.integers(1, most + 1, m)}, device("x", "lens"))
            for n, most, m in [(3, 5, 20), (1, 1, 1), (9, 70, 300)]]
    yield Variant(g.model(), data, limits={"d2h_bytes": 8}, sides={"lens": "device"})


@case(26, "four independent ArgMax scalars start and end a Slice", "1e/0", h2d=0)
def sliced_by_maxima():
    rng = random("sliced_by_maxima")
    g = Graph("sliced_by_maxima")
    g.input("x", FLOAT, ["a", "b"])
    scores = [g.input(f"scores{k}", FLOAT, [f"s{k}"]) for k in range(4)]
    best = [g.op("ArgMax", s, axis=0, keepdims=1) for s in scores]
    part = g.op("Slice", "x", g.op("Concat", *best[:2], axis=0), g.op("Concat", *best[2:], axis=0), g.const([0, 1]))
    g.output(g.op("Neg", part, out="part"), FLOAT, [None, None])
    data = []
    for (a, b), best_at in [((6, 7), (1, 2, 5, 6)), ((3, 3), (0, 0, 2, 2)), ((40, 20), (30, 3, 33, 19)), ((5, 5), (4, 1, 2, 3)),
                            ((5, 5), (0, 4, 4, 4))]:
        inputs = {"x": normal(rng, a, b)}
        for k, at in enumerate(best_at):
            inputs[f"scores{k}"] = rng.random(50, np.float32)
            inputs[f"scores{k}"][at] = 2
        data.append(Data(inputs, device(*inputs)))
    yield Variant(g.model(), data, sides={"x": "device"})


@case(27, "k from the data, TopK, another k from what it took, TopK", "1e/0", h2d=0)
def topk_of_topk():
    rng = random("topk_of_topk")
    g = Graph("topk_of_topk")
    g.input("x", FLOAT, ["n"])
    first, _ = g.op("TopK", "x", as_count(g, g.op("ReduceMax", "x", keepdims=0)), out=2, axis=0)
    g.output(first, FLOAT, [None])
    g.op("TopK", first, as_count(g, g.op("ReduceMin", first, keepdims=0)), out=["second", "unused"], axis=0, largest=0)
    g.output("second", FLOAT, [None])
    data = []
    for n, k in [(9, 5), (100, 31), (4, 1)]:
        x = rng.permutation(n).astype(np.float32) * np.float32(0.5 * k / n)
        x[0] = k
        data.append(Data({"x": np.abs(x)}, device("x")))
    yield Variant(g.model(), data, sides={"x": "device"})


@case(28, "NonZero of a mask, its rows through a MatMul", "1e/0", h2d=0)
def masked_rows():
    rng = random("masked_rows")
    g = Graph("masked_rows")
    g.input("mask", FLOAT, ["n"])
    g.input("x", FLOAT, ["n", 4])
    rows = g.op("GatherND", "x", g.op("Transpose", g.op("NonZero", "mask")))
    g.output(g.op("MatMul", rows, g.const(normal(rng, 4, 5)), out="y"), FLOAT, [None, 5])
    data = [Data({"mask": (rng.random(n) < share).astype(np.float32), "x": normal(rng, n, 4)}, device("mask", "x"))
            for n, share in [(9, 0.5), (1, 1), (300, 0.1), (7, 0)]]
    yield Variant(g.model(), data)


@case(29, "NonMaxSuppression with a constant number of boxes, then Gather", "1e/0", h2d=0)
def chosen_boxes():
    rng = random("chosen_boxes")
    g = Graph("chosen_boxes")
    g.input("boxes", FLOAT, [1, "n", 4])
    g.input("scores", FLOAT, [1, 2, "n"])
    chosen = g.op("NonMaxSuppression", "boxes", "scores", g.const([5]), g.const(0.5), g.const(0.1))
    at = g.op("Gather", chosen, g.const(2), axis=1)
    g.output(g.op("Gather", g.op("Squeeze", "boxes", g.const([0])), at, axis=0, out="kept"), FLOAT, [None, 4])
    data = []
    for n in (8, 1, 100):
        corners = rng.random((1, n, 2), np.float32)
        data.append(Data({"boxes": np.concatenate([corners, corners + np.float32(0.3)], 2),
                          "scores": rng.random((1, 2, n), np.float32)}, device("boxes", "scores")))
    yield Variant(g.model(), data)


@case(30, "a count of the data that is summed away", "0/0", h2d=0)
def summed_away():
    rng = random("summed_away")
    g = Graph("compressed")
    g.input("x", FLOAT, ["n", 4])
    g.input("keep", BOOL, ["n"])
    product = g.op("MatMul", g.op("Compress", "x", "keep", axis=0), g.const(normal(rng, 4, 5)))
    g.output(g.op("ReduceSum", product, g.const([0]), keepdims=0, out="y"), FLOAT, [5])
    data = [Data({"x": normal(rng, n, 4), "keep": rng.random(n) < share}, device("x", "keep"))
            for n, share in [(9, 0.5), (1, 1), (300, 0.1), (7, 0)]]
    yield Variant(g.model(), data, name="Compress")

    g = Graph("unique")
    g.input("x", FLOAT, ["n"])
    column = g.op("Unsqueeze", g.op("Unique", "x", sorted=1), g.const([1]))
    product = g.op("MatMul", column, g.const(normal(rng, 1, 5)))
    g.output(g.op("ReduceSum", product, g.const([0]), keepdims=0, out="y"), FLOAT, [5])
    data = [Data({"x": rng.integers(0, most, n).astype(np.float32)}, device("x"))
            for n, most in [(9, 4), (1, 1), (300, 1000), (300, 2)]]
    yield Variant(g.model(), data, name="Unique")


@case(40, "attention over as many keys as a mask has ones", "0/0", h2d=0)
def masked_attention():
    rng = random("masked_attention")
    for is_output in (False, True):
        g = Graph("masked_attention")
        g.input("mask", INT64, ["t"])
        g.input("keys", FLOAT, ["t", 8])
        g.input("query", FLOAT, [1, 8])
        count = g.op("ReduceSum", "mask", g.const([0]), keepdims=1)
        used = g.op("Slice", "keys", g.const([0]), count, g.const([0]))
        weights = g.op("Softmax", g.op("MatMul", "query", g.op("Transpose", used)), axis=1)
        g.output(g.op("MatMul", weights, used, out="y"), FLOAT, [1, 8])
        if is_output:
            g.output(used, FLOAT, [None, 8])
        data = []
        for t, ones in [(6, 4), (1, 1), (90, 90), (5, 0), (33, 20)]:
            mask = rng.permutation(np.arange(t) < ones).astype(np.int64)
            data.append(Data({"mask": mask, "keys": normal(rng, t, 8), "query": normal(rng, 1, 8)},
                             device("mask", "keys", "query")))
        yield Variant(g.model(), data, name="output" if is_output else "", ideal="1e/0" if is_output else "")


@case(52, "a Slice from an ArgMax on, of a known length", "0/0", h2d=0)
def slice_at_maximum():
    rng = random("slice_at_maximum")

    def build(name, length, axis_of):
        g = Graph(name)
        g.input("x", FLOAT, ["n", 4])
        g.input("scores", FLOAT, [axis_of])
        start = g.op("ArgMax", "scores", axis=0, keepdims=1)
        return g, g.op("Slice", "x", start, g.op("Add", start, g.const([length])), g.const([0]))

    def data(shapes):
        made = []
        for n, m, at in shapes:
            scores = rng.random(m, np.float32)
            scores[at] = 2
            made.append(Data({"x": normal(rng, n, 4), "scores": scores}, device("x", "scores")))
        return made

    # One row at a maximum over the same axis is always inside.
    g, row = build("one_row", 1, "n")
    g.output(g.op("Neg", row, out="y"), FLOAT, [1, 4])
    yield Variant(g.model(), data([(5, 5, 3), (5, 5, 4), (1, 1, 0), (70, 70, 0)]), sides={"x": "device"})

    g, rows = build("summed_rows", 3, "m")
    g.output(g.op("ReduceSum", rows, g.const([0]), keepdims=0, out="y"), FLOAT, [4])
    yield Variant(g.model(), data([(5, 4, 3), (5, 9, 8), (1, 1, 0), (70, 7, 0)]), name="clamped")

    g, rows = build("rows", 3, "m")
    g.output(g.op("Neg", rows, out="y"), FLOAT, [None, 4])
    yield Variant(g.model(), data([(5, 4, 3), (5, 9, 8), (1, 1, 0), (70, 7, 0)]), name="clamped-output", ideal="1e/0")


@case(54, "operands that the host needs and scalars that a kernel reads", "0/0")
def operands():
    rng = random("operands")

    def given(name, take, dtype, dims, values, where):
        """The operand is an input, on the side that suits it."""
        g = Graph(name)
        g.input("x", FLOAT, ["n", 4])
        g.input("operand", dtype, dims)
        g.output(g.op("Identity", take(g), out="y"), FLOAT, [None, None])
        data = [Data({"x": normal(rng, n, 4), "operand": np.array(value)}, {**device("x"), **where("operand")})
                for n, value in values]
        return Variant(g.model(), data, name=name, limits={"h2d": 0})

    i64 = np.int64
    # What an extent follows from is an input of the host.
    yield given("Pad", lambda g: g.op("Pad", "x", "operand"), INT64, [4],
                [(3, ints(1, 0, 2, 3)), (1, ints(0, 0, 0, 0)), (3, ints(0, 5, 0, 0))], host)
    yield given("Slice", lambda g: g.op("Slice", "x", "operand", g.const([100]), g.const([0])), INT64, [1],
                [(3, ints(1)), (1, ints(0)), (50, ints(-3))], host)
    yield given("Tile", lambda g: g.op("Tile", "x", "operand"), INT64, [2],
                [(3, ints(2, 1)), (1, ints(1, 1)), (3, ints(4, 3))], host)
    yield given("Resize", lambda g: g.op("Resize", "x", "", "", "operand", mode="nearest"), INT64, [2],
                [(3, ints(6, 4)), (1, ints(1, 2)), (3, ints(9, 8))], host)
    yield given("TopK", lambda g: g.op("TopK", "x", "operand", out=2, axis=0)[0], INT64, [1],
                [(3, ints(2)), (1, ints(1)), (50, ints(50))], host)
    yield given("OneHot", lambda g: g.op("OneHot", g.op("ArgMax", "x", axis=1, keepdims=0), "operand",
                                         g.const([0.0, 1.0])), INT64, [1],
                [(3, ints(4)), (1, ints(9)), (3, ints(6))], host)

    # What only a kernel reads stays on the device, given there or computed there.
    for name, take, dtype, values in [
            ("Trilu.k", lambda g, k: g.op("Trilu", "x", k), INT64, [(3, i64(1)), (1, i64(0)), (9, i64(-2))]),
            ("CumSum.axis", lambda g, k: g.op("CumSum", "x", k), INT64, [(3, i64(1)), (1, i64(0)), (9, i64(-2))]),
            ("Clip.min", lambda g, k: g.op("Clip", "x", k), FLOAT,
             [(3, np.float32(0.5)), (1, np.float32(-1)), (9, np.float32(0))]),
            ("Dropout.ratio", lambda g, k: g.op("Dropout", "x", k, out=["kept"]), FLOAT,
             [(3, np.float32(0.5)), (1, np.float32(0)), (9, np.float32(0.25))])]:
        yield given(name, lambda g, take=take: take(g, "operand"), dtype, [], values, device)

        g = Graph("computed")
        g.input("x", FLOAT, ["n", 4])
        g.input("numbers", dtype, ["m"])
        least = g.op("ReduceMin", "numbers", keepdims=0)
        g.output(g.op("Identity", take(g, least), out="y"), FLOAT, ["n", 4])
        data = [Data({"x": normal(rng, n, 4), "numbers": np.full(40, value) + np.arange(40).astype(value.dtype)},
                     device("x", "numbers")) for n, value in values]
        yield Variant(g.model(), data, name=f"{name}-computed", limits={"h2d": 0})


@case(55, "case 4 with k beyond the dim and below 0", "1e/0", h2d=0)
def bad_k():
    # The context goes on after a refused run.
    yield Variant(pad_topk.build(), [Data(one.inputs, device("input"), status=one.status) for one in pad_topk.cases()])


@case(60, "the batch by indexing and summing the image", "1/1", h2d=0)
def counted_batch():
    rng = random("counted_batch")
    g = Graph("counted_batch")
    g.input("image", FLOAT, ["b", 3, "h", "w"])
    value = "image"
    for _ in range(3):
        value = g.op("Gather", value, g.const(0), axis=1)
    ones = g.op("Add", g.op("Mul", value, g.const(0.0)), g.const(1.0))
    batch = g.op("Cast", g.op("ReduceSum", ones, keepdims=1), to=INT64)
    shape = g.op("Concat", batch, g.const([3, 3]), axis=0)
    g.output(g.op("ConstantOfShape", shape, value=fill(np.float32(2)), out="y"), FLOAT, [None, 3, 3])

    def image(batch, first):
        pixels = normal(rng, batch, 3, 4, 5)
        pixels.flat[0] = first
        return Data({"image": pixels}, device("image"), status="" if np.isfinite(first) else "INVALID_ARGUMENT")

    yield Variant(g.model(), [image(3, 1), image(1, 0), image(64, -1)],
                  limits={"d2h_bytes": 8}, sides={"image": "device"}, remedy="Shape")
    # Not a number of images: not an empty result either.
    yield Variant(g.model(), [image(3, 1), image(2, np.inf), image(2, -np.inf), image(64, -1)], name="infinite")
