# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products, convolutions and other windows."""
import math

from values import F32, I32, LARGEST, ONE, broadcast, dims, elements, finer, is_static, least, require, static
from .family import of


@of("linear")
def matmul(m):
    a = m.any(lambda v: v.rank, (F32, F32, F32, I32))
    k = a.shape[-1]
    require(elements([k]) > 0)
    columns, vector = m.dim(), m.chance(0.15)
    batch = m.partner(a.shape[:-2]) if a.rank > 2 and m.chance(0.5) else (m.dim(),) if m.chance(0.1) else ()
    b = m.operand(a.dtype, (k,) if vector else (*batch, k, columns))
    shape = [*broadcast(a.shape[:-2], b.shape[:-2]), *a.shape[-2:-1], *b.shape[-1:][:0 if vector else 1]]
    require(elements(shape) * max(k) <= 20_000)
    grid = None if finer(a, b) is None else a.grid + b.grid
    m.value(m.op("MatMul", a, b), a.dtype, shape, a.bound * b.bound * max(1, *k), grid)


@of("linear")
def transposed_gemm(m):
    """With a Transpose before either operand at times."""
    a = m.any(rank=2)
    transpose_a, transpose_b = m.choice([0, 0, 1]), m.choice([0, 1])
    rows, k = reversed(a.shape) if transpose_a else a.shape
    columns = m.dim()
    b = m.operand(F32, (columns, k) if transpose_b else (k, columns))
    if m.chance(0.4):
        b = m.moved(m.op("Transpose", b, perm=[1, 0]), b, b.shape[::-1])
        transpose_b = 1 - transpose_b
    c_shape = m.choice([None, (columns,), (rows, columns), (rows, ONE), (ONE, columns), (), (ONE,)])
    c = [] if c_shape is None else [m.operand(F32, tuple(c_shape))]
    alpha, beta = m.choice([1.0, 1.0, 0.5]), m.choice([1.0, 1.0, 2.0])
    m.value(m.op("Gemm", a, b, *c, transA=transpose_a, transB=transpose_b, alpha=alpha, beta=beta), F32, (rows, columns),
            a.bound * b.bound * max(1, *k) + 2 * sum(v.bound for v in c),
            None if finer(a, b, *c) is None else max(a.grid + b.grid + 1, *(v.grid for v in c), 0))


EINSUMS = ["ij,jk->ik", "bij,bkj->bik", "ij->ji", "ij->i", "bhid,bhjd->bhij", "ij,j->i", "i,j->ij", "ijk,kl->ijl", "ij,ij->"]


@of("linear")
def einsum(m):
    equation = m.choice(EINSUMS)
    left, _, right = equation.partition("->")
    terms = left.split(",")
    a = m.any(rank=len(terms[0]))
    of_letter = dict(zip(terms[0], a.shape))
    b = [m.operand(F32, tuple(of_letter.setdefault(letter, m.dim()) for letter in term)) for term in terms[1:]]
    count = elements([dim for letter, dim in of_letter.items() if letter not in right])
    require(elements(list(of_letter.values())) <= 20_000)
    operands = [a, *b]
    m.value(m.op("Einsum", *operands, equation=equation), F32, [of_letter[letter] for letter in right],
            math.prod(v.bound for v in operands) * max(count, 1),
            None if finer(*operands) is None else sum(v.grid for v in operands))


def window(m, spatial, most=3):
    """(kernel, strides, dilations, pads of either side), that fit in all data sets, and the extents behind."""
    kernel = [m.random.randint(1, most) for _ in spatial]
    strides, dilations = ([m.choice([1, 1, 2]) for _ in spatial] for _ in range(2))
    begins, ends = ([m.random.randint(0, size - 1) for size in kernel] for _ in range(2))
    return kernel, strides, dilations, [*begins, *ends]


