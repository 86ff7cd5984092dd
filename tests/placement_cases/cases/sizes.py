# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes that follow from dims and from small inputs of the host: nothing is read back, nothing is uploaded."""
import identity_export
import numpy as np
import pad_topk
import topk_chain
from declare import Data, Variant, case, device, host, ints, scalar
from graph import FLOAT, INT32, INT64, STRING, Graph, fill, normal, random

IMAGES = [(1, 3, 8, 8), (2, 3, 63, 31), (5, 3, 1, 100)]


def images(name, shapes=None):
    rng = random(name)
    return [normal(rng, *shape) for shape in shapes or IMAGES]


def from_cases(cases, **more):
    """The data sets of a script of tests/models."""
    return [Data(one.inputs, status=one.status, **more) for one in cases]


@case(1, "Shape of an image is the output", "0/0", h2d=0)
def image_shape():
    g = Graph("image_shape")
    g.input("image", FLOAT, ["b", 3, "h", "w"])
    g.output(g.op("Shape", "image", out="shape"), INT64, [4])
    yield Variant(g.model(), [Data({"image": x}, device("image")) for x in images("image_shape")],
                  sides={"image": "device", "shape": "host both"})


@case(2, "identity matrices, one per image: ConstantOfShape and ScatterND by the batch", "0/0", h2d=0)
def identity_matrices():
    g = Graph("identity_matrices")
    g.input("image", FLOAT, ["b", 3, "h", "w"])
    batch = g.op("Gather", g.op("Shape", "image"), g.const([0]), axis=0)
    zeros = g.op("ConstantOfShape", g.op("Concat", batch, g.const([3, 3]), axis=0), value=fill(np.float32(0)))
    rows = g.op("Unsqueeze", g.op("Range", g.const(0), g.op("Squeeze", batch), g.const(1)), g.const([1, 2]))
    rows = g.op("Expand", rows, g.op("Concat", batch, g.const([3, 1]), axis=0))
    places = g.op("Expand", g.const(np.arange(3).repeat(2).reshape(1, 3, 2)),
                  g.op("Concat", batch, g.const([3, 2]), axis=0))
    ones = g.op("ConstantOfShape", g.op("Concat", batch, g.const([3]), axis=0), value=fill(np.float32(1)))
    g.op("ScatterND", zeros, g.op("Concat", rows, places, axis=2), ones, out="matrices")
    g.output("matrices", FLOAT, ["b", 3, 3])
    shapes = [(batch, 3, 16, 24) for batch in (2, 1, 5, 0)]
    yield Variant(g.model(), [Data({"image": x}, device("image")) for x in images("identity", shapes)],
                  sides={"image": "device", "matrices": "device"})
    yield Variant(identity_export.build(), from_cases(identity_export.cases(), spaces=device("input")), name="export",
                  sides={"input": "device", "identity_matrices": "device"})


def padded(g, divisor=32):
    g.input("image", FLOAT, [1, 3, "h", "w"])
    size = g.op("Gather", g.op("Shape", "image"), g.const([2, 3]), axis=0)
    rest = g.op("Sub", g.const(divisor), g.op("Mod", size, g.const(divisor)))
    pads = g.op("Concat", g.const([0] * 6), rest, axis=0, out="pads")
    g.output(g.op("Pad", "image", pads, out="padded"), FLOAT, [1, 3, None, None])


@case(3, "pad to the next multiple of 32, 32 more where it is one", "0/0", h2d=0)
def pad_to_multiple():
    g = Graph("pad_to_multiple")
    padded(g)
    shapes = [(1, 3, 63, 31), (1, 3, 32, 32), (1, 3, 50, 95), (1, 3, 64, 1), (1, 3, 1, 1)]
    data = [Data({"image": x}, device("image")) for x in images("pad_to_multiple", shapes)]
    yield Variant(g.model(), data, sides={"image": "device", "pads": "host both", "padded": "device"})


@case(4, "case 3, convolutions, TopK by a minimum of the result", "1e/0", h2d=0)
def pad_convolutions_topk():
    sides = {"input": "device", "output_1": "device", "output_2": "device", "pad_topk_reducemin_21": "device",
             "pad_topk_add_23": "device", "pad_topk_cast_25": "device"}
    # Refused runs are case 55.
    accepted = [one for one in pad_topk.cases() if not one.status]
    yield Variant(pad_topk.build(), from_cases(accepted, spaces=device("input")), sides=sides)


@case(5, "k of the host for a TopK, k - 1 for the next", "0/0", h2d=0)
def topk_twice():
    spaces = {**device("array"), **host("array_length")}
    yield Variant(topk_chain.build(), from_cases(topk_chain.cases(), spaces=spaces))


