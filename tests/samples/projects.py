#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generated folders in users' hands: what a plain build gives, several models in one project, where weights are looked
for, what the program's flags do, what READMEs say. projects.py [TEST...]; $CAMEO names the compiler."""
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "tools"))
from small import CAMEO, model  # noqa: E402
sys.path.insert(0, str(HERE.parent))
from share import LONG, skip_unless_taken  # noqa: E402
sys.path.insert(0, str(HERE.parent / "models"))
import quantised_trunk  # noqa: E402

# The level with what convolutions of bytes are faster by.
EXTENDED = "x86-64-v4-avx512vnni"
DIGITS = ROOT / "samples" / "digits"
LAUNCHER = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
# Quick to compile; what these tests are about does not depend on it.
QUICK = ["-DCMAKE_BUILD_TYPE=None"]
HEAD = "cmake_minimum_required(VERSION 3.18)\nproject(test LANGUAGES C CXX ASM)\nset(CMAKE_CXX_STANDARD 17)\n"


def ones():
    """y = x times a 4 x 4 matrix of ones."""
    weights = numpy_helper.from_array(np.ones((4, 4), np.float32), "w")
    return model([helper.make_node("MatMul", ["x", "w"], ["y"])], [("x", [2, 4])], [("y", [2, 4])],
                 initializers=[weights])


def describe_copy(isa):
    """A line of the logger's."""
    return f"runs the copy for {'the baseline instruction set' if isa == 'x86-64' else isa}\n"


