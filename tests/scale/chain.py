#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains of 10 000, 50 000 and 200 000 nodes through `cameo compile`: chain.py CAMEO SCRATCH.

Allowed: 20 s of processor time for the longest, time that grows no faster than 1.5 times the length, and
256 MiB + 3 times the file + 4 KiB a node of memory.
"""
import os
import resource
import shutil
import sys
from pathlib import Path

from onnx import TensorProto, helper

LENGTHS = [10_000, 50_000, 200_000]
LIMIT_SECONDS = 20
GROWTH = 1.5
MIB = 1 << 20


def chain(length):
    """Relu, Neg and an addition of the input in turn, so that nothing cancels."""
    nodes = []
    for i in range(length):
        before, after = f"v{i}" if i else "x", f"v{i + 1}" if i + 1 < length else "y"
        operands = [before, "x"] if i % 3 == 2 else [before]
        nodes.append(helper.make_node(["Relu", "Neg", "Add"][i % 3], operands, [after], name=f"n{i}"))
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n"]) for name in ("x", "y")]
    model = helper.make_model(helper.make_graph(nodes, "chain", values[:1], values[1:]),
                              opset_imports=[helper.make_opsetid("", 21)])
    model.ir_version = 10
    return model.SerializeToString()


def measure(command):
    """(seconds of processor time, bytes of memory); the child is the only one, so its usage is exact."""
    pid = os.fork()
    if pid == 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (3 * LIMIT_SECONDS,) * 2)
        os.execvp(command[0], command)
    _, status, usage = os.wait4(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code != 0:
        print(f"exit {code}: {' '.join(command)}")
        sys.exit(1)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def main():
    cameo, scratch = sys.argv[1], Path(sys.argv[2])
    faults, before = [], None
    for length in LENGTHS:
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)
        model = scratch / "chain.onnx"
        model.write_bytes(chain(length))
        seconds, memory = measure([cameo, "compile", str(model), "-o", str(scratch / "net")])
        allowed = 256 * MIB + 3 * model.stat().st_size + 4096 * length
        print(f"{length} nodes: {seconds:.2f} s, {memory // MIB} MiB")
        if memory > allowed:
            faults.append(f"{length} nodes: {memory // MIB} MiB, allowed {allowed // MIB}")
        if before and seconds / before[1] > GROWTH * length / before[0]:
            faults.append(f"{seconds / before[1]:.1f} times the time for {length / before[0]:.0f} times the nodes")
        before = (length, seconds)
    if seconds > LIMIT_SECONDS:
        faults.append(f"{seconds:.1f} s, allowed {LIMIT_SECONDS}")
    shutil.rmtree(scratch)
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


main()
