# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The families of operators, how often each is chosen, and what their functions are registered by."""
from values import BOOL, FLOATS, INTEGERS

NUMBERS = (*FLOATS, *INTEGERS)
ANY = (*NUMBERS, BOOL)
FAMILIES = {"elementwise": 5, "movement": 5, "reduce": 3, "linear": 2, "window": 2, "normalise": 2, "index": 3, "cast": 2,
            "quantise": 1.5, "control": 1.5}
OPERATORS = {name: [] for name in FAMILIES}


def of(family):
    def register(function):
        OPERATORS[family].append(function)
        return function
    return register