@case(6, "case 5 with k on the device", "1e/0", h2d=0)
def topk_twice_on_device():
    yield Variant(topk_chain.build(), from_cases(topk_chain.cases(), spaces=device("array", "array_length")),
                  flags=["--place", "array_length=device"], sides={"array_length": "device"})


@case(7, "case 3 with pads from the application", "0/0", h2d=0)
def given_pads():
    g = Graph("given_pads")
    g.input("image", FLOAT, [1, 3, "h", "w"])
    g.input("pads", INT64, [8])
    g.output(g.op("Pad", "image", "pads", out="padded"), FLOAT, [1, 3, None, None])
    rng = random("given_pads")
    data = []
    for (h, w), bottom, right, status in [((63, 31), 1, 1, ""), ((32, 32), 32, 32, ""), ((5, 9), 0, 7, ""),
                                          ((5, 9), -6, 0, "INVALID_ARGUMENT"), ((4, 4), 28, 28, "")]:
        data.append(Data({"image": normal(rng, 1, 3, h, w), "pads": ints(0, 0, 0, 0, 0, 0, bottom, right)},
                         {**device("image"), **host("pads")}, status=status))
    yield Variant(g.model(), data, sides={"image": "device", "padded": "device"})

    # What the application supplies is what case 3 computes, and said to be.
    data = []
    for (h, w), bottom, right, status in [((63, 31), 1, 1, ""), ((32, 32), 32, 32, ""), ((5, 9), 27, 23, ""),
                                          ((5, 9), 27, 22, "OUT_OF_RANGE"), ((64, 1), 32, 31, "")]:
        data.append(Data({"image": normal(rng, 1, 3, h, w), "pads": ints(0, 0, 0, 0, 0, 0, bottom, right)},
                         {**device("image"), **host("pads")}, status=status))
    said = "pads=[0, 0, 0, 0, 0, 0, 32 - h mod 32, 32 - w mod 32]"
    yield Variant(g.model(), data, name="asserted", flags=["--value", said],
                  sides={"image": "device", "pads": "host both", "padded": "device"})


@case(8, "two integer inputs, their sum a dim of a Reshape before a MatMul", "0/0", h2d=0)
def integer_inputs():
    rng = random("integer_inputs")
    g = Graph("integer_inputs")
    for name in ("dim0", "dim1"):
        g.input(name, INT64, [])
    g.input("x", FLOAT, ["n"])
    rows = g.op("Unsqueeze", g.op("Add", "dim0", "dim1"), g.const([0]))
    table = g.op("Reshape", "x", g.op("Concat", rows, g.const([4]), axis=0))
    g.output(g.op("MatMul", table, g.const(normal(rng, 4, 5)), out="y"), FLOAT, ["rows", 5])
    data = [Data({"dim0": scalar(a), "dim1": scalar(b), "x": normal(rng, (a + b) * 4)}, device("x"))
            for a, b in [(1, 2), (7, 0), (20, 13), (0, 0), (0, 1)]]
    yield Variant(g.model(), data, sides={"dim0": "host", "dim1": "host", "x": "device"})


@case(9, "a shape, doubled, is an output and nothing else reads it", "0/0", h2d=0)
def shape_output():
    g = Graph("shape_output")
    g.input("x", FLOAT, ["a", "b", 7])
    g.output(g.op("Mul", g.op("Shape", "x"), g.const([2]), out="twice"), INT64, [3])
    g.output(g.op("Relu", "x", out="y"), FLOAT, ["a", "b", 7])
    yield Variant(g.model(), [Data({"x": x}, device("x")) for x in images("shape_output", [(2, 3, 7), (1, 1, 7), (40, 9, 7)])],
                  sides={"twice": "host both"})


@case(13, "an initializer is a shape here and data there", "0/0", h2d=0)
def shape_and_data():
    rng = random("shape_and_data")
    for is_input in (False, True):
        g = Graph("shape_and_data")
        g.input("x", FLOAT, ["n"])
        if is_input:
            g.input("shape", INT64, [2])
        g.const([2, -1], name="shape")
        table = g.op("Reshape", "x", "shape")
        g.output(g.op("ReduceSum", table, g.const([1]), keepdims=0, out="sums"), FLOAT, ["rows"])
        spread = g.op("Mul", g.op("Unsqueeze", "x", g.const([1])), g.op("Cast", "shape", to=FLOAT), out="spread")
        g.output(spread, FLOAT, ["n", 2])
        data = [Data({"x": normal(rng, n)}, device("x")) for n in (12, 2, 60)]
        if is_input:
            data += [Data({"x": normal(rng, a * b), "shape": ints(a, b)}, {**device("x"), **host("shape")})
                     for a, b in [(3, 4), (2, 6), (1, 30)]]
            data.append(Data({"x": normal(rng, 12)}, device("x")))
        yield Variant(g.model(), data, name="overridden" if is_input else "")


