# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one case in a program that holds its model, by the driver's protocol (tools/cameo/driver/README.md), and compares
as the suite does: its own function, its own tolerances.
"""
import os
import struct
import subprocess
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import numpy_helper

from outcome import Outcome


class BadAnswer(Exception):
    pass


def payload_of(tensor):
    """The bytes of a tensor as the driver has them."""
    if tensor.data_type == onnx.TensorProto.STRING:
        return b"".join(struct.pack("<Q", len(text)) + text for text in tensor.string_data)
    return tensor.raw_data


def strings_in(payload):
    while payload:
        (size,) = struct.unpack_from("<Q", payload)
        if len(payload) < 8 + size:
            raise BadAnswer
        yield payload[8:8 + size]
        payload = payload[8 + size:]


def encode(value):
    if value is None:
        return b"absent\n"
    tensor = numpy_helper.from_array(np.asarray(value))
    payload = payload_of(tensor)
    head = ["input", tensor.data_type, -1, 0, len(tensor.dims), *tensor.dims, len(payload)]
    return " ".join(map(str, head)).encode() + b"\n" + payload + b"\n"


class Answer:
    """What the driver wrote, read from the front."""

    def __init__(self, data):
        self.data = data

    def line(self):
        line, separator, self.data = self.data.partition(b"\n")
        if not separator:
            raise BadAnswer
        return line.decode(errors="replace").split(" ")

    def payload(self, size):
        if len(self.data) < size + 1:
            raise BadAnswer
        taken, self.data = self.data[:size], self.data[size + 1:]
        return taken

    def texts(self, until):
        """`KEY LENGTH` lines with the text in the next line, up to the line `until`."""
        found = []
        while True:
            words = self.line()
            if words[0] == until:
                return found, words
            found.append((words[0], self.payload(int(words[1])).decode(errors="replace")))

    def output(self):
        word, dtype, rank, *rest = self.line()
        if word != "output" or len(rest) != int(rank) + 1:
            raise BadAnswer
        *dims, size = map(int, rest)
        tensor = onnx.TensorProto(data_type=int(dtype), dims=dims)
        if tensor.data_type == onnx.TensorProto.STRING:
            tensor.string_data.extend(strings_in(self.payload(size)))
        else:
            tensor.raw_data = self.payload(size)
        return numpy_helper.to_array(tensor)


@dataclass
class Result:
    """Of one run: `texts` by key, `counters` by name, outputs by position."""
    texts: dict
    counters: dict
    outputs: list


def read_names(answer):
    names, _ = answer.texts("ready")
    return [name for key, name in names if key == "input_name"]


def read_result(answer):
    if answer.line()[:1] != ["case"]:
        raise BadAnswer
    texts, _ = answer.texts("counters")
    counters, words = {}, answer.line()
    while words[0] != "outputs":
        counters[words[0]] = int(words[1])
        words = answer.line()
    return Result(dict(texts), counters, [answer.output() for _ in range(int(words[1]))])


def not_carried(model):
    """Why the driver's protocol has no form for a value at the model's border; empty where it has one for all."""
    for value in [*model.graph.input, *model.graph.output]:
        kind = value.type.WhichOneof("value")
        if kind != "tensor_type":
            return f"a value of {kind.removesuffix('_type')} type cannot be passed through the driver"
    return ""


def input_positions(graph, ir_version):
    """Which of the graph's inputs a caller may give. Initializers that are also inputs are constants until IR version 3, and
    later where all of them are inputs (`--freeze-initializers`)."""
    constants = {i.name for i in graph.initializer}
    if ir_version >= 4 and not constants <= {value.name for value in graph.input}:
        constants = set()
    return [position for position, value in enumerate(graph.input) if value.name not in constants]


def request(positions, data_sets):
    """Inputs go by position: the table of a compiled model lists them in the model's order."""
    parts = [b"threads 1\n"]
    for inputs, _ in data_sets:
        parts.append(b"case 1\n")
        parts += [encode(inputs[position]) for position in positions if position < len(inputs)]
        parts.append(b"run\n")
    return b"".join(parts)


def judge(case, expected, result):
    """What is wrong with one run, by the tolerances that the case has from the suite; None for nothing. The suite does not
    judge counters."""
    if result.texts["status"] != "OK":
        return Outcome(f"run-{result.texts['status']}", result.texts["message"])
    if result.texts["fault"]:
        return Outcome("fault", result.texts["fault"])
    try:
        case.compare(expected, result.outputs)
    except (AssertionError, TypeError, AttributeError) as difference:
        return Outcome("wrong", " ".join(str(difference).split())[:600])
    return None


def run_case(case, program, timeout, judge=judge):
    data_sets = case.data_sets()
    if not data_sets:
        return Outcome("harness", "the case has no data")
    model = case.load()
    if reason := not_carried(model):
        return Outcome("uncarried", reason)
    positions = input_positions(model.graph, model.ir_version)
    try:
        done = subprocess.run([program], input=request(positions, data_sets), capture_output=True, timeout=timeout,
                              env=dict(os.environ, CAMEO_DRIVER_MODEL=case.identifier))
    except subprocess.TimeoutExpired:
        return Outcome("run-timeout", f"no end after {timeout} s")
    errors = done.stderr.decode(errors="replace").strip()
    if done.returncode < 0:
        return Outcome(f"run-signal-{-done.returncode}", errors)
    if done.returncode > 0:
        return Outcome(f"run-exit-{done.returncode}", errors)
    answer = Answer(done.stdout)
    try:
        names = read_names(answer)
        wanted = [model.graph.input[position].name for position in positions]
        if names != wanted:
            return Outcome("harness", f"the program's inputs are {names}, the model's {wanted}")
        wrong = (judge(case, expected, read_result(answer)) for _, expected in data_sets)
        return next(filter(None, wrong), Outcome(case.success))
    except (BadAnswer, ValueError, KeyError, struct.error):
        return Outcome("harness", "the program's answer cannot be read")
