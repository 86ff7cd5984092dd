# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""OneHotEncoder and CategoryMapper: strings and numbers of every type, categories that come twice, what is no category,
which is all zeros or ends the run."""
import numpy as np
from graph import DOUBLE, FLOAT, INT64, STRING, Case, Graph, random

WORDS = ["a", "bc", "Größe", "", "bc"]
NUMBERS = [1, -4, 9, 1 << 40, 9]


def build():
    g = Graph("ml_categories")
    g.input("words", STRING, ["n", 2])
    g.input("known", STRING, ["n"])
    for name, dtype in [("l", INT64), ("f", FLOAT), ("d", DOUBLE)]:
        g.input(name, dtype, ["n"])

    def ml(op_type, x, name, dtype, dims, **attributes):
        g.op(op_type, x, out=name, domain="ai.onnx.ml", **attributes)
        g.output(name, dtype, dims)

    ml("OneHotEncoder", "words", "of_words", FLOAT, ["n", 2, 5], cats_strings=WORDS, zeros=1)
    ml("OneHotEncoder", "known", "of_known", FLOAT, ["n", 3], cats_strings=WORDS[:3], zeros=0)
    for x in "lfd":
        ml("OneHotEncoder", x, f"of_{x}", FLOAT, ["n", 5], cats_int64s=NUMBERS)
    # LabelEncoder's form in operator set 1, to numbers and back, and CategoryMapper's.
    ml("LabelEncoder", "words", "numbers", INT64, ["n", 2], classes_strings=WORDS[:4], default_int64=-7)
    ml("LabelEncoder", "numbers", "names", STRING, ["n", 2], classes_strings=WORDS[:4], default_string="none")
    ml("CategoryMapper", "words", "mapped", INT64, ["n", 2], cats_strings=WORDS[:4], cats_int64s=NUMBERS[:4], default_int64=3)
    ml("CategoryMapper", "l", "mapped_back", STRING, ["n"], cats_strings=WORDS[:4], cats_int64s=NUMBERS[:4],
       default_string="no")
    return g.model(extra_domains=["ai.onnx.ml"])


def cases():
    rng = random("ml_categories data")
    words, numbers = np.array(WORDS + ["b", "bcd", "grösse"], object), np.array(NUMBERS + [0, 2, -1])
    for n in (5, 1, 0, 200):
        l = rng.choice(numbers, n)
        yield Case({"words": rng.choice(words, (n, 2)), "known": rng.choice(words[:3], n), "l": l,
                    "f": rng.choice([1.5, -4.9, 9.0, 0.5, -0.5], n).astype(np.float32), "d": l + rng.choice([0.0, 0.5], n)})
    unknown = {"words": words[:2].reshape(1, 2), "l": numbers[:1], "f": np.ones(1, np.float32), "d": np.ones(1)}
    yield Case({**unknown, "known": np.array(["bcd"], object)}, status="OUT_OF_RANGE")
    yield Case({**unknown, "known": np.array(["bc"], object)})