@case(20, "a large input is used for its shape only, with and without memory", "0/0", h2d=0)
def large_shape():
    g = Graph("large_shape")
    g.input("large", FLOAT, ["n", 1024, 256])
    g.input("row", FLOAT, [1, 3])
    count = g.op("Gather", g.op("Shape", "large"), g.const([0]), axis=0)
    g.output(g.op("Expand", "row", g.op("Concat", count, g.const([3]), axis=0), out="rows"), FLOAT, ["n", 3])
    rng = random("large_shape")
    data = [Data({"large": np.zeros((n, 1024, 256), np.float32), "row": normal(rng, 1, 3)},
                 {"large": space, **device("row")})
            for n, space in [(4, "null"), (4, "host"), (1, "device"), (9, "null"), (0, "null")]]
    yield Variant(g.model(), data)


@case(21, "the shape of strings", "0/0", h2d=0)
def string_shape():
    g = Graph("string_shape")
    g.input("words", STRING, ["n", "m"])
    g.input("row", FLOAT, ["m"])
    g.output(g.op("Expand", "row", g.op("Shape", "words"), out="rows"), FLOAT, ["n", "m"])
    rng = random("string_shape")
    data = [Data({"words": np.full((n, m), "", object), "row": normal(rng, m)}, {"words": "null", **device("row")})
            for n, m in [(2, 3), (1, 7), (30, 1)]]
    yield Variant(g.model(), data, oracle=lambda i: [np.broadcast_to(i["row"], i["words"].shape)])


@case(22, "a dim as float times 64 MB", "0/0", h2d=0)
def scaled_by_dim():
    g = Graph("scaled_by_dim")
    g.input("x", FLOAT, ["n"])
    g.input("y", FLOAT, ["a", "b"])
    rows = g.op("Squeeze", g.op("Cast", g.op("Gather", g.op("Shape", "y"), g.const([0]), axis=0), to=FLOAT))
    g.output(g.op("Mul", "x", rows, out="scaled"), FLOAT, ["n"])
    rng = random("scaled_by_dim")
    data = [Data({"x": rng.random(n, np.float32), "y": np.zeros((a, 2), np.float32)}, {**device("x"), "y": "null"})
            for n, a in [(5, 3), (16 << 20, 7), (1000, 1)]]
    yield Variant(g.model(), data, sides={"x": "device", "scaled": "device"}, limits={"launches": 1})


@case(23, "Range as indices of a Gather, Range as axes of a reduction", "0/0", h2d=0)
def ranges():
    g = Graph("ranges")
    g.input("x", FLOAT, ["n", 6])
    count = g.op("Squeeze", g.op("Gather", g.op("Shape", "x"), g.const([0]), axis=0))
    indices = g.op("Range", g.const(0), count, g.const(1), out="indices")
    table = g.const(normal(random("ranges table"), 4096, 3))
    g.output(g.op("Gather", table, indices, axis=0, out="rows"), FLOAT, ["n", 3])
    rank = g.op("Squeeze", g.op("Shape", g.op("Shape", "x")))
    g.output(g.op("ReduceSum", "x", g.op("Range", g.const(0), rank, g.const(1), out="axes"), keepdims=0, out="sum"),
             FLOAT, [])
    yield Variant(g.model(), [Data({"x": x}, device("x")) for x in images("ranges", [(3, 6), (1, 6), (0, 6), (4096, 6)])],
                  sides={"rows": "device", "axes": "host both"})


@case(24, "int32 token ids times a mask, then an embedding", "0/0", h2d=0)
def token_ids():
    g = Graph("token_ids")
    for name in ("ids", "mask"):
        g.input(name, INT32, ["batch", "length"])
    table = g.const(normal(random("token_ids table"), 512, 16))
    g.output(g.op("Gather", table, g.op("Mul", "ids", "mask", out="kept"), axis=0, out="vectors"), FLOAT,
             ["batch", "length", 16])
    rng = random("token_ids")
    data = [Data({"ids": rng.integers(0, 512, shape, np.int32), "mask": rng.integers(0, 2, shape, np.int32)},
                 device("ids", "mask")) for shape in [(8, 4096), (1, 1), (0, 5), (3, 77)]]
    yield Variant(g.model(), data, sides={name: "device" for name in ("ids", "mask", "kept", "vectors")})


