# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where snippets are run: a folder like a checkout, with cameo and python3 on the PATH and the files that documents name.

Pieces of C and C++ are put into a frame (frames/), which declares what they use and checks what came out, and built
with the generated folder as a CMake project would."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DIGITS = ROOT / "samples" / "digits"
CAMEO = Path(os.environ.get("CAMEO", ROOT / "build" / "release" / "bin" / "cameo")).resolve()
SANITIZED = "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all"
PROJECT = """cmake_minimum_required(VERSION 3.18)
project(snippet LANGUAGES C CXX ASM)
add_executable(snippet main.{suffix})
target_compile_options(snippet PRIVATE -Wall -Wextra -Werror)
foreach(library {libraries})
  add_subdirectory(${{library}})
  target_link_libraries(snippet PRIVATE ${{library}})
  get_target_property(weights ${{library}} CAMEO_WEIGHTS)
  if(weights)
    add_custom_command(TARGET snippet POST_BUILD COMMAND cmake -E copy "${{weights}}" "$<TARGET_FILE_DIR:snippet>")
  endif()
endforeach()
"""


class Failed(Exception):
    """A snippet that does not do what it says."""


class Skipped(Exception):
    """A snippet that this machine has not the means to run."""


def make_net():
    """What docs call net.onnx: an image of any size to ten scores."""
    weight = np.linspace(-1, 1, 30, dtype=np.float32).reshape(3, 10)
    nodes = [helper.make_node("GlobalAveragePool", ["image"], ["pooled"]), helper.make_node("Flatten", ["pooled"], ["row"]),
             helper.make_node("MatMul", ["row", "weight"], ["scores"])]
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 3, "height", "width"])
    scores = helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["batch", 10])
    graph = helper.make_graph(nodes, "net", [image], [scores], [numpy_helper.from_array(weight, "weight")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def make_finder():
    """The finder.onnx of docs: those of some images that are bright."""
    nodes = [helper.make_node("ReduceMean", ["image", "axes"], ["mean"], keepdims=0), helper.make_node("Greater", ["mean", "half"], ["bright"]),
             helper.make_node("Compress", ["image", "bright"], ["found"], axis=0)]
    constants = [numpy_helper.from_array(np.array([1, 2, 3], np.int64), "axes"), numpy_helper.from_array(np.array(0.5, np.float32), "half")]
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 3, "height", "width"])
    found = helper.make_tensor_value_info("found", TensorProto.FLOAT, ["bright", 3, "height", "width"])
    graph = helper.make_graph(nodes, "finder", [image], [found], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def read_data_set(folder):
    """Inputs and outputs of a data set as arrays."""
    def read(side):
        files = sorted(Path(folder).glob(f"{side}_*.pb"))
        return [numpy_helper.to_array(TensorProto.FromString(file.read_bytes())) for file in files]
    return read("input"), read("output")


class Workshop:
    def __init__(self, folder):
        self.folder = Path(folder)
        shutil.rmtree(self.folder, ignore_errors=True)
        binaries = self.folder / "build" / "release" / "bin"
        binaries.mkdir(parents=True)
        for program in ("cameo", "cameo-opt"):
            (binaries / program).symlink_to(CAMEO.parent / program)
        (self.folder / "build" / "dev").symlink_to("release")
        # python3 is the tests' Python, which has cameo_onnx as tests/python has built it.
        paths = [str(binaries), str(Path(sys.executable).parent), os.environ["PATH"]]
        self.environment = dict(os.environ, PATH=":".join(paths), CAMEO=str(CAMEO),
                                PYTHONPATH=f"{CAMEO.parents[1]}/tests/python/site:{os.environ.get('PYTHONPATH', '')}",
                                CAMEO_CACHE=os.environ.get("CAMEO_CACHE", str(self.folder.parent / "cache")))
        if shutil.which("ccache"):
            self.environment.update(CMAKE_C_COMPILER_LAUNCHER="ccache", CMAKE_CXX_COMPILER_LAUNCHER="ccache",
                                    CCACHE_NOHASHDIR="1", CCACHE_BASEDIR=str(self.folder))

    def add_files(self):
        """The files that documents name, and inputs and right answers for the frames."""
        shutil.copytree(DIGITS, self.folder / "samples" / "digits")
        shutil.copytree(DIGITS.parent / "peaks", self.folder / "samples" / "peaks")
        for name in ("model.onnx", "digits.onnx"):
            shutil.copy(DIGITS / "digits.onnx", self.folder / name)
        shutil.copytree(DIGITS / "test_data_set_0", self.folder / "test_data_set_0")
        (self.folder / "models").mkdir()  # without a data set beside it
        for name in ("net.onnx", "models/net.onnx"):
            onnx.save(make_net(), self.folder / name)
        onnx.save(make_finder(), self.folder / "finder.onnx")
        self.add_digits(self.folder)
        image = np.random.default_rng(1).random((2, 3, 5, 7), np.float32)
        image.tofile(self.folder / "image.raw")
        self.run("cameo compile net.onnx --emit ir:import -o file.mlir")
        weight = numpy_helper.to_array(make_net().graph.initializer[0])
        (image.mean((2, 3)) @ weight).tofile(self.folder / "scores.raw")

    @staticmethod
    def add_digits(folder):
        """Images of digits with what ONNX Runtime makes of them."""
        (images,), (probabilities, digits) = read_data_set(DIGITS / "test_data_set_0")
        np.save(folder / "image.npy", images)
        np.save(folder / "cat.npy", images[:1])
        for name, array in (("pixels", images), ("probabilities", probabilities), ("digits", digits)):
            array.tofile(folder / f"{name}.raw")

    def run(self, text, folder=None, timeout=600, **environment):
        """Runs the lines by bash in the folder; what they wrote. Ends at the first that fails."""
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=folder or self.folder, text=True,
                              env=dict(self.environment, **environment), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout)
        if done.returncode == 77:
            raise Skipped(done.stdout.strip().splitlines()[-1] if done.stdout.strip() else "exit 77")
        if done.returncode != 0:
            raise Failed(f"exit {done.returncode}: {text.strip()}\n{done.stdout[-1500:]}")
        return done.stdout

    def run_console(self, text):
        """Lines behind `$ ` are commands; what stands below one must be among what it prints, in order."""
        blocks = [part.splitlines() for part in ("\n" + text).split("\n$ ")[1:]]
        if not blocks:
            raise Failed("a console block without a line that begins with '$ '")
        for command, *expected in blocks:
            printed = iter(self.run(command).splitlines())
            for line in filter(str.strip, expected):
                if line.strip() not in (word.strip() for word in printed):
                    raise Failed(f"{command}: does not print '{line}'")

    def build_and_run(self, frame, snippet, nets, options=""):
        """Puts the snippet into its frame, builds it with the generated folders `nets`, by the names of their libraries, on a
        CPU under sanitizers, runs it."""
        text = (HERE / "frames" / frame).read_text()
        includes = [line for line in snippet.splitlines() if line.startswith("#include")]
        body = [line for line in snippet.splitlines() if not line.startswith("#include")]
        for mark, lines in (("// INCLUDES", includes), ("// SNIPPET", body)):
            if text.count(mark) != 1:
                raise Failed(f"{frame} needs one line '{mark}'")
            indent = text[text.rindex("\n", 0, text.index(mark)) + 1:text.index(mark)]  # g++ warns where it misleads
            text = text.replace(mark, f"\n{indent}".join(lines))
        project = self.folder / f"snippet-{Path(frame).stem}"
        shutil.rmtree(project, ignore_errors=True)
        project.mkdir()
        suffix = Path(frame).suffix[1:]
        (project / f"main.{suffix}").write_text(text)
        for library, net in nets.items():
            (project / library).symlink_to(net)
        shutil.copy(HERE / "frames" / "raw.h", project)
        (project / "CMakeLists.txt").write_text(PROJECT.format(suffix=suffix, libraries=" ".join(nets)))
        # Programs on fibers are tests/emu's to run under sanitizers.
        flags = {} if "CAMEO_EMULATE" in options else dict(CFLAGS=SANITIZED, CXXFLAGS=SANITIZED,
                                                           LDFLAGS="-fsanitize=address,undefined")
        self.build_project(project, options, **flags)
        self.run(f"{project}/build/snippet")

    def build_project(self, project, options="", **environment):
        self.run(f"cmake -S . -B build -DCMAKE_BUILD_TYPE=None {options} && cmake --build build -j2", folder=project, **environment)
