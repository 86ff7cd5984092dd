#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models under the caller's capture, on the emulator: capture.py CAMEO SCRATCH. A run is captured once and its graph
launched on several contents of the same buffers; outputs by ONNX Runtime, waits and allocations by the emulator's counts.
What cannot be captured is refused before anything is enqueued, and `explain` has said so."""
import importlib
import inspect
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "models"))
from make import ORACLES  # noqa: E402
sys.path.insert(0, str(HERE.parent))
from schemas import read_report  # noqa: E402
from share import sample  # noqa: E402

LAUNCHER = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
CONTENTS = 3  # of the same buffers


@dataclass
class Capture:
    name: str  # of the script of tests/models
    space: str = "device"
    static: bool = False  # every dim fixed by a flag
    kept: tuple = ()  # inputs that the host reads
    counted: bool = False  # extents of outputs are told behind the run
    refusal: str = ""  # in the message of the run
    waits: bool = False  # the plan does, and `explain` says for what
    uploads: int = 0  # of what the host computes, in each launch
    chooses: int = 0  # nodes whose branch the graph takes by a value of the device


CAPTURES = [
    Capture("small_cnn", static=True),
    Capture("bert_tiny", space="pinned"),
    Capture("gpt_decode"),
    Capture("topk_chain", kept=("array_length",)),
    Capture("device_slice", counted=True),
    Capture("nms_detector", space="pinned", kept=("most",), counted=True),
    Capture("loop_growing", kept=("trips",), uploads=1),
    Capture("chosen_branches", kept=("trips",), chooses=4),
    Capture("two_exits", kept=("careful",), chooses=8),
    Capture("nested_control", kept=("trips",), counted=True, chooses=1),
    Capture("ragged_branches", counted=True, chooses=4),
    Capture("top_p_sampling"),
    Capture("ragged_batch", counted=True),
    Capture("letterbox"),
    Capture("track_association", counted=True),
    Capture("keyword_spotting"),
    Capture("rerank_retrieval", counted=True),
    Capture("instance_masks", counted=True),
    Capture("expert_capacity"),
    Capture("ctc_greedy", counted=True),
    Capture("image_tokens"),
    Capture("paged_attention"),
    Capture("graph_network", kept=("graphs",)),
    Capture("decode_until"),
    Capture("growing_cache", kept=("most",), counted=True),
    Capture("inner_cache", kept=("steps", "most"), counted=True),
    Capture("translator", kept=("most",), counted=True),
    Capture("spoken_durations", counted=True),
    Capture("speculative_step", counted=True),
    Capture("label_groups", space="pinned"),
    Capture("cheapest_cut", refusal="the host waits here for a value of the device", waits=True),
    Capture("identity", space="host", refusal="only dense pinned memory of the host can be copied"),
]


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def first_case(script, oracle):
    cases = script.cases(oracle) if inspect.signature(script.cases).parameters else script.cases()
    return next(case.inputs for case in cases if not case.status)


def contents(inputs, capture, number):
    """Other elements of the same range, but of what the host reads; where the graph chooses, of other ranges."""
    scale = np.float32([1, -1, 0.05][number] if capture.chooses else 1)
    return {name: value if name in capture.kept or value.dtype.kind not in "fiu" else
            np.asarray(np.roll(value.reshape(-1), number).reshape(value.shape) * scale, value.dtype)
            for name, value in inputs.items()}


def dim_flags(model, inputs):
    for value in model.graph.input:
        for extent, dim in zip(inputs[value.name].shape, value.type.tensor_type.shape.dim):
            if dim.dim_param:
                yield from ("--dim", f"{dim.dim_param}={extent}")


class Model:
    """One of CAPTURES: its file, its generated folder, and data in SCRATCH."""

    def __init__(self, capture, cameo, scratch):
        self.capture, self.cameo, self.folder = capture, cameo, scratch / capture.name
        self.folder.mkdir()
        script = importlib.import_module(capture.name)
        self.model = script.build()
        self.path = self.folder / f"{capture.name}.onnx"
        self.path.write_bytes(self.model.SerializeToString())
        self.oracle = ORACLES[getattr(script, "ORACLE", "onnxruntime")](self.model)
        self.inputs = first_case(script, self.oracle)
        self.flags = ["--target", "cuda", *(dim_flags(self.model, self.inputs) if capture.static else ())]

    def compile(self):
        """Lines of the project that builds it with captured.cpp."""
        name, net = self.capture.name, self.folder / "net"
        run(self.cameo, "compile", self.path, "-o", net, "--name", name, *self.flags)
        return (f'add_subdirectory("{net}" {name})\nadd_executable(captured_{name} "{HERE}/captured.cpp")\n'
                f"target_compile_definitions(captured_{name} PRIVATE MODEL={name}_describe)\n"
                f"target_link_libraries(captured_{name} PRIVATE {name})\n")

    def write_contents(self):
        for number in range(CONTENTS):
            data = self.folder / str(number)
            data.mkdir()
            given = contents(self.inputs, self.capture, number)
            for position, value in enumerate(self.model.graph.input):
                np.save(data / f"input_{position}.npy", given[value.name])
            yield data, self.oracle(given)

    def check_report(self):
        report = read_report("explain", run(self.cameo, "explain", self.path, "--json", "-", *self.flags))
        assert (report["late_extents"] > 0) == self.capture.counted, report["late_extents"]
        capture = report["capture"]
        plan = read_report("plan", self.folder / "net" / f"{self.capture.name}.plan.json")["capture"]
        assert capture["capturable"] == plan["capturable"] == (not plan["waits"]) == (not self.capture.waits), plan
        assert set(capture["kept_inputs"]) == set(plan["kept_inputs"]) == set(self.capture.kept), (capture, plan)
        text = run(self.cameo, "explain", self.path, *self.flags)
        if self.capture.waits:
            obstacle = capture["obstacle"]
            assert f"capturable: no, the host waits for {obstacle['value']} ({obstacle['producer']})" in text, text
            assert obstacle["remedy"], obstacle
        else:
            assert "capturable: yes" in text, text
            assert all(name in text for name in self.capture.kept), text
            assert len(capture["choices"]) == self.capture.chooses, capture

    def check_runs(self, program):
        data = list(self.write_contents())
        lines = run(program, self.capture.space, *(folder for folder, _ in data)).splitlines()
        if self.capture.refusal:
            assert len(lines) == 1 and lines[0].startswith("refused ") and self.capture.refusal in lines[0], lines
            data = data[:1]  # run behind it without a capture
        else:
            for line in lines:
                words = line.split()
                assert words[0] == "graphs", line
                self.check_counters(dict(zip(words[::2], map(int, words[1::2]))))
            assert len(lines) == len(data), lines
        for folder, expected in data:
            for position, wanted in enumerate(expected):
                self.compare(np.load(folder / f"output_{position}.npy"), np.asarray(wanted), (folder, position))

    def check_counters(self, seen):
        assert seen["graphs"] == 1 and seen["launches"] > 0, seen
        assert seen["waits"] == seen["allocations"] == 0, seen
        if self.capture.space == "device":
            assert seen["h2d"] == self.capture.uploads, seen
            assert seen["d2h"] <= self.capture.counted + 1, seen  # extents, errors

    @staticmethod
    def compare(got, wanted, what):
        assert got.dtype == wanted.dtype and got.shape == wanted.shape, (what, got.shape, wanted.shape)
        if wanted.dtype.kind == "f":
            np.testing.assert_allclose(got, wanted, 1e-4, 1e-5, err_msg=str(what))
        else:
            np.testing.assert_array_equal(got, wanted, err_msg=str(what))


def main():
    cameo, scratch = sys.argv[1], Path(sys.argv[2]).resolve()
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    models = [Model(capture, cameo, scratch) for capture in sample("capture", CAPTURES)]
    head = "cmake_minimum_required(VERSION 3.18)\nproject(captures LANGUAGES C CXX ASM)\nset(CMAKE_CXX_STANDARD 17)\n"
    (scratch / "CMakeLists.txt").write_text(head + "".join(model.compile() for model in models))
    run("cmake", "-S", scratch, "-B", scratch / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=None", "-DCAMEO_EMULATE=ON",
        *LAUNCHER)
    run("cmake", "--build", scratch / "build")
    for model in models:
        model.check_report()
        model.check_runs(scratch / "build" / f"captured_{model.capture.name}")
        print(f"{model.capture.name}: {'refused' if model.capture.refusal else 'captured'}")


if __name__ == "__main__":
    main()
