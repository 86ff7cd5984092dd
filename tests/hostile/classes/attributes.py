# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attributes and constant operands outside what their operators allow, and sizes no machine has."""
import numpy as np
from onnx import helper

from .base import FLOAT, INT64, STRING, UINT8, Table, constant, model, value

table = Table()
IMAGE = (1, 4, 8, 8)
INT64_MIN = -(2**63)


def one(op, *constants, x=(2, 3), y=None, outputs=1, **attributes):
    """A model of one node: x, then `constants` as initializers (None: left out), then attributes."""
    names = ["" if c is None else f"c{i}" for i, c in enumerate(constants)]
    results = ["y"] + [f"y{i}" for i in range(1, outputs)]
    initializers = [constant(n, c) for n, c in zip(names, constants) if n]
    proto = model([helper.make_node(op, ["x", *names], results, name="n", **attributes)],
                  inputs=[value("x", dims=x)], outputs=[value("y", dims=y)], initializers=initializers)
    if "domain" in attributes:
        proto.opset_import.append(helper.make_opsetid(attributes["domain"], 3))
    return lambda folder: proto


def bad(name, op, *constants, code=4, **rest):
    table.row(name, code, one(op, *constants, **rest))


def i64(*values):
    return np.array(values, np.int64)


# Every operator with an axis, every axis that is none.
for op, attribute, constants in [("Softmax", "axis", ()), ("Concat", "axis", ()), ("Flatten", "axis", ()),
                                 ("ArgMax", "axis", ()), ("Gather", "axis", (i64(0),)), ("Split", "axis", (i64(1, 1),))]:
    for text, axis in [("rank", 2), ("below", -3), ("int32_max", 2**31 - 1), ("int64_min", INT64_MIN)]:
        if (op, text) == ("Flatten", "rank"):
            continue  # Flatten alone allows axis = rank.
        bad(f"{op.lower()}_axis_{text}", op, *constants, outputs=2 if op == "Split" else 1, **{attribute: axis})
for text, reduced, inserted in [("rank", i64(2), i64(3)), ("below", i64(-3), i64(-4)), ("twice", i64(0, -2), i64(1, 1)),
                                ("int64_min", i64(INT64_MIN), i64(INT64_MIN))]:
    if text != "twice":  # The standard does not say that axes of a reduction differ.
        bad(f"reduce_axes_{text}", "ReduceSum", reduced)
    bad(f"unsqueeze_axes_{text}", "Unsqueeze", inserted)
bad("squeeze_of_3", "Squeeze", i64(1))

bad("perm_twice", "Transpose", perm=[0, 0])
bad("perm_short", "Transpose", perm=[0])
bad("perm_out_of_range", "Transpose", perm=[0, 2])

KERNEL = np.ones((4, 4, 3, 3), np.float32)
for name, attributes in [("stride_0", dict(strides=[0, 1])), ("stride_negative", dict(strides=[-1, 1])),
                         ("dilation_0", dict(dilations=[1, 0])), ("group_0", dict(group=0)),
                         ("group_3", dict(group=3)), ("kernel_0", dict(kernel_shape=[0, 3])),
                         ("kernel_not_the_weight", dict(kernel_shape=[2, 2])), ("pads_short", dict(pads=[1, 1])),
                         ("pads_negative", dict(pads=[-100, 0, 0, 0])), ("pads_2_to_62", dict(pads=[2**62] * 4)),
                         ("auto_pad_text", dict(auto_pad="SOMEHOW")), ("strides_long", dict(strides=[1, 1, 1]))]:
    bad(f"conv_{name}", "Conv", KERNEL, x=IMAGE, **attributes)
bad("conv_channels", "Conv", KERNEL, x=(1, 5, 8, 8))
bad("conv_kernel_larger_than_image", "Conv", KERNEL, x=(1, 4, 1, 1))
bad("conv_rank_2", "Conv", np.ones((4, 3), np.float32), x=(2, 3))
for name, attributes in [("kernel_0", dict(kernel_shape=[0, 0])), ("stride_0", dict(kernel_shape=[2, 2], strides=[0, 0])),
                         ("kernel_missing", {}), ("kernel_rank", dict(kernel_shape=[2]))]:
    bad(f"pool_{name}", "MaxPool", x=IMAGE, **attributes)

