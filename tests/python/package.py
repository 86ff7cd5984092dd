#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cameo_onnx as scripts use it: numbers beside ONNX Runtime's, memory that is not copied, what is refused and in which words."""
import concurrent.futures
import ctypes
import gc
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock
import weakref
from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

import cameo_onnx
import cameo_onnx._core
import cameo_onnx.backend

DIGITS = Path(__file__).resolve().parent.parent.parent / "samples" / "digits"
# Quick to compile; what these tests are about does not depend on it.
QUICK = {"cxxflags": "-O0"}
F32 = TensorProto.FLOAT


def proto(nodes, inputs, outputs, initializers=()):
    """`inputs` and `outputs` are (name, type, dims)."""
    values = [[helper.make_tensor_value_info(*value) for value in side] for side in (inputs, outputs)]
    return helper.make_model(helper.make_graph(nodes, "tiny", *values, list(initializers)),
                             opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def unary(op, dtype=F32, dims=("n",), out=None, out_dims=None, **attributes):
    return proto([helper.make_node(op, ["x"], ["y"], name="it", **attributes)], [("x", dtype, dims)],
                 [("y", out or dtype, out_dims or dims)])


def compiled(*arguments, **attributes):
    return cameo_onnx.compile(unary(*arguments, **attributes), **QUICK)


class Exported:
    """What gives its memory by DLPack alone, as tensors of other frameworks do."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def emulator_calls(path):
    """Calls of CUDA's runtime inside a model's library, which exports none of them: its emulator has streams of its own."""
    symbols = subprocess.run(["nm", path], check=True, capture_output=True, text=True).stdout
    places = {words[-1]: int(words[0], 16) for words in map(str.split, symbols.splitlines()) if len(words) == 3}
    library = ctypes.CDLL(path)
    base = ctypes.cast(library.cameo_finish, ctypes.c_void_p).value - places["cameo_finish"]
    return lambda name, *arguments: ctypes.CFUNCTYPE(ctypes.c_int)(base + places[name])(*arguments)


def address_of(tensor):
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.POINTER(ctypes.c_void_p), [ctypes.py_object, ctypes.c_char_p]
    capsule = tensor.__dlpack__()  # its memory goes with it
    return ctypes.c_void_p(pointer(capsule, b"dltensor")[0])


class Case(unittest.TestCase):
    def refuse(self, code, words, call, *arguments, tensor="", node="", **options):
        with self.assertRaisesRegex(cameo_onnx.Error, words) as raised:
            call(*arguments, **options)
        error = pickle.loads(pickle.dumps(raised.exception))
        self.assertEqual((error.code, error.tensor, error.node), (code, tensor, node))


class Package(Case):
    @classmethod
    def setUpClass(cls):
        cls.digits = cameo_onnx.compile(DIGITS / "digits.onnx", **QUICK)
        cls.images = np.load(DIGITS / "images.npy").astype(np.float32).reshape(-1, 1, 8, 8)[:7]
        cls.theirs = onnxruntime.InferenceSession(DIGITS / "digits.onnx").run(None, {"image": cls.images})
        cls.transpose = compiled("Transpose", dims=["n", "m"], out_dims=["m", "n"])

    def agree(self, outputs):
        np.testing.assert_allclose(outputs["probabilities"], self.theirs[0], rtol=1e-4, atol=1e-5)
        np.testing.assert_array_equal(outputs["digit"], self.theirs[1])

    def agree_of_many(self, session):
        """Of so many images that a session with several threads splits the work."""
        many = session.run({"image": np.concatenate([self.images] * 16)})
        self.agree({name: value[:len(self.images)] for name, value in many.items()})

    def test_what_a_model_says(self):
        image, = self.digits.inputs
        self.assertEqual((image.name, image.dtype, image.dims, image.kind), ("image", "float32", ("batch", 1, 8, 8), "tensor"))
        self.assertEqual([(port.name, port.dtype, port.dims) for port in self.digits.outputs],
                         [("probabilities", "float32", ("batch", 10)), ("digit", "int64", ("batch",))])
        one, many = (self.digits.memory({"image": (batch, 1, 8, 8)}) for batch in (1, 64))
        self.assertLess(one.host_arena, many.host_arena)
        self.assertGreater(one.weights, 0)
        self.assertIn("nodes", self.digits.plan)
        self.refuse("UNSUPPORTED", "explain", lambda: cameo_onnx.load(self.digits.path).plan)
        self.refuse("INVALID_ARGUMENT", "rank is 1, need 4", self.digits.memory, {"image": (1,)}, tensor="image")

    def test_keys(self):
        """Of the columns of a tensor that stands for a list of dicts."""
        nodes = [helper.make_node("ZipMap", ["x"], ["ids"], domain="ai.onnx.ml", classlabels_int64s=[7, -4]),
                 helper.make_node("ZipMap", ["x"], ["names"], domain="ai.onnx.ml", classlabels_strings=["yes", "nö"])]
        model = proto(nodes, [("x", F32, ("n", 2))], [])
        model.opset_import.append(helper.make_opsetid("ai.onnx.ml", 3))
        for name, key in (("ids", TensorProto.INT64), ("names", TensorProto.STRING)):
            maps = helper.make_map_type_proto(key, helper.make_tensor_type_proto(F32, []))
            model.graph.output.append(helper.make_value_info(name, helper.make_sequence_type_proto(maps)))
        compiled = cameo_onnx.compile(model, **QUICK)
        self.assertEqual([port.keys for port in (*compiled.inputs, *compiled.outputs)], [None, (7, -4), ("yes", "nö")])
        x = np.float32([[1, 2]])
        np.testing.assert_array_equal(compiled.session().run({"x": x})["names"], x)

    def test_numbers(self):
        for options in ({"threads": 1}, {"threads": 2}, {}):
            self.agree(self.digits.session(**options).run({"image": self.images}))
        session = self.digits.session()
        self.agree(session.run({"image": Exported(self.images)}))
        self.agree(session.run({"image": self.images.tolist()}))
        out = {"probabilities": np.empty_like(self.theirs[0]), "digit": Exported(np.empty_like(self.theirs[1]))}
        results = session.run({"image": self.images}, out=out)
        self.assertIs(results["probabilities"], out["probabilities"])
        self.agree({"probabilities": out["probabilities"], "digit": out["digit"].array})
        self.assertEqual(session.counters["repacks"], 0)
        futures = [session.run_async({"image": self.images}) for _ in range(3)]
        for future in futures:
            self.agree(future.result())

    def test_memory_as_it_lies(self):
        session = self.transpose.session()
        base = np.arange(12, dtype=np.float32).reshape(3, 4)
        for name, array, repacks in (("dense", base, 0), ("columns first", base.T, 1), ("every second", base[:, ::2], 1),
                                     ("backwards", base[::-1], 0), ("another byte order", base.astype(">f4"), 0),
                                     ("one element", np.broadcast_to(np.float32(3), (2, 3)), 1),
                                     ("nothing", np.zeros((0, 3), np.float32), 0)):
            with self.subTest(name):
                np.testing.assert_array_equal(session.run({"x": array})["y"], array.T)
                self.assertEqual(session.counters["repacks"], repacks)

    def test_element_types(self):
        """Of one model, with an output for each input: in capitals what goes in."""
        given = {"BOOL": np.array([True, False]), "FLOAT16": np.array([1, 2], np.float16), "UINT8": np.array([255], np.uint8),
                 "INT64": np.array([-1 << 62]), "DOUBLE": np.array([1e300]), "FLOAT": np.array(-3.5, np.float32),
                 "BFLOAT16": np.array([1, -2.5], ml_dtypes.bfloat16), "FLOAT8E4M3FN": np.array([1, -2], ml_dtypes.float8_e4m3fn),
                 "INT4": np.array([1, -8, 7], ml_dtypes.int4), "UINT4": np.array([15, 1, 3], ml_dtypes.uint4),
                 "STRING": np.array([["a", "b\u00e9"], ["", "\0z"]], dtype=object)}
        ports = [(name, TensorProto.DataType.Value(name), [f"{name}{k}" for k in range(array.ndim)]) for name, array in given.items()]
        nodes = [helper.make_node("Identity", [name], [name.lower()]) for name in given]
        session = cameo_onnx.compile(proto(nodes, ports, [(name.lower(), *rest) for name, *rest in ports]), **QUICK).session()
        outputs = session.run(given)
        for name, array in given.items():
            with self.subTest(name):
                self.assertEqual(outputs[name.lower()].dtype, array.dtype)
                self.assertEqual(outputs[name.lower()].tolist(), array.tolist())

        def run(name, value, out=None):
            return session.run({**given, name: value}, None if out is None else {name.lower(): out})[name.lower()]

        self.assertEqual(run("FLOAT", 3.5), 3.5)
        self.assertEqual(run("UINT8", [0, 255]).tolist(), [0, 255])
        self.assertEqual(run("STRING", run("STRING", [[b"\xff"]])).tolist(), [["\udcff"]])
        lent = np.zeros(2, ml_dtypes.bfloat16)
        self.assertIs(run("BFLOAT16", given["BFLOAT16"], lent), lent)
        self.assertEqual(lent.tolist(), [1, -2.5])
        for words, name, value in (("lie beyond", "UINT8", [256]), ("given float64", "UINT8", [0.5]), ("no array", "UINT8", [[1], [1, 2]]),
                                   ("takes strings, and was given int", "STRING", [[1]]),
                                   ("array given uint16", "BFLOAT16", np.zeros(2, np.uint16))):
            self.refuse("INVALID_ARGUMENT", words, run, name, value, tensor=name)
        for words, name in (("leave it out", "STRING"), ("bfloat16, and the array", "BFLOAT16")):
            self.refuse("INVALID_ARGUMENT", words, run, name, given[name], np.zeros(2), tensor=name.lower())

    def test_lent_memory(self):
        session = self.transpose.session()
        x, y = session.lend("x", (3, 4)), session.lend("y", (4, 3))
        x[:] = np.arange(12).reshape(3, 4)
        self.assertIs(session.run({"x": x}, {"y": y})["y"], y)
        np.testing.assert_array_equal(y, x.T)
        self.assertEqual(session.counters["repacks"] + session.counters["host_copies"], 0)
        self.assertTrue(np.shares_memory(session.lend("x", (2, 2)), x))
        self.refuse("INVALID_ARGUMENT", "the most first", session.lend, "x", (5, 5), tensor="x")
        self.refuse("INVALID_ARGUMENT", "these extents", session.lend, "x", (-1, 5), tensor="x")
        self.refuse("INVALID_ARGUMENT", "there is no input or output 'z'; they are 'x' and 'y'", session.lend, "z", ())
        del session
        gc.collect()
        np.testing.assert_array_equal(y, x.T)

    def test_late_extents(self):
        session = compiled("NonZero", out=TensorProto.INT64, out_dims=[1, "k"]).session()
        kept = []
        for values in ([0, 1, 0, 2], [0, 0], [], [1] * 1000):
            array = np.array(values, np.float32)
            kept.append((session.run({"x": array})["y"], np.array(np.nonzero(array))))
        # Results own their memory: later runs leave them alone.
        for result, expected in kept:
            np.testing.assert_array_equal(result, expected)
        lent = np.full((1, 4), -1)
        result = session.run({"x": np.array([0, 1, 0, 2], np.float32)}, {"y": lent})["y"]
        self.assertEqual(result.tolist(), [[1, 3]])
        self.assertTrue(np.shares_memory(result, lent))
        self.refuse("INVALID_ARGUMENT", "buffer has 8 bytes, need 32", session.run, {"x": np.ones(4, np.float32)},
                    {"y": np.zeros((1, 1), np.int64)}, tensor="y")

    def test_what_is_refused(self):
        session, base = self.transpose.session(), np.zeros((3, 4), np.float32)
        locked = np.zeros((4, 3), np.float32)
        locked.flags.writeable = False
        for words, tensor, *arguments in (
                ("is float32, and the array given float64", "x", {"x": base.astype(np.float64)}),
                ("is float32, and the tensor given int64", "x", {"x": Exported(base.astype(np.int64))}),
                ("what was given <U1", "x", {"x": [["a"]]}), ("object of type NoneType", "x", {"x": None}),
                ("was not given", "x", {}), ("there is no input 'X'; they are 'x'", "", {"X": base}),
                ("there is no input 'z'", "", {"x": base, "z": base}), ("takes a dict", "", [base]),
                ("rank is 1, need 2", "x", {"x": base[0]}),
                ("no output; they are 'y'", "", {"x": base}, {"x": base}), ("is a dict", "", {"x": base}, [locked]),
                ("other extents", "y", {"x": base}, {"y": base}), ("can be written", "y", {"x": base}, {"y": locked}),
                ("is float32, and the array in `out` float64", "y", {"x": base}, {"y": np.zeros((4, 3))}),
                ("overlaps", "y", {"x": base}, {"y": base.reshape(4, 3)}),
                ("one behind the other", "y", {"x": base}, {"y": np.zeros((4, 6), np.float32)[:, ::2]})):
            with self.subTest(words):
                self.refuse("INVALID_ARGUMENT", words, session.run, *arguments, tensor=tensor)
        self.refuse("INVALID_ARGUMENT", "made of integers", self.transpose.memory, {"x": (1.5, 2)}, tensor="x")
        self.refuse("INVALID_ARGUMENT", "`threads`", self.transpose.session, threads=-1)
        # None of it leaves the session unusable, or holds on to an array.
        self.assertEqual(session.run({"x": base})["y"].shape, (4, 3))
        held = sys.getrefcount(base)
        session.run({"x": base})
        self.assertEqual(sys.getrefcount(base), held)

        gather = proto([helper.make_node("Gather", ["x", "at"], ["y"], name="pick")],
                       [("x", F32, [4]), ("at", TensorProto.INT64, [1])], [("y", F32, [1])])
        picks = cameo_onnx.compile(gather, **QUICK).session()
        with self.assertRaises(cameo_onnx.Error) as raised:
            picks.run({"x": np.zeros(4, np.float32), "at": np.array([9])})
        self.assertEqual(raised.exception.code, "OUT_OF_RANGE")
        self.assertIn("pick", raised.exception.node)

    def test_what_the_compiler_says(self):
        self.refuse("UNSUPPORTED", "Frobnicate", cameo_onnx.compile, unary("Frobnicate"))
        self.refuse("USAGE", "did you mean '--precision'", cameo_onnx.compile, DIGITS / "digits.onnx", precison="exact")
        self.refuse("IO", "No such file", cameo_onnx.compile, "missing.onnx")
        self.refuse("MALFORMED", "", cameo_onnx.compile, b"no model")
        self.refuse("MALFORMED", "sum", cameo_onnx.compile, proto(
            [helper.make_node("Add", ["x", "z"], ["y"], name="sum")], [("x", F32, [2]), ("z", F32, [3])], [("y", F32, [2])]),
            node="tiny/sum")
        self.assertEqual(cameo_onnx.compile(unary("Neg"), dim={"n": 4}, **QUICK).inputs[0].dims, (4,))
        default = proto([helper.make_node("Add", ["x", "w"], ["y"])], [("x", F32, [1]), ("w", F32, [1])], [("y", F32, [1])],
                        [helper.make_tensor("w", F32, [1], [10])])
        for freezes in (False, True):
            ports = cameo_onnx.compile(default, freeze_initializers=freezes, strided_outputs=None, **QUICK).inputs
            self.assertEqual([port.name for port in ports if port.optional], [] if freezes else ["w"])
        for name, value, words in (("CXX", "no-such-compiler", r"there is no compiler .*\n.*load\(\)"),
                                   ("CAMEO", "no-such-program", "CAMEO names no-such-program")):
            os.environ[name], before = value, os.environ.get(name)
            try:
                self.refuse("IO", words, cameo_onnx.compile, unary("Neg"))
            finally:
                os.environ.pop(name)
                if before:
                    os.environ[name] = before

    def test_the_command(self):
        """It is the program in the package or $CAMEO, never the first `cameo` in PATH, which may be itself."""
        script = "from cameo_onnx import _program; _program._BUNDLED = '/nowhere'; _program.main()"
        run = lambda **variables: subprocess.run([sys.executable, "-c", script, "--version"], capture_output=True, text=True,
                                                 env={**os.environ, **variables}, timeout=60)
        self.assertEqual(run().stdout.split()[:2], ["cameo", cameo_onnx.__version__])
        with tempfile.TemporaryDirectory() as folder:
            itself = Path(folder) / "cameo"
            itself.write_text(f"#!{sys.executable}\n{script}\n")
            itself.chmod(0o755)
            done = run(PATH=folder, CAMEO="cameo")
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, "cannot be started: No such file or directory; CAMEO names another program")

    def test_libraries(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "given.so"
            subprocess.run([os.environ["CAMEO"], "build", DIGITS / "digits.onnx", "--cxxflags=-O0", "-o", path], check=True,
                           stdout=subprocess.DEVNULL)
            self.agree(cameo_onnx.load(path).session().run({"image": self.images}))
            self.agree(cameo_onnx.load(path, name="digits").session().run({"image": self.images}))
            exported = subprocess.run(["nm", "-D", "--defined-only", path], check=True, capture_output=True, text=True).stdout
            names = [line.split()[-1] for line in exported.splitlines()]
            self.assertEqual([name for name in names if not name.startswith(("cameo_", "digits_"))], [])
            self.assertNotIn("cameo_driver", exported)
            self.refuse("LOAD_ERROR", "other_describe", cameo_onnx.load, path, name="other")
            path.write_bytes(b"no library")
            self.refuse("LOAD_ERROR", "given.so", cameo_onnx.load, path)
        self.refuse("LOAD_ERROR", "none of Cameo's", cameo_onnx.load, cameo_onnx._core.__file__)

    def test_pickles(self):
        """Whoever unpickles has neither the compiler nor the cache, and may pass it on."""
        script = ("import os, pickle, sys\nos.environ['CAMEO'] = '/nowhere'\n"
                  "model = pickle.loads(pickle.dumps(pickle.load(sys.stdin.buffer)))\n"
                  "print(model.session(threads=1).run({'x': [[1, 2], [3, 4]]})['y'].tolist())")
        done = subprocess.run([sys.executable, "-c", script], input=pickle.dumps(self.transpose), capture_output=True, cwd="/")
        self.assertEqual((done.stdout, done.stderr), (b"[[1.0, 3.0], [2.0, 4.0]]\n", b""))
        with tempfile.TemporaryDirectory() as folder:
            given = cameo_onnx.compile(unary("Neg"), output=f"{folder}/given.so", **QUICK)
        self.assertEqual(given.session().run({"x": [1.0]})["y"].tolist(), [-1])
        self.refuse("IO", "compile the model again", pickle.dumps, given)

    def test_executor(self):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            session = self.digits.session(threads=4, executor=pool)
            for _ in range(20):
                self.agree_of_many(session)
            # From within the pool, which is full then.
            for future in [pool.submit(self.agree_of_many, self.digits.session(threads=4, executor=pool)) for _ in range(4)]:
                future.result(timeout=60)
        # Nobody is left to work, but for the caller.
        told = []
        with unittest.mock.patch("sys.unraisablehook", lambda raised: told.append(str(raised.exc_value))):
            self.agree_of_many(session)
        self.assertIn("after shutdown", told[0])
        self.refuse("INVALID_ARGUMENT", "pieces", self.digits.session, executor=pool)

        class Knowing:
            def submit(self, work):
                try:
                    self.session.run({})
                except cameo_onnx.Error as error:
                    self.code = error.code

        executor = Knowing()
        executor.session = self.digits.session(threads=2, executor=executor)
        self.agree_of_many(executor.session)
        self.assertEqual(executor.code, "BUSY")
        gone = weakref.ref(executor.session)
        del executor
        gc.collect()
        self.assertIsNone(gone())

    def test_threads(self):
        """A run lets other threads of Python go on, and a second call at once on one session is refused."""
        body = helper.make_graph(
            [helper.make_node("Identity", ["c"], ["c_out"]), helper.make_node("Add", ["s", "step"], ["s_out"])], "body",
            [helper.make_tensor_value_info("i", TensorProto.INT64, []), helper.make_tensor_value_info("c", TensorProto.BOOL, []),
             helper.make_tensor_value_info("s", F32, [1])],
            [helper.make_tensor_value_info("c_out", TensorProto.BOOL, []), helper.make_tensor_value_info("s_out", F32, [1])])
        loop = proto([helper.make_node("Loop", ["trips", "", "x"], ["y"], body=body)],
                     [("trips", TensorProto.INT64, []), ("x", F32, [1]), ("step", F32, [1])], [("y", F32, [1])])
        session = cameo_onnx.compile(loop, **QUICK).session(threads=1)

        def watch(trips):
            """Times that this thread woke while another was in a run, and was refused one of its own."""
            feeds = {"trips": trips, "x": [0.0], "step": [1.0]}
            thread = threading.Thread(target=session.run, args=(feeds,))
            ticks = refused = 0
            thread.start()
            while thread.is_alive():
                time.sleep(0.01)
                ticks += 1
                try:
                    session.run({**feeds, "trips": 1})
                except cameo_onnx.Error as error:
                    refused += error.code == "BUSY"
            return min(ticks, refused)

        # A run that holds the interpreter is seen once, however long it takes.
        trips, start = 1000, time.monotonic()
        while (seen := watch(trips)) < 3 and time.monotonic() - start < 20:
            trips *= 4
        self.assertGreaterEqual(seen, 3)

    def test_fork(self):
        session = self.digits.session(threads=2)
        session.run_async({"image": self.images}).result()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                self.agree(session.run({"image": self.images}))
                self.agree(session.run_async({"image": self.images}).result(timeout=60))
                self.agree(self.digits.session(threads=2).run({"image": self.images}))
                status = 0
            finally:
                os._exit(status)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_inference_session(self):
        options = cameo_onnx.SessionOptions()
        options.intra_op_num_threads = 2
        options.graph_optimization_level = cameo_onnx.GraphOptimizationLevel.ORT_ENABLE_ALL
        ours = cameo_onnx.InferenceSession(str(DIGITS / "digits.onnx"), options, providers=["CPUExecutionProvider"], **QUICK)
        theirs = onnxruntime.InferenceSession(DIGITS / "digits.onnx")
        for side in ("get_inputs", "get_outputs"):
            self.assertEqual([(arg.name, arg.type, arg.shape) for arg in getattr(ours, side)()],
                             [(arg.name, arg.type, arg.shape) for arg in getattr(theirs, side)()])
        self.assertEqual(ours.get_providers(), ["CPUExecutionProvider"])
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for digits, in pool.map(lambda _: ours.run(["digit"], {"image": self.images}), range(8)):
                np.testing.assert_array_equal(digits, self.theirs[1])
        self.refuse("INVALID_ARGUMENT", "there is no output", ours.run, ["nothing"], {"image": self.images})
        self.refuse("INVALID_ARGUMENT", "Abacus", cameo_onnx.InferenceSession, DIGITS / "digits.onnx", providers=["Abacus"])

    def test_backend(self):
        backend = cameo_onnx.backend
        self.assertTrue(backend.supports_device("CPU"))
        self.agree(backend.prepare(onnx.load(DIGITS / "digits.onnx"), **QUICK).run([self.images])._asdict())
        node = helper.make_node("Sub", ["a", "b"], ["c"])
        result, = backend.run_node(node, [np.float32([3, 4]), np.float32([1, 5])], **QUICK)
        self.assertEqual(result.tolist(), [2, -1])


class Device(Case):
    def test_memory(self):
        """Tensors of the device go in and out as they are; arrays of the host are copied, once."""
        model = cameo_onnx.compile(unary("Neg"), target="cuda-emu", **QUICK)
        session, values = model.session(), np.arange(1000, dtype=np.float32)
        host = compiled("Neg").session()
        first, second = session.lend("x", [1000]), session.lend("y", [1000])
        self.assertEqual(first.__dlpack_device__(), (2, 0))
        copies = lambda: (session.counters["h2d"], session.counters["d2h_outputs"])
        self.assertIs(session.run({"x": values}, {"y": first})["y"], first)
        self.assertEqual(copies(), (1, 0))
        session.run({"x": first}, {"y": second})
        self.assertEqual(copies(), (0, 0))
        np.testing.assert_array_equal(session.run({"x": second})["y"], -values)
        self.assertEqual(copies(), (0, 1))
        self.refuse("INVALID_ARGUMENT", "device that this model does not run on", host.run, {"x": first}, tensor="x")
        self.refuse("INVALID_ARGUMENT", "memory of that device", host.run, {"x": values}, {"y": first}, tensor="y")

    def test_streams(self):
        """A run behind a copy on a stream of the caller's, which the call does not wait for. Streams do not wait for one another,
        and the emulator finds who reads what another has not written."""
        model = cameo_onnx.compile(unary("Neg"), target="cuda-emu", **QUICK)
        session, values = model.session(), np.arange(1000, dtype=np.float32)
        x, y = session.lend("x", [1000]), session.lend("y", [1000])
        call = emulator_calls(model.path)
        handle = ctypes.c_void_p()
        self.assertEqual(call("cudaStreamCreateWithFlags", ctypes.byref(handle), 1), 0)

        class Stream:
            version = 0

            def __cuda_stream__(self):
                return self.version, handle.value

        class Tensor(Exported):
            def __dlpack__(self, stream=None, **options):
                self.stream = stream
                return super().__dlpack__(**options)

        to_device, not_ready = 1, 600
        for stream in (handle.value, Stream()):
            values += 1
            given, written = Tensor(x), Tensor(y)
            self.assertEqual(call("cudaMemcpyAsync", address_of(x), values.ctypes.data_as(ctypes.c_void_p),
                                  ctypes.c_size_t(values.nbytes), to_device, handle), 0)
            self.assertIs(session.run({"x": given}, {"y": written}, stream=stream)["y"], written)
            self.assertEqual((given.stream, written.stream), (handle.value, handle.value))
            self.assertEqual(call("cudaStreamQuery", handle), not_ready)
            held = weakref.ref(written)
            del given, written
            self.assertIsNotNone(held())
            session.finish()
            self.assertIsNone(held())
            np.testing.assert_array_equal(session.run({"x": y}, stream=stream)["y"], values)
        # What one call leaves, the next lets go of, once it is done.
        session.run({"x": x}, {"y": y}, stream=handle.value)
        self.assertEqual(call("cudaStreamSynchronize", handle), 0)
        np.testing.assert_array_equal(session.run({"x": y})["y"], values)
        Stream.version = 9
        for words, stream in (("or what has `__cuda_stream__`, version 0", Stream()), ("number of a CUDA stream", "first")):
            self.refuse("INVALID_ARGUMENT", words, session.run, {"x": x}, {"y": y}, stream=stream)
        self.refuse("INVALID_ARGUMENT", "the CPU, which has no streams", compiled("Neg").session().run, {"x": values}, stream=1)
        session.finish()
        self.assertEqual(call("cudaStreamDestroy", handle), 0)


if __name__ == "__main__":
    if not shutil.which(os.environ.get("CXX", "g++")):
        sys.exit("there is no compiler")
    unittest.main()