@case(38, "a dim as float divides on the device and is a dim again", "0/0", h2d=0)
def dim_on_both_sides():
    g = Graph("dim_on_both_sides")
    g.input("x", FLOAT, ["n", "m"])
    count = g.op("Cast", g.op("Gather", g.op("Shape", "x"), g.const([1]), axis=0), to=FLOAT)
    scaled = g.op("Div", "x", count)
    shape = g.op("Concat", g.op("Cast", count, to=INT64), g.const([-1]), axis=0)
    g.output(g.op("Reshape", scaled, shape, out="y"), FLOAT, ["m", "n"])
    yield Variant(g.model(), [Data({"x": x}, device("x")) for x in images("dim_on_both", [(3, 4), (1, 9), (64, 33)])])


@case(39, "one step with a cache of keys: position from its length", "0/0", h2d=0)
def cache_step():
    g = Graph("cache_step")
    g.input("cache", FLOAT, [1, 2, "past", 8])
    g.input("keys", FLOAT, [1, 2, "steps", 8])
    g.const(normal(random("cache_step table"), 2048, 8), name="table")
    past = g.op("Gather", g.op("Shape", "cache"), g.const([2]), axis=0)
    total = g.op("Add", past, g.op("Gather", g.op("Shape", "keys"), g.const([2]), axis=0))
    positions = g.op("Range", g.op("Squeeze", past), g.op("Squeeze", total), g.const(1))
    moved = g.op("Add", "keys", g.op("Gather", "table", positions, axis=0))
    grown = g.op("Concat", "cache", moved, axis=2, out="grown")
    g.output(grown, FLOAT, [1, 2, "total", 8])
    window = g.op("Slice", "table", g.const([0]), total, g.const([0]))
    g.output(g.op("Add", grown, window, out="y"), FLOAT, [1, 2, "total", 8])
    rng = random("cache_step")
    data = [Data({"cache": normal(rng, 1, 2, past, 8), "keys": normal(rng, 1, 2, steps, 8)}, device("cache", "keys"))
            for past, steps in [(4, 1), (5, 1), (0, 7), (100, 3)]]
    yield Variant(g.model(), data)


@case(41, "Expand and Reshape that change nothing", "0/0", h2d=0)
def views():
    g = Graph("views")
    g.input("x", FLOAT, ["a", "b"])
    g.input("y", FLOAT, ["a", "b"])
    same = g.op("Expand", "x", g.op("Shape", "y"))
    rows = g.op("Gather", g.op("Shape", same), g.const([0]), axis=0)
    flat = g.op("Reshape", same, g.op("Concat", rows, g.const([-1]), axis=0))
    g.output(g.op("Relu", flat, out="z"), FLOAT, ["a", "b"])
    data = [Data({"x": x, "y": np.zeros_like(x)}, {**device("x"), "y": "null"})
            for x in images("views", [(3, 4), (1, 9), (64, 33)])]
    yield Variant(g.model(), data, limits={"launches": 1, "d2d": 0})

    g = Graph("stays")
    g.input("x", FLOAT, ["a", "b"])
    g.output(g.op("Relu", g.op("Expand", "x", g.const([1, 1])), out="z"), FLOAT, ["a", "b"])
    yield Variant(g.model(), [Data({"x": x}, device("x")) for x in images("stays", [(3, 4), (1, 1), (7, 2)])],
                  name="by_ones", limits={"launches": 1, "d2d": 0})

    # A leading dim that may be 0 means "copy the dim": with allowzero it is the dim itself.
    g = Graph("zero_means_zero")
    g.input("x", FLOAT, ["a", "b"])
    g.output(g.op("Relu", g.op("Reshape", "x", g.op("Shape", "x"), allowzero=1), out="z"), FLOAT, ["a", "b"])
    yield Variant(g.model(), [Data({"x": x}, device("x")) for x in images("zero", [(3, 4), (0, 5), (5, 0)])],
                  name="allowzero", limits={"launches": 1, "d2d": 0})


