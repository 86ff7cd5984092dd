# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a placement case is: a number, an ideal, and models with data.

A case is written from the specification of placement, not from what the compiler does. `@case` goes before a function
that yields the case's variants; each is one model, compiled once, whose data sets run one after another on one context.
"""
import functools
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "models"))

SPACES = {"host": 0, "pinned": 1, "device": 2, "managed": 3, "null": 4}


@dataclass
class Data:
    """One run. An input without a space lies where the program prefers it; so does an output."""

    inputs: dict
    spaces: dict = field(default_factory=dict)
    offsets: dict = field(default_factory=dict)  # bytes from an aligned address to the input
    outputs: dict = field(default_factory=dict)  # spaces of outputs
    status: str = ""  # that the run must end with, where it is not OK
    limits: dict = field(default_factory=dict)  # of counters of this run, beside those of the variant
    ideal: str = ""  # of this run, where the number of reads depends on the data
    repeat: int = 1


@dataclass
class Variant:
    """One model. `oracle` is "onnxruntime", "reference", or a function from the inputs to the list of outputs."""

    model: object
    data: list
    name: str = ""
    oracle: object = "onnxruntime"
    ideal: str = ""  # the case's, if empty
    limits: dict = field(default_factory=dict)  # the most that a counter of a run may show
    sides: dict = field(default_factory=dict)  # value: sides that it may have in `explain`, apart by blanks
    operations: dict = field(default_factory=dict)  # the most results of an operator that `explain` may list
    remedy: str = ""  # what `explain` must say would remove each readback
    flags: list = field(default_factory=list)  # of the compiler
    program: str = ""  # a file of programs/ that runs the model in place of the driver
    missing: str = ""  # why it cannot be expressed today: nothing is built then
    key: str = ""
    number: int = 0


@dataclass
class Case:
    number: int
    title: str
    ideal: str
    group: str
    limits: dict
    make: Callable

    @functools.cached_property
    def variants(self):
        made = list(self.make())
        for variant in made:
            variant.key = f"{self.number}/{variant.name}" if variant.name else str(self.number)
            variant.ideal = variant.ideal or self.ideal
            variant.limits = {**self.limits, **variant.limits}
        if len({variant.key for variant in made}) != len(made):
            raise SystemExit(f"case {self.number}: two variants have the same name")
        return made


ALL = {}


def case(number, title, ideal, **limits):
    """Registers the function behind it; `limits` are those of all its variants."""
    read_ideal(ideal)

    def register(make):
        if number in ALL:
            raise SystemExit(f"case {number} is there twice")
        ALL[number] = Case(number, title, ideal, make.__module__.rpartition(".")[2], limits, make)
        return make

    return register


def missing(name, why):
    """A variant that nothing can express yet."""
    return Variant(None, [], name=name, missing=why)


def read_ideal(text):
    """(copies, blocking waits) of `D/S`, where D may carry an `e`: completed with the run, and no wait inside."""
    match = re.fullmatch(r"(\d+)(e?)/(\d+)", text)
    if not match or (match[2] and match[3] != "0"):
        raise SystemExit(f"{text!r} is no ideal")
    return int(match[1]), int(match[3])


def device(*names):
    return {name: "device" for name in names}


def host(*names):
    return {name: "host" for name in names}


def ints(*values):
    return np.array(values, np.int64)


def scalar(value, dtype=np.int64):
    return np.array(value, dtype)
