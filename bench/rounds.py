# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Candidates that run in turn, in one process, on one thread: ONNX Runtime as one of them, and the least time of each."""
import time

import onnxruntime


class Runtime:
    """As Compiled: arrays are bound once, and run() reads and writes them."""

    def __init__(self, model):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])

    def bind(self, inputs, outputs):
        self.inputs = dict(zip((value.name for value in self.session.get_inputs()), inputs))
        self.outputs = outputs

    def run(self):
        for output, result in zip(self.outputs, self.session.run(None, self.inputs)):
            output[...] = result


def measure(candidates, seconds, clock):
    """(the least time of each, by `clock`; rounds), of at least three rounds."""
    best = dict.fromkeys(candidates, float("inf"))
    end = time.monotonic() + seconds
    rounds = 0
    while rounds < 3 or time.monotonic() < end:
        rounds += 1
        for name, candidate in candidates.items():
            start = clock()
            candidate.run()
            best[name] = min(best[name], clock() - start)
    return best, rounds