@case(42, "Reshape with 0, -1 and allowzero, empty tensors, scalars", "0/0", h2d=0)
def odd_reshapes():
    g = Graph("odd_reshapes")
    g.input("x", FLOAT, ["a", "b", 4])
    g.input("one", FLOAT, [1, 1])
    bent = g.op("Relu", "x")
    g.output(g.op("Reshape", bent, g.const([0, -1]), out="two"), FLOAT, ["a", None])
    g.output(g.op("Reshape", g.op("Neg", "x"), g.op("Shape", "x"), allowzero=1, out="same"), FLOAT, ["a", "b", 4])
    g.output(g.op("Reshape", "one", g.const(np.zeros(0, np.int64)), out="scalar"), FLOAT, [])
    rng = random("odd_reshapes")
    data = [Data({"x": normal(rng, a, b, 4), "one": normal(rng, 1, 1)}, device("x", "one"),
                 limits={} if a * b else {"launches": 1})
            for a, b in [(3, 2), (1, 50), (2, 0), (4, 1)]]
    yield Variant(g.model(), data)

    g = Graph("empty")
    g.input("x", FLOAT, ["a", "b"])
    g.output(g.op("Neg", g.op("Exp", "x"), out="y"), FLOAT, ["a", "b"])
    yield Variant(g.model(), [Data({"x": x}, device("x"), limits={} if x.size else {"launches": 0})
                              for x in images("empty", [(2, 3), (0, 3), (5, 0), (1, 1)])], name="empty")


@case(48, "the same dims and another value of a shape input", "0/0", h2d=0)
def other_values():
    g = Graph("other_values")
    g.input("x", FLOAT, ["n"])
    g.input("shape", INT64, [2])
    g.output(g.op("Softmax", g.op("Reshape", "x", "shape"), axis=1, out="y"), FLOAT, ["a", "b"])
    rng = random("other_values")
    data = [Data({"x": normal(rng, 24), "shape": ints(*shape)}, {**device("x"), **host("shape")})
            for shape in [(2, 12), (4, 6), (24, 1), (4, 6)]]
    data.append(Data({"x": normal(rng, 24), "shape": ints(4, 6)}, {**device("x"), **host("shape")},
                     limits={"shape_program_runs": 0}))
    yield Variant(g.model(), data)


@case(49, "a vector of dims is read by a kernel", "0/0", h2d=1)
def vector_of_dims():
    g = Graph("vector_of_dims")
    g.input("x", FLOAT, ["a", "b", "c"])
    g.input("z", FLOAT, ["n", 3])
    g.output(g.op("Mul", "z", g.op("Cast", g.op("Shape", "x"), to=FLOAT), out="y"), FLOAT, ["n", 3])
    rng = random("vector_of_dims")
    data = [Data({"x": np.zeros(dims, np.float32), "z": normal(rng, n, 3)}, {"x": "null", **device("z")})
            for dims, n in [((2, 3, 4), 5), ((1, 1, 1), 1), ((0, 8, 9), 300)]]
    yield Variant(g.model(), data)


@case(53, "operators that need type or dims only, fed by a large tensor of the host", "0/0", h2d=0)
def dims_only():
    def like(name, make, dtype, dims, oracle):
        g = Graph(name)
        g.input("large", FLOAT, ["n", "m"])
        g.input("small", FLOAT, [3])
        value = make(g)
        g.output(g.op("Identity", value, out="y"), dtype, dims)
        rng = random(name)
        data = [Data({"large": np.zeros((n, m), np.float32), "small": normal(rng, 3)},
                     {"large": space, **device("small")})
                for n, m, space in [(300, 500, "host"), (4, 7, "null"), (1, 1, "device")]]
        return Variant(g.model(), data, name=name.replace("_", "-"), oracle=oracle)

    def zeros(operator, **attributes):
        return lambda g: g.op("Mul", g.op(operator, "large", **attributes), g.const(0.0))

    for operator in ("RandomUniformLike", "RandomNormalLike"):
        yield like(operator, zeros(operator), FLOAT, ["n", "m"], lambda i: [np.zeros_like(i["large"])])
    yield like("EyeLike", lambda g: g.op("EyeLike", "large", k=1), FLOAT, ["n", "m"],
               lambda i: [np.eye(*i["large"].shape, k=1, dtype=np.float32)])
    yield like("CastLike", lambda g: g.op("CastLike", "small", "large"), FLOAT, [3], lambda i: [i["small"]])

    g = Graph("dropout_mask")
    g.input("large", FLOAT, ["n", "m"])
    _, mask = g.op("Dropout", "large", out=["unused", "mask"])
    g.output(g.op("Cast", mask, to=INT32, out="y"), INT32, ["n", "m"])
    data = [Data({"large": np.zeros(shape, np.float32)}, {"large": space})
            for shape, space in [((300, 500), "host"), ((4, 7), "null"), ((1, 1), "device")]]
    yield Variant(g.model(), data, name="Dropout-mask", oracle=lambda i: [np.ones(i["large"].shape, np.int32)])