def behind(spatial, kernel, strides, dilations, pads, ceil=False):
    shape = []
    for axis, dim in enumerate(spatial):
        reach = dilations[axis] * (kernel[axis] - 1) + 1
        around = pads[axis] + pads[axis + len(spatial)]
        require(min(dim) + around >= reach and min(dim) > 0)
        rounding = strides[axis] - 1 if ceil else 0
        out = dims(lambda extent: (extent + around - reach + rounding) // strides[axis] + 1, dim)
        # A window that begins in what is padded behind is left out.
        if ceil:
            out = dims(lambda count, extent: count - ((count - 1) * strides[axis] >= extent + pads[axis]), out, dim)
        shape.append(out)
    return shape


def image(m, dtypes=(F32,)):
    return m.any(lambda v: v.rank in (3, 4) and least(v.shape) > 0, dtypes, rank=m.choice([3, 4]))


@of("window")
def conv(m):
    """With a bias or without, a Relu or a Clip behind at times."""
    value = image(m)
    n, channels, *spatial = value.shape
    require(is_static(channels))
    kernel, strides, dilations, pads = window(m, spatial)
    group = m.choice([1, 1, channels[0], m.choice([g for g in range(1, channels[0] + 1) if channels[0] % g == 0])])
    outputs = group * m.choice([1, 2, 3])
    w = m.operand(F32, tuple(map(static, (outputs, channels[0] // group, *kernel))))
    b = [m.operand(F32, (static(outputs),))] if m.chance(0.6) else []
    shape = [n, static(outputs), *behind(spatial, kernel, strides, dilations, pads)]
    require(elements(shape) * math.prod(kernel) * channels[0] // group <= 100_000)
    bound = value.bound * w.bound * channels[0] // group * math.prod(kernel) + LARGEST
    grid = None if finer(value, w, *b) is None else value.grid + w.grid
    result = m.value(m.op("Conv", value, w, *b, strides=strides, dilations=dilations, pads=pads, group=group), F32, shape,
                     bound, None if grid is None else max(grid, *(v.grid for v in b), 0))
    if m.chance(0.4):
        result = m.same("Relu", result)
        if m.chance(0.5):
            m.value(m.op("Clip", result, m.const(0.0), m.const(6.0)), F32, shape, max(6, bound), result.grid)


@of("window")
def conv_same(m):
    value = image(m)
    n, channels, *spatial = value.shape
    require(is_static(channels))
    outputs, kernel = m.choice([1, 2, 5]), [m.choice([1, 2, 3]) for _ in spatial]
    strides = [m.choice([1, 2]) for _ in spatial]
    w = m.operand(F32, tuple(map(static, (outputs, channels[0], *kernel))))
    shape = [n, static(outputs), *(dims(lambda extent: -(-extent // stride), dim) for dim, stride in zip(spatial, strides))]
    bound = value.bound * w.bound * channels[0] * math.prod(kernel)
    m.value(m.op("Conv", value, w, auto_pad=m.choice(["SAME_UPPER", "SAME_LOWER"]), strides=strides), F32, shape, bound,
            None if finer(value, w) is None else value.grid + w.grid)


@of("window")
def conv_transpose(m):
    value = image(m)
    n, channels, *spatial = value.shape
    require(is_static(channels))
    kernel, strides, dilations, pads = window(m, spatial)
    group = m.choice([1, 1, channels[0]])
    outputs = m.choice([1, 2])
    w = m.operand(F32, tuple(map(static, (channels[0], outputs, *kernel))))
    shape = [n, static(outputs * group)]
    for axis, dim in enumerate(spatial):
        reach = dilations[axis] * (kernel[axis] - 1) + 1
        around = pads[axis] + pads[axis + len(spatial)]
        shape.append(dims(lambda extent: strides[axis] * (extent - 1) + reach - around, dim))
    require(least(shape) > 0)
    bound = value.bound * w.bound * channels[0] * math.prod(kernel)
    m.value(m.op("ConvTranspose", value, w, strides=strides, dilations=dilations, pads=pads, group=group), F32, shape, bound,
            None if finer(value, w) is None else value.grid + w.grid)


@of("window")
def pool(m):
    value = image(m)
    n, channels, *spatial = value.shape
    kernel, strides, dilations, pads = window(m, spatial)
    ceil = m.choice([0, 0, 1])
    operator = m.choice(["MaxPool", "AveragePool"])
    attributes = {"count_include_pad": m.choice([0, 1])} if operator == "AveragePool" else {}
    # Of a window without an element nobody says what the largest is.
    require(all(min(dim) >= dilation for dim, dilation in zip(spatial, dilations)))
    shape = [n, channels, *behind(spatial, kernel, strides, dilations, pads, ceil)]
    m.value(m.op(operator, value, kernel_shape=kernel, strides=strides, dilations=dilations, pads=pads, ceil_mode=ceil,
                 **attributes), F32, shape, value.bound, value.grid if operator == "MaxPool" else None)


@of("window")
def global_pool(m):
    value = image(m)
    operator = m.choice(["GlobalMaxPool", "GlobalAveragePool"])
    m.value(m.op(operator, value), F32, [*value.shape[:2], *[ONE] * (value.rank - 2)], value.bound,
            value.grid if operator == "GlobalMaxPool" else None)


@of("window")
def resize(m):
    value = m.any(rank=4)
    require(least(value.shape) > 0)
    n, c, h, w = value.shape
    factors = m.choice([2, 3]), m.choice([1, 2])
    shape = n, c, dims(lambda x: x * factors[0], h), dims(lambda x: x * factors[1], w)
    mode = m.choice(["nearest", "linear"])
    scales = m.const([1.0, 1.0, *map(float, factors)])
    rule = m.choice(["asymmetric", "half_pixel"])
    m.value(m.op("Resize", value, "", scales, mode=mode, coordinate_transformation_mode=rule, nearest_mode="floor"), F32,
            shape, value.bound, value.grid if mode == "nearest" else None)