bad("reshape_two_unknown", "Reshape", i64(-1, -1))
bad("reshape_minus_two", "Reshape", i64(-2, 3))
bad("reshape_other_count", "Reshape", i64(4, 2))
bad("reshape_overflow", "Reshape", i64(2**62, 2**62))
bad("reshape_zero_beyond_rank", "Reshape", i64(2, 3, 0))
bad("split_sum", "Split", i64(1, 2), outputs=2)
bad("split_negative", "Split", i64(-1, 3), outputs=2)
bad("split_num_outputs_0", "Split", num_outputs=0)
bad("depth_to_space_0", "DepthToSpace", x=IMAGE, blocksize=0)
bad("depth_to_space_2_to_32", "DepthToSpace", x=IMAGE, blocksize=2**32)
bad("space_to_depth_negative", "SpaceToDepth", x=IMAGE, blocksize=-2)
bad("slice_step_0", "Slice", i64(0), i64(2), i64(0), i64(0))
bad("slice_axes_twice", "Slice", i64(0, 0), i64(1, 1), i64(0, 0))
bad("slice_starts_and_ends", "Slice", i64(0, 0), i64(1))
bad("gather_index", "Gather", i64(2))
bad("cast_to_999", "Cast", to=999)
bad("expand_mismatch", "Expand", i64(2, 5))
bad("tile_short", "Tile", i64(2))
bad("tile_negative", "Tile", i64(-1, 1))
bad("pad_short", "Pad", i64(0, 0, 1))
bad("pad_mode", "Pad", i64(0, 0, 1, 1), mode="sideways")
bad("topk_negative", "TopK", i64(-1), outputs=2)
bad("topk_beyond", "TopK", i64(9), outputs=2)
bad("resize_scales_and_sizes", "Resize", None, np.float32([1, 1, 2, 2]), i64(1, 4, 16, 16), x=IMAGE)
bad("resize_scale_0", "Resize", None, np.float32([1, 1, 0, 2]), x=IMAGE)
bad("resize_scale_nan", "Resize", None, np.float32([1, 1, np.nan, 2]), x=IMAGE)
bad("resize_scale_negative", "Resize", None, np.float32([1, 1, -1, 2]), x=IMAGE)
# Lists of ai.onnx.ml that do not have the lengths that their features, classes and pairs need.
F = [1.0, 2.0, 3.0]
LABELS = dict(classlabels_ints=[4, 5])
MACHINE = dict(support_vectors=[0.0] * 6, coefficients=[1.0, -1.0], rho=[0.0], vectors_per_class=[1, 1], **LABELS)
for name, op, attributes in [
        ("scaler", "Scaler", dict(scale=[1.0, 2.0])), ("imputer", "Imputer", dict(imputed_value_floats=[1.0, 2.0])),
        ("imputer_type", "Imputer", dict(imputed_value_int64s=[1])),
        ("vectorizer", "FeatureVectorizer", dict(inputdimensions=[3, 3])),
        ("vectorizer_negative", "FeatureVectorizer", dict(inputdimensions=[-1])),
        ("one_hot", "OneHotEncoder", dict(cats_strings=["a"])), ("zip_map", "ZipMap", dict(classlabels_int64s=[1, 2])),
        ("regressor", "LinearRegressor", dict(coefficients=F, targets=2)),
        ("regressor_targets", "LinearRegressor", dict(coefficients=F, targets=INT64_MIN)),
        ("regressor_transform", "LinearRegressor", dict(coefficients=F, post_transform="TANH")),
        ("svm_regressor", "SVMRegressor", dict(coefficients=F, rho=[0.0], n_supports=2**62)),
        ("svm_regressor_rho", "SVMRegressor", dict(coefficients=F)),
        ("mapper", "CategoryMapper", dict(cats_int64s=[1]))]:
    bad(f"ml_{name}", op, domain="ai.onnx.ml", **attributes)