class Projects(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.model = self.folder / "ones.onnx"
        self.model.write_bytes(ones().SerializeToString())

    def run_command(self, *command, code=0, **options):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=self.folder, **options)
        self.assertEqual(done.returncode, code, done.stdout[-4000:] + done.stderr[-4000:])
        return done.stdout + done.stderr

    def compile(self, name, *flags, path=None):
        self.run_command(CAMEO, "compile", path or self.model, "-o", name, "--name", name, *flags)
        return self.folder / name

    def configure(self, source, *flags):
        self.run_command("cmake", "-S", source, "-B", f"{source}/build", "-G", "Ninja", *LAUNCHER, *flags)
        return Path(source) / "build"

    def build(self, source, *flags, target="all"):
        build = self.configure(source, *flags)
        self.run_command("cmake", "--build", build, "--target", target)
        return build

    def project(self, name, text):
        (self.folder / name).mkdir()
        (self.folder / name / "CMakeLists.txt").write_text(HEAD + text)
        return self.folder / name

    # ---- Copies for several instruction sets ----

    @unittest.skipUnless(platform.machine() == "x86_64", "the copies are for x86-64")
    def test_copies(self):
        net = self.compile("digits", path=DIGITS / "digits.onnx")
        logged = self.build_logged("digits")
        program = self.build(net) / "digits"
        outputs = self.run_copies(logged, program, ("x86-64", "x86-64-v3", "x86-64-v4"), f"0={DIGITS}/images.npy", 2)
        for isa, (probabilities, digits) in outputs.items():
            np.testing.assert_allclose(probabilities, outputs["x86-64"][0], 1e-4, 1e-5, err_msg=isa)
            np.testing.assert_array_equal(digits, outputs["x86-64"][1], err_msg=isa)
            # Copies with FMA round otherwise: were the bits the same, nothing would have been dispatched.
            if isa != "x86-64":
                self.assertNotEqual(probabilities.tobytes(), outputs["x86-64"][0].tobytes())
        done = self.run_command(program, code=1, env={**os.environ, "CAMEO_ISA": "avx9"})
        self.assertIn("CAMEO_ISA", done)
        sizes = self.run_command("cmake", "--build", net / "build", "--target", "digits_size")
        self.assertIn("x86_64_v4:", sizes)
        self.expect_own_symbols(net, "digits", ("x86_64_v4", "x86_64_v3"))

    @unittest.skipUnless(platform.machine() == "x86_64", "the copies are for x86-64")
    def test_copy_for_an_extension(self):
        path = self.folder / "bytes.onnx"
        path.write_bytes(quantised_trunk.build().SerializeToString())
        net = self.compile("bytes", path=path)
        logged = self.build_logged("bytes")
        program = self.build(net) / "bytes"
        np.save(self.folder / "x.npy", next(quantised_trunk.cases()).inputs["x"])
        isas = ("x86-64", "x86-64-v3", "x86-64-v4", EXTENDED)
        outputs = self.run_copies(logged, program, isas, f"0={self.folder}/x.npy", 1)
        for isa, (scores,) in outputs.items():
            np.testing.assert_allclose(scores, outputs["x86-64"][0], 1e-4, 1e-5, err_msg=isa)
        # They differ in how they multiply bytes, whose sums are the same.
        if EXTENDED in outputs:
            self.assertEqual(outputs[EXTENDED][0].tobytes(), outputs["x86-64-v4"][0].tobytes())
        environment = {name: value for name, value in os.environ.items() if name != "CAMEO_ISA"}
        self.assertIn(describe_copy(list(outputs)[-1]), self.run_command(logged, env=environment))
        self.assertIn(EXTENDED, (net / "README.md").read_text())
        self.expect_own_symbols(net, "bytes", (EXTENDED.replace("-", "_"), "x86_64_v4"))
        self.expect_instruction(net, "bytes", EXTENDED.replace("-", "_"))

    @unittest.skipUnless(platform.machine() == "x86_64", "the copies are for x86-64")
    def test_models_without_an_extension(self):
        net = self.compile("plain")
        for name in ("CMakeLists.txt", "README.md", "plain.cpp"):
            self.assertNotIn("avx512vnni", (net / name).read_text(), name)
        logged = self.build_logged("plain", *QUICK)
        done = subprocess.run([logged], env={**os.environ, "CAMEO_ISA": EXTENDED}, capture_output=True, text=True)
        # Where the machine has it, the best copy that this model has.
        self.assertIn("more than this machine has" if done.returncode else describe_copy("x86-64-v4"), done.stdout)

    def build_logged(self, name, *flags):
        """A program that prints what creating a context of the model logs."""
        project = self.project(f"logged_{name}", f"""
add_subdirectory("{self.folder}/{name}" {name})
add_executable(logged "{HERE}/logged.cpp")
target_compile_definitions(logged PRIVATE MODEL={name}_model MODEL_HEADER="{name}.h")
target_link_libraries(logged {name})
""")
        return self.build(project, *flags) / "logged"

    def run_copies(self, logged, program, isas, given, count):
        """By instruction set, the outputs of the copy for it; of those that the machine has."""
        outputs, skipped = {}, []
        for isa in isas:
            environment = {**os.environ, "CAMEO_ISA": isa}
            done = subprocess.run([logged], env=environment, capture_output=True, text=True)
            if done.returncode == 77:
                self.assertIn("more than this machine has", done.stdout)
                skipped.append(isa)
                continue
            self.assertIn(describe_copy(isa), done.stdout)
            self.run_command(program, "--in", given, "--out", isa, env=environment)
            outputs[isa] = [np.load(self.folder / isa / f"output_{k}.npy") for k in range(count)]
        print(f"copies run: {list(outputs)}; not on this machine: {skipped}")
        return outputs

    def expect_own_symbols(self, net, name, copies):
        """No symbol that the linker may merge is built for one instruction set alone, optimised or not."""
        self.run_command("cmake", "-S", net, "-B", net / "debug", "-G", "Ninja", *LAUNCHER, "-DCMAKE_BUILD_TYPE=Debug")
        self.run_command("cmake", "--build", net / "debug", "--target", *(f"{name}_{copy}" for copy in copies))
        for folder in ("build", "debug"):
            for copy in copies:
                objects = list((net / folder).glob(f"**/{name}_{copy}.dir/**/*.o"))
                self.assertTrue(objects)
                for path in objects:
                    self.run_command(sys.executable, HERE.parent / "templates" / "weak_symbols.py", "nm", path, copy)

    def expect_instruction(self, net, name, extended):
        """Products of four bytes are in the copy that is there for them, and in no other code."""
        if not shutil.which("objdump"):
            return
        objects = list((net / "build").glob("**/*.o"))
        self.assertTrue(objects)
        having = {path.parent.name for path in objects if "vpdpbusd" in self.run_command("objdump", "-d", path)}
        self.assertEqual(having, {f"{name}_{extended}.dir"})

    def test_one_instruction_set(self):
        net = self.compile("net")
        cases = [["-DCAMEO_MARCH=x86-64-v3"], ["-DCMAKE_CXX_FLAGS=-march=x86-64"], ["-DCMAKE_CXX_FLAGS_RELEASE=-O3 -mavx2"]]
        if shutil.which("aarch64-linux-gnu-g++"):
            cases.append([f"-DCMAKE_TOOLCHAIN_FILE={DIGITS}/embedded/aarch64.cmake"])
        for flags in cases:
            with self.subTest(flags):
                shutil.rmtree(net / "build", ignore_errors=True)
                self.configure(net, *flags)
                self.assertNotIn("net_x86_64_v4", (net / "build" / "build.ninja").read_text())
        heapless = self.compile("heapless", "--heap", "none")
        self.configure(heapless)
        self.assertNotIn("x86_64_v4", (heapless / "build" / "build.ninja").read_text())

    # ---- Several models ----

    def test_mixed_models(self):
        models = {"plain": [], "single": ["--threads", "0"], "heapless": ["--heap", "none"], "newer": [],
                  "device": ["--target", "cuda"]}
        for name, flags in models.items():
            self.compile(name, *flags)
        newer = self.folder / "newer"
        text = (newer / "CMakeLists.txt").read_text()
        (newer / "CMakeLists.txt").write_text(re.sub(r"(cameo(_runtime)?_)[0-9a-f]{8}\b", r"\g<1>0000beef", text))
        errors = newer / "cameo" / "host" / "errors.cpp"
        errors.write_text(errors.read_text().replace("got {0} inputs", "counted {0} inputs"))
        for number, order in enumerate((list(models), list(reversed(models)))):
            with self.subTest(order):
                lines = "".join(f'add_subdirectory("{self.folder}/{name}" {name})\n' for name in order)
                project = self.project(f"mixed{number}", f'{lines}add_executable(mixed "{HERE}/mixed.cpp")\n'
                                       f"target_link_libraries(mixed PRIVATE {' '.join(order)})\n")
                self.run_command(self.build(project, *QUICK, "-DCAMEO_EMULATE=ON") / "mixed")

    def test_folders_in_one_command(self):
        """Two folders on one line, of different times, which some compilers tell files apart by."""
        self.compile("first"), self.compile("second")
        for path in (self.folder / "second").rglob("*.h"):
            os.utime(path, (0, 0))
        user = self.folder / "user.cpp"
        user.write_text('#include "first/cameo/model.h"\n#include "first.h"\n#include "second.h"\n'
                        '#include "second/cameo/model.h"\n#include "cameo/dlpack.h"\n')
        for compiler in ("g++", "clang++-22"):
            if shutil.which(compiler):
                self.run_command(compiler, "-std=c++17", "-fsyntax-only", "-Ifirst", "-Isecond", "first/first.cpp",
                                 *sorted((self.folder / "second").glob("second*.cpp")), user)

    def test_other_interface(self):
        first, second = self.compile("first"), self.compile("second")
        text = (second / "CMakeLists.txt").read_text()
        (second / "CMakeLists.txt").write_text(re.sub(r"(CAMEO_ABI|abi EQUAL) \d+\)", r"\1 999)", text))
        project = self.project("both", f'add_subdirectory("{first}" first)\nadd_subdirectory("{second}" second)\n')
        done = self.run_command("cmake", "-S", project, "-B", project / "build", "-G", "Ninja", code=1)
        self.assertIn("by one version of cameo", " ".join(done.split()))

    def test_shared_library(self):
        net = self.compile("net")
        project = self.project("shared", f'add_subdirectory("{net}" net)\nadd_library(shared SHARED empty.cpp)\n'
                               "target_link_libraries(shared PRIVATE -Wl,--whole-archive net -Wl,--no-whole-archive)\n"
                               "target_link_options(shared PRIVATE -Wl,-z,text -Wl,-z,defs)\n")
        (project / "empty.cpp").write_text("")
        library = self.build(project, *QUICK) / "libshared.so"
        exported = {line.split()[-1] for line in self.run_command("nm", "-D", "--defined-only", library).splitlines()}
        self.assertIn("net_run", exported)
        self.assertIn("cameo_finish", exported)
        # The start-up files of the toolchain may have their own.
        self.assertEqual({s for s in exported if not s.startswith(("net_", "cameo_", "_init", "_fini", "_edata", "_end",
                                                                   "__bss_start"))}, set())

    def test_reconfiguring_builds_nothing(self):
        project = self.project("user", f'set(CAMEO_EXECUTABLE "{CAMEO}")\ninclude("{ROOT}/cmake/CameoAddModel.cmake")\n'
                               f'cameo_add_model(net MODEL "{self.model}")\n')
        build = self.build(project, *QUICK)
        self.run_command("cmake", build)
        self.assertIn("no work to do", self.run_command("ninja", "-C", build))
        # But what depends on the model is built when that changes.
        proto = ones()
        proto.graph.initializer[0].CopyFrom(numpy_helper.from_array(np.zeros((4, 4), np.float32), "w"))
        self.model.write_bytes(proto.SerializeToString())
        done = self.run_command("ninja", "-C", build)
        self.assertIn("net_weights.S", done)
        self.assertNotIn("errors.cpp", done)

    # ---- The program ----

    def test_flags_of_the_program(self):
        program = self.build(self.compile("net"), *QUICK) / "net"
        self.run_command(program, "--out", "deep/results")
        np.testing.assert_equal(np.load(self.folder / "deep" / "results" / "output_0.npy").shape, (2, 4))
        # Of microseconds, more than three decimals of a millisecond; one in a thousand has no more.
        times = [self.run_command(program, "--repeat", "9").splitlines()[-1] for _ in range(3)]
        self.assertTrue(any(re.fullmatch(r"0\.\d{4,} ms", time) for time in times), times)
        for flag, value in (("--repeat", "abc"), ("--repeat", "0"), ("--repeat", "3x"), ("--threads", "many"),
                            ("--threads", "-1")):
            self.assertIn(f"{flag} takes a number", self.run_command(program, flag, value, code=1))
        (self.folder / "taken").write_text("")
        self.assertIn("taken", self.run_command(program, "--out", "taken/results", code=1))

    def test_weights_beside_the_program(self):
        build = self.build(self.compile("net", "--weights", "file"), *QUICK)
        self.run_command(build / "net")
        weights = build / "net_weights.bin"
        content = weights.read_bytes()
        weights.unlink()
        done = self.run_command(build / "net", code=1)
        self.assertIn("net_weights.bin", done)
        self.assertIn("beside the program", done)
        # A file of that name in the working directory is none of ours.
        (self.folder / "net_weights.bin").write_bytes(content)
        self.run_command(build / "net", code=1)
        self.run_command(build / "net", "--weights", "net_weights.bin")
        weights.write_bytes(content[:-1] + b"x")
        self.assertIn("damaged", self.run_command(build / "net", code=1))

    def test_weights_from_the_caller(self):
        net = self.compile("net", "--weights", "extern")
        program = self.build(net, *QUICK) / "net"
        self.assertIn("LOAD_ERROR", self.run_command(program, code=1))
        self.run_command(program, "--weights", net / "net_weights.bin")
        self.assertIn("missing.bin", self.run_command(program, "--weights", "missing.bin", code=1))

    # ---- Memory ----

    def test_memory_up_to_the_first_late_symbol(self):
        """An arena of what memory() says carries a run to the extent that it finds out, and no byte further, by however
        many threads."""
        eye, node = numpy_helper.from_array(np.eye(4, dtype=np.float32), "eye"), helper.make_node
        zero = numpy_helper.from_array(np.int64([0]), "zero")
        row = numpy_helper.from_array(np.ones((1, 4), np.float32), "row")
        nodes = [node("MatMul", ["x", "eye"], ["before"]), node("MatMul", ["before", "eye"], ["same"]),
                 node("ReduceMax", ["same"], ["most"], keepdims=0), node("Cast", ["most"], ["count"], to=TensorProto.INT64),
                 node("Unsqueeze", ["count", "zero"], ["k"]), node("Concat", ["k", "one"], ["shape"], axis=0),
                 node("ConstantOfShape", ["shape"], ["ones"]), node("MatMul", ["ones", "row"], ["behind"]),
                 node("MatMul", ["behind", "eye"], ["y"])]
        one = numpy_helper.from_array(np.int64([1]), "one")
        path = self.folder / "late.onnx"
        path.write_bytes(model(nodes, [("x", ["n", 4])], [("y", ["k", 4])], initializers=[eye, zero, row, one]).SerializeToString())
        net = self.compile("net", path=path)
        (line,) = re.findall(r"^g\+\+ .*$", (net / "README.md").read_text(), re.M)
        (net / "net_main.cpp").write_text((HERE / "late_memory.cpp").read_text())
        self.run_command("sh", "-c", f"cd net && {line.replace('-O3', '-O0')}")
        for threads in ("1", "2", "7"):
            said = self.run_command(net / "net", threads, "0", "1000", "0").splitlines()
            self.assertEqual(said, ["OK late 1 peak before", "OK 0", "LIMIT 0", "OK 0"], f"{threads} threads")

    # ---- Strides ----

    def test_strides_without_a_heap(self):
        """A kernel writes rows where the caller has them; what would have to be copied is refused by name."""
        dense, apart = "10 10 10 10 26 26 26 26 -1 -1 -1 -1", "10 10 10 10 -1 -1 26 26 26 26 -1 -1"
        untouched = " ".join(["-1"] * 12)
        for flags, first in ((["--strided-outputs"], f"OK: {apart}"), ([], "UNSUPPORTED: output \"y\": its strides or alignment")):
            net = self.compile("net", "--heap", "none", "--threads", "0", *flags)
            (line,) = re.findall(r"^g\+\+ .*$", (net / "README.md").read_text(), re.M)
            self.run_command("sh", "-c", f"cd net && rm -f *.o && {line.replace('-O3', '-O0')}")
            self.run_command("sh", "-c", f"g++ -std=c++17 -Inet {HERE / 'strides.cpp'} net/*.o -o strides")
            said = self.run_command(self.folder / "strides").splitlines()
            self.assertTrue(said[0].startswith(first), said)
            self.assertEqual(said[1], f'INVALID_ARGUMENT: output "y": buffer has 36 bytes, need 40: {untouched}')
            self.assertEqual(said[2], f"OK: {dense}")

    # ---- READMEs ----

    def test_readme(self):
        for number, flags in enumerate(([], ["--heap", "none"], ["--heap", "none", "--threads", "0"], ["--weights", "file"],
                                        ["--weights", "extern"], ["--target", "cuda"])):
            with self.subTest(flags):
                name = f"net{number}"
                net = self.compile(name, *flags)
                readme = (net / "README.md").read_text()
                rows = re.findall(r"^\| (`.*`) \|", readme.split("## Files")[1], re.M)
                self.assertGreater(len(rows), 4)
                for pattern in (p for row in rows for p in re.findall(r"`([^`]*)`", row)):
                    pattern = f"{name}_weights{pattern}" if pattern.startswith(".") else pattern
                    self.assertTrue(list(net.glob(pattern)), f"{pattern} is not there")
                named = {p.name for row in rows for q in re.findall(r"`([^`]*)`", row) for p in net.glob(q)}
                there = {p.name for p in net.iterdir()} - {"README.md", "CMakeLists.txt", f"{name}_kernels.h",
                                                           f"{name}_weights.S"}
                self.assertEqual(there - named, set())
                if "cuda" in flags:
                    continue
                (line,) = re.findall(r"^g\+\+ .*$", readme, re.M)
                self.run_command("sh", "-c", f"cd {name} && {line.replace('-O3', '-O0')}")
                if "none" not in flags:
                    given = ["--weights", net / f"{name}_weights.bin"] if "extern" in flags else []
                    self.run_command(net / name, *given)


if __name__ == "__main__":
    skip_unless_taken("samples", *sys.argv[1:2], "tests/samples/projects.py", share=LONG)
    unittest.main()
