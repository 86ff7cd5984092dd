# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LabelEncoder whose keys, values or both are strings: keys that come twice, that begin alike, the empty one, characters of
several bytes, what is no key, a table of one key."""
import numpy as np
from graph import FLOAT, INT64, STRING, Case, Graph, random
from onnx import helper, numpy_helper

LIMITS = {"d2h": 0, "h2d": 0, "blocking_syncs": 0}
WORDS = ["the", "", "then", "th", "Größe", "a" * 300, "the", "东京", "\x01", "zz"]


def strings(name, values):
    return helper.make_tensor(name, STRING, [len(values)], [value.encode() for value in values])


def tables():
    """Name, the input, attributes, and the type of the values."""
    yield "ids", "words", {"keys_strings": WORDS, "values_int64s": range(len(WORDS)), "default_int64": -5}, INT64
    yield "weights", "words", {"keys_strings": ["then", "the"], "values_floats": [0.5, 2.0]}, FLOAT
    yield "one", "words", {"keys_strings": ["the"], "values_int64s": [4]}, INT64
    yield "other_words", "words", {"keys_strings": WORDS, "values_strings": WORDS[::-1], "default_string": ""}, STRING
    yield "names", "numbers", {"keys_int64s": [4, -1, 0], "values_strings": ["four", "", "Größe"]}, STRING
    yield "tensors", "words", {"keys_tensor": strings("keys", ["zz", "the"]), "values_tensor": strings("values", ["last", "first"]),
                               "default_tensor": strings("default", ["none"])}, STRING


def ORACLE(model):
    """ONNX Runtime has no strings in tensors of keys: by what the operator's text says."""
    def plain(value):
        if isinstance(value, list):
            return [v.decode() if isinstance(v, bytes) else v for v in value]
        return list(numpy_helper.to_array(value)) if hasattr(value, "dims") else value.decode() if isinstance(value, bytes) else value

    def run(inputs):
        outputs = []
        for node in model.graph.node:
            given = {a.name: plain(helper.get_attribute_value(a)) for a in node.attribute}
            keys, values = (next(v for k, v in given.items() if k.startswith(side)) for side in ("keys", "values"))
            info = next(o for o in model.graph.output if o.name == node.output[0])
            dtype = helper.tensor_dtype_to_np_dtype(info.type.tensor_type.elem_type)
            default = given["default_tensor"][0] if "default_tensor" in given else \
                {INT64: given.get("default_int64", -1), FLOAT: given.get("default_float", -0.0)}.get(
                    info.type.tensor_type.elem_type, given.get("default_string", "_Unused"))
            table = dict(zip(keys, values))
            x = inputs[node.input[0]]
            outputs.append(np.array([table.get(key, default) for key in x.ravel().tolist()], dtype).reshape(x.shape))
        return outputs

    return run


def build():
    g = Graph("label_encoder_strings")
    g.input("words", STRING, ["n"])
    g.input("numbers", INT64, ["n", 2])
    for name, source, attributes, value in tables():
        g.op("LabelEncoder", source, out=name, domain="ai.onnx.ml", **attributes)
        g.output(name, value, ["n", 2] if source == "numbers" else ["n"])
    return helper.make_model(g.proto(), ir_version=10, producer_name="cameo-tests",
                             opset_imports=[helper.make_opsetid("", 21), helper.make_opsetid("ai.onnx.ml", 4)])


def cases():
    rng = random("label_encoder_strings data")
    others = ["thf", "them", "t", "A", "a" * 299, "东", "\x00", "zzz", "grösse"]
    for n in (30, 1, 0, 3000):
        yield Case({"words": rng.choice(np.array(WORDS + others, object), n), "numbers": rng.integers(-2, 6, (n, 2))})