for name, op, attributes in [
        ("classifier", "LinearClassifier", dict(coefficients=F * 2, intercepts=[0.0] * 3, **LABELS)),
        ("classifier_labels", "LinearClassifier", dict(coefficients=F)),
        ("classifier_probit", "LinearClassifier", dict(coefficients=F, intercepts=[0.0], post_transform="PROBIT", **LABELS)),
        ("svm_vectors", "SVMClassifier", {**MACHINE, "support_vectors": [0.0] * 8}),
        ("svm_per_class", "SVMClassifier", {**MACHINE, "vectors_per_class": [2**62, 2**62]}),
        ("svm_negative", "SVMClassifier", {**MACHINE, "vectors_per_class": [3, -1]}),
        ("svm_coefficients", "SVMClassifier", {**MACHINE, "coefficients": F}),
        ("svm_rho", "SVMClassifier", {**MACHINE, "rho": F}),
        ("svm_chances", "SVMClassifier", {**MACHINE, "prob_a": [1.0]}),
        ("svm_kernel", "SVMClassifier", {**MACHINE, "kernel_type": "COSINE"}),
        ("svm_params", "SVMClassifier", {**MACHINE, "kernel_params": [1.0]}),
        # 60,000 classes have 1.8 billion pairs, of which the file would have a number each.
        ("svm_pairs", "SVMClassifier", dict(support_vectors=F, coefficients=[0.0] * 59999, rho=[0.0],
                                            vectors_per_class=[1] + [0] * 59999, classlabels_ints=list(range(60000))))]:
    bad(f"ml_{name}", op, outputs=2, domain="ai.onnx.ml", **attributes)

bad("lstm_weight", "LSTM", np.ones((1, 8, 3), np.float32), np.ones((1, 8, 2), np.float32), x=(5, 1, 4), outputs=1,
    hidden_size=2)


def alone(op, *constants, dtype=FLOAT, **attributes):
    """A model of one node over constants only, beside a graph that does nothing."""
    names = [f"c{i}" for i in range(len(constants))]
    return lambda folder: model([helper.make_node(op, names, ["y"], name="n", **attributes)],
                                outputs=[value("y", dtype, None)],
                                initializers=[constant(n, c) for n, c in zip(names, constants)])


table.row("range_delta_0", 4, alone("Range", np.int64(0), np.int64(5), np.int64(0), dtype=INT64))
table.row("constant_of_shape_negative", 4, alone("ConstantOfShape", i64(3, -2)))



def quantised_product(zero=(), scale=()):
    """x of bytes by constant ones, with the zero point of x and the scale of the ones as given."""
    constants = {"x_scale": np.float32(0.1), "x_zero": np.zeros(zero, np.uint8), "b": np.ones((3, 2), np.uint8),
                 "b_scale": np.ones(scale, np.float32), "b_zero": np.uint8(0), "y_scale": np.float32(0.1),
                 "y_zero": np.uint8(0)}
    return lambda folder: model([helper.make_node("QLinearMatMul", ["x", *constants], ["y"], name="n")],
                                inputs=[value("x", UINT8)], outputs=[value("y", UINT8, None)],
                                initializers=[constant(name, array) for name, array in constants.items()])


def attention(mask):
    heads = [value(name, dims=(2, 2, 6, 8)) for name in "qkv"]
    return lambda folder: model([helper.make_node("Attention", [*"qkv", "m"], ["y"], name="n")], opset=23,
                                inputs=[*heads, value("m", dims=mask)], outputs=[value("y", dims=None)])


# Parameters that do not fit what they belong to.
table.row("quantised_zero_points_7", 4, quantised_product(zero=7))
table.row("quantised_scale_of_rank_2", 4, quantised_product(scale=(5, 2)))
table.row("attention_mask_of_fewer_queries", 4, attention((2, 1, 4, 6)))
# Nothing to pad with.
table.row("crop_or_pad_of_strings", 5, lambda folder: model(
    [helper.make_node("CenterCropPad", ["x", "s"], ["y"], name="n")], opset=18, initializers=[constant("s", i64(3, 3))],
    inputs=[value("x", STRING, (2, 2))], outputs=[value("y", STRING, None)]))

# Too large to allocate; the flag that raises the limit belongs in the message.
table.row("constant_of_shape_huge", 6, alone("ConstantOfShape", i64(10**6, 10**6)))
table.row("range_huge", 6, alone("Range", np.int64(0), np.int64(10**12), np.int64(1), dtype=INT64))
bad("expand_huge", "Expand", i64(10**6, 10**6, 2, 3), code=6)
bad("tile_huge", "Tile", i64(10**6, 10**6), code=6)
bad("pad_huge", "Pad", i64(0, 10**6, 0, 10**6), code=(0, 6))
bad("pad_overflow", "Pad", i64(2**62, 2**62, 2**62, 2**62), code=(4, 6))
bad("resize_huge", "Resize", None, np.float32([1, 1, 1e6, 1e6]), x=IMAGE, code=6)
