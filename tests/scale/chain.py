#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains of 10 000, 50 000 and 200 000 nodes through `cameo compile`, of elementwise operators or of mixed kinds in turn,
and of 5 000 and 20 000 between which values cross from the device to the host:
chain.py CAMEO elementwise|mixed|crossings SCRATCH.

Allowed: 20 s of processor time for the longest, or, on a machine that is slow just then, as many times what onnx's own shape
inference takes of the same model beside it; time that grows no faster than 1.9 times the length, and
256 MiB + 3 times the file + 4 KiB a node of memory.
"""
import os
import resource
import shutil
import sys
import time
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

LENGTHS = [10_000, 50_000, 200_000]
# What crosses is cut, read back and named, each for itself.
CROSSING_LENGTHS = [5_000, 20_000]
LIMIT_SECONDS = 20
# 15 to 18 were seen, on a machine that took 18 s and, its neighbours busy, 31 s for the longest.
TIMES_INFERENCE = 20
# Instructions grow with the length (callgrind: 2.12e9 for 10 000 nodes, 10.38e9 for 50 000), but what a short chain needs
# lies in the last-level cache: 1.6 times the length was seen in time. Time that grows with its 1.5th power is 2 times or more.
GROWTH = 1.9
# Of how many runs the shortest counts, where one alone took too long: what else the machine does only adds.
RUNS = 4
MIB = 1 << 20

COLUMNS = 8
CONSTANTS = {
    "weight": np.eye(COLUMNS, dtype=np.float32), "rows": np.int64([-1, COLUMNS]), "zero": np.int64([0]),
    "one": np.int64([1]), "sixteen": np.int64([16]), "columns": np.int64([COLUMNS]),
}
# Operator, operands behind the chain's value, attributes. A turn ends with the type that it began with, and nothing in
# it cancels.
TURNS = {
    "elementwise": [("Relu", [], {}), ("Neg", [], {}), ("Add", ["x"], {})],
    "mixed": [("Relu", [], {}), ("MatMul", ["weight"], {}), ("Add", ["x"], {}), ("Softmax", [], {"axis": -1}),
              ("Reshape", ["rows"], {}), ("Transpose", [], {"perm": [1, 0]}), ("Exp", [], {}),
              ("Transpose", [], {"perm": [1, 0]}), ("Concat", ["x"], {"axis": 1}),
              ("Slice", ["zero", "columns", "one"], {}), ("ReduceMax", ["one"], {"keepdims": 1}), ("Sub", ["x"], {})],
    # Each turn sizes a tensor by a value of the device: a cut, a readback, a symbol.
    "crossings": [("ReduceMax", [], {"keepdims": 0}), ("Cast", [], {"to": TensorProto.INT64}), ("Min", ["sixteen"], {}),
                  ("Max", ["one"], {}), ("Reshape", ["one"], {}), ("ConstantOfShape", [], {}),
                  ("ReduceSum", [], {"keepdims": 0}), ("Neg", [], {}), ("Add", ["x"], {}), ("Relu", [], {})],
}
FLAGS = {"crossings": ["--target", "cuda"]}


def chain(length, turn):
    nodes = []
    for i in range(length):
        operator, operands, attributes = turn[i % len(turn)]
        before, after = f"v{i}" if i else "x", f"v{i + 1}" if i + 1 < length else "y"
        nodes.append(helper.make_node(operator, [before, *operands], [after], name=f"n{i}", **attributes))
    values = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", COLUMNS]),
              helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    constants = [numpy_helper.from_array(value, name) for name, value in CONSTANTS.items()]
    model = helper.make_model(helper.make_graph(nodes, "chain", values[:1], values[1:], constants),
                              opset_imports=[helper.make_opsetid("", 21)])
    model.ir_version = 10
    return model.SerializeToString()


def measure(command):
    """(seconds of processor time, bytes of memory); the child is the only one, so its usage is exact."""
    pid = os.fork()
    if pid == 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (5 * LIMIT_SECONDS,) * 2)
        os.execvp(command[0], command)
    _, status, usage = os.wait4(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code != 0:
        print(f"exit {code}: {' '.join(command)}")
        sys.exit(1)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def seconds_of_inference(name, length):
    """What onnx takes to infer the shapes of a chain."""
    model = onnx.load_from_string(chain(length, TURNS[name]))
    begin = time.process_time()
    onnx.shape_inference.infer_shapes(model)
    return time.process_time() - begin


def compile_chain(cameo, scratch, name, length):
    """(seconds, bytes of memory, bytes of the model)."""
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    model = scratch / "chain.onnx"
    model.write_bytes(chain(length, TURNS[name]))
    seconds, memory = measure([cameo, "compile", str(model), "-o", str(scratch / "net"), *FLAGS.get(name, [])])
    print(f"{name}, {length} nodes: {seconds:.2f} s, {memory // MIB} MiB", flush=True)
    return seconds, memory, model.stat().st_size


def slow(name, times, paces):
    """What is said of `times`, {length: seconds}, in ascending order: too long at all, or for its length. `paces` has how
    often each is what onnx took beside it, where that was asked."""
    pairs = list(times.items())
    return [f"{name}, {length} nodes: {seconds:.1f} s, {paces[length]:.1f} times what onnx infers shapes in, "
            f"allowed {LIMIT_SECONDS} or {TIMES_INFERENCE}" for length, seconds in pairs
            if seconds > LIMIT_SECONDS and paces[length] > TIMES_INFERENCE] + \
           [f"{name}, {length} nodes: {seconds / less:.1f} times the time of {shorter}"
            for (shorter, less), (length, seconds) in zip(pairs, pairs[1:]) if seconds / less > GROWTH * length / shorter]


def check(cameo, scratch, name):
    faults, times, paces = [], {}, {}
    for run in range(RUNS):
        for length in CROSSING_LENGTHS if name == "crossings" else LENGTHS:
            seconds, memory, size = compile_chain(cameo, scratch, name, length)
            times[length] = min(seconds, times.get(length, seconds))
            if seconds > LIMIT_SECONDS:
                pace = seconds / seconds_of_inference(name, length)
                paces[length] = min(pace, paces.get(length, pace))
            allowed = 256 * MIB + 3 * size + 4096 * length
            if memory > allowed:
                faults.append(f"{name}, {length} nodes: {memory // MIB} MiB, allowed {allowed // MIB}")
        if not slow(name, times, paces):
            break
    return faults + slow(name, times, paces)


def main():
    cameo, name, scratch = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    faults = check(cameo, scratch, name)
    shutil.rmtree(scratch)
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
