#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables through models, by cameo_onnx.score and on a cluster of Ray's: rows beside ONNX Runtime's, runs and workers that are
killed in the middle, and what is refused. score.py [CLASS...]; $CAMEO names the compiler."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import numpy as np
import onnxruntime
import pyarrow as pa
import pyarrow.dataset
import pyarrow.feather
import pyarrow.parquet as pq
from onnx import TensorProto, helper

import cameo_onnx
import cameo_onnx.ray
from package import DIGITS, F32, QUICK, Case, proto, unary

INT64, STRING = TensorProto.INT64, TensorProto.STRING


def images(count, seed=0):
    return np.random.default_rng(seed).integers(0, 17, (count, 64)).astype(np.float32)


def image_table(count, start=0):
    """Rows with a number of their own, and an image as a list."""
    values = pa.FixedSizeListArray.from_arrays(pa.array(images(count, start).reshape(-1)), 64)
    return pa.table({"row": pa.array(range(start, start + count)), "pixels": values})


class Table(Case):
    @classmethod
    def setUpClass(cls):
        cls.digits = cameo_onnx.compile(DIGITS / "digits.onnx", **QUICK)
        cls.theirs = onnxruntime.InferenceSession(DIGITS / "digits.onnx")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, table, rows=100):
        """A source, of pieces of so many rows."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".parquet":
            pq.write_table(table, path, row_group_size=rows)
        else:
            pa.feather.write_feather(table, path, chunksize=rows)
        return path

    def agree(self, table, source):
        """Each row of the source is there once, in its order, with what ONNX Runtime says of it."""
        self.assertEqual(table["row"].to_pylist(), source["row"].to_pylist())
        pixels = np.array(source["pixels"].to_pylist(), np.float32).reshape(-1, 1, 8, 8)
        probabilities, digits = self.theirs.run(None, {"image": pixels})
        np.testing.assert_allclose(np.array(table["probabilities"].to_pylist()), probabilities, rtol=1e-4, atol=1e-5)
        self.assertEqual(table["digit"].to_pylist(), digits.tolist())

    def score(self, source, **options):
        return cameo_onnx.score(source, self.digits, self.folder / "sink", {"image": "pixels"}, **{"keep": ["row"], **options})

    def sink(self):
        return pyarrow.dataset.dataset(self.folder / "sink").to_table()


class Score(Table):
    def test_files(self):
        """Of Parquet and of Arrow, in a folder; pieces that no batch divides, and empty ones."""
        whole = image_table(1050)
        for name, start, count in (("a.parquet", 0, 350), ("b/c.arrow", 350, 330), ("b/d.parquet", 680, 0), ("e.feather", 680, 370)):
            self.write(f"source/{name}", whole.slice(start, count))
        (self.folder / "source" / "_notes.parquet").write_text("no table")
        told = []
        done = self.score(self.folder / "source", batch=32, progress=lambda *counts: told.append(counts))
        self.agree(self.sink(), whole)
        self.assertEqual((done.rows, done.resumed, len(done.files)), (1050, 0, 13))
        self.assertEqual(told, sorted(told))
        self.assertEqual(told[-1], (1050, 1050))
        self.assertEqual(sorted(os.listdir(self.folder / "sink")),
                         ["_SUCCESS", "_score.json", *(f"part-{number:05}.parquet" for number in range(13))])
        # As the model says them, for those who read the files.
        kinds = {field.name: str(field.type) for field in self.sink().schema}
        self.assertEqual(kinds, {"row": "int64", "probabilities": "fixed_size_list<element: float not null>[10]", "digit": "int64"})
        self.assertEqual(self.score(self.folder / "source").resumed, 1050)

    def test_one_large_piece(self):
        """Is scored by all workers, written in order, and held in memory in no part of the work."""
        rows = 40_000
        pixels = pa.FixedSizeListArray.from_arrays(pa.array(np.tile(images(500), (80, 32)).reshape(-1)), 2048)
        path = self.write("wide.parquet", pa.table({"row": range(rows), "x": pixels}), rows)
        model = cameo_onnx.compile(proto([helper.make_node("ReduceSum", ["x", "axes"], ["y"], keepdims=0)], [("x", F32, ["n", 2048])],
                                         [("y", F32, ["n"])], [helper.make_tensor("axes", INT64, [1], [1])]),
                                   output=str(self.folder / "sum.so"), **QUICK)
        script = ("import resource, sys, cameo_onnx\nfrom cameo_onnx import score\nsource, model, sink = sys.argv[1:]\n"
                  "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
                  "before = peak()\nscore(source, cameo_onnx.load(model), sink, workers=3, keep='row')\nprint(peak() - before)")
        done = subprocess.run([sys.executable, "-c", script, path, model.path, self.folder / "sink"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(int(done.stdout) << 10, 160 << 20, "of 320 MiB that the source has")
        self.assertEqual(self.sink()["row"].to_pylist(), list(range(rows)))
        np.testing.assert_array_equal(self.sink()["y"].to_numpy(), np.tile(images(500), (80, 1)).sum(1) * 32)

    def run_rows(self, model, table, columns=None, **options):
        sink = self.folder / f"sink{len(os.listdir(self.folder))}"
        cameo_onnx.score(self.write("table.parquet", table), model, sink, columns, **options)
        return pyarrow.dataset.dataset(sink).to_table()

    def test_columns(self):
        """Arrow's ways to say a matrix or an image a row."""
        array = np.arange(24, dtype=np.float32).reshape(4, 2, 3)
        flat = pa.array(array.reshape(-1))
        lists = pa.ListArray.from_arrays(pa.array([0, 6, 12, 18, 24], pa.int32()), flat)
        tensors = pa.FixedShapeTensorArray.from_numpy_ndarray(array)
        nested = pa.array(array.tolist())
        model = cameo_onnx.compile(unary("Neg", dims=["n", 2, 3]), **QUICK)
        opened = cameo_onnx.compile(unary("Neg", dims=["n", "h", "w"]), **QUICK)
        for name, column, models in (("fixed", pa.FixedSizeListArray.from_arrays(flat, 6), [model]), ("lists", lists, [model]),
                                     ("tensors", tensors, [model, opened]), ("nested", nested, [model, opened]),
                                     ("doubles", pa.array(array.astype(np.float64).tolist()), [model]),
                                     ("integers", pa.array(array.astype(int).tolist(), pa.list_(pa.list_(pa.int16()))), [opened])):
            for one in models:
                with self.subTest(name):
                    result = self.run_rows(one, pa.table({"x": column}))["y"]
                    self.assertEqual(result.to_pylist(), (-array).tolist())
                    # A part of an array begins in the middle of its memory.
                    self.assertEqual(cameo_onnx.ray.Scorer(one)(pa.table({"x": column}).slice(1, 2))["y"].to_pylist(), (-array[1:3]).tolist())
        words = cameo_onnx.compile(proto([helper.make_node("ReduceSum", ["x", "axes"], ["total"], keepdims=0), helper.make_node("Neg", ["x"], ["y"])],
                                         [("x", F32, ["n", "length"])], [("total", F32, ["n"]), ("y", F32, ["n", "length"])],
                                         [helper.make_tensor("axes", INT64, [1], [1])]), **QUICK)
        lists = pa.table({"x": pa.array([[1], [2, 3], [4], [], [5, 6, 7]], pa.list_(pa.float32()))})
        self.assertEqual(self.run_rows(words, lists, batch=1).to_pydict(),
                         {"total": [1, 5, 4, 0, 18], "y": [[-1], [-2, -3], [-4], [], [-5, -6, -7]]})
        matrix = cameo_onnx.compile(unary("Neg", dims=["n", 3]), **QUICK)
        table = pa.table({"a": [1, 2], "b": [1.5, 2.5], "c": pa.array(["3", "3"]).cast(pa.float32()).dictionary_encode()})
        self.assertEqual(self.run_rows(matrix, table, {"x": ["a", "b", "c"]})["y"].to_pylist(), [[-1, -1.5, -3], [-2, -2.5, -3]])
        column = cameo_onnx.compile(unary("Neg", dims=["n", 1]), **QUICK)
        self.assertEqual(self.run_rows(column, table, {"x": "b"})["y"].to_pylist(), [[-1.5], [-2.5]])

    def test_element_types(self):
        names = {"BOOL": [True, False, True], "FLOAT16": [1, 2, 3], "UINT8": [255, 0, 1], "DOUBLE": [1e300, 1, 2], "INT64": [1 << 62, 0, 1],
                 "STRING": ["a", "\u00e9", ""]}
        types = {"FLOAT16": pa.float16(), "UINT8": pa.uint8()}
        ports = [(name, TensorProto.DataType.Value(name), ["n"]) for name in names]
        model = proto([helper.make_node("Identity", [name], [name.lower()]) for name in names], ports,
                      [(name.lower(), *rest) for name, *rest in ports])
        table = pa.table({name: pa.array(values, types.get(name)) for name, values in names.items()})
        result = self.run_rows(cameo_onnx.compile(model, **QUICK), table, keep="INT64")
        self.assertEqual(result.column_names, ["INT64", *map(str.lower, names)])
        for name, values in names.items():
            self.assertEqual(result[name.lower()].to_pylist(), values)
            self.assertEqual(result[name.lower()].type, table[name].type)

    def test_runs_of_fixed_size(self):
        """A model exported for four rows; the last run has one that is asked for."""
        model = cameo_onnx.compile(unary("Softmax", dims=[4, 2]), **QUICK)
        values = np.random.default_rng(1).random((9, 2)).astype(np.float32)
        result = self.run_rows(model, pa.table({"x": values.tolist()}), batch=6)["y"]
        np.testing.assert_allclose(result.to_pylist(), np.exp(values) / np.exp(values).sum(1, keepdims=True), rtol=1e-6)

    def test_constants_and_outputs(self):
        nodes = [helper.make_node("Add", ["x", "shift"], ["y"]), helper.make_node("ReduceMax", ["x"], ["most"], keepdims=0)]
        model = cameo_onnx.compile(proto(nodes, [("x", F32, ["n"]), ("shift", F32, [])], [("y", F32, ["n"]), ("most", F32, [])]), **QUICK)
        table = pa.table({"x": [1.0, 2.0]})
        result = self.run_rows(model, table, constants={"shift": 10.0}, outputs=["y"])
        self.assertEqual(result.to_pydict(), {"y": [11, 12]})
        self.refuse("INVALID_ARGUMENT", "scalar, and no column: constants=", self.run_rows, model, table, outputs="y", tensor="shift")
        self.refuse("INVALID_ARGUMENT", "scalar, and no column: outputs=", self.run_rows, model, table, constants={"shift": 1.0}, tensor="most")

    def test_what_is_refused(self):
        model = cameo_onnx.compile(unary("Neg", dims=["n", "h", "w"]), **QUICK)
        table = lambda values, kind=None: pa.table({"x": pa.array(values, kind)})
        for words, given, columns in (
                ("'x' is no column; they are z: columns=", pa.table({"z": [1]}), None),
                ("'q' is no input; they are x", table([[1]]), {"q": "x"}),
                ("is [n, h, w], and a row of 'x' [2]".replace("[", r"\["), table([[1, 2]]), None),
                ("lists of 1 to 2 elements", table([[[1]], [[1], [2]]]), None),
                ("has nulls", table([[[1]], None]), None), ("has nulls", table([[[None]]]), None),
                ("is a column of string, and 'x' takes float32", table([[["a"]]]), None),
                ("16777217", table([[[(1 << 24) + 1]]]), None)):
            with self.subTest(words):
                self.refuse("INVALID_ARGUMENT", words, self.run_rows, model, given, columns,
                            tensor="q" if columns else "x")
        self.refuse("INVALID_ARGUMENT", "a column to keep and an output", self.run_rows, cameo_onnx.compile(unary("Neg"), **QUICK),
                    pa.table({"x": [1.0], "y": [1.0]}), keep=["y"], tensor="y")
        late = cameo_onnx.compile(proto([helper.make_node("NonZero", ["x"], ["y"])], [("x", F32, ["n"])], [("y", INT64, [1, "k"])]), **QUICK)
        self.refuse("INVALID_ARGUMENT", r"is \[1, 3\] of 4 rows, and no column", self.run_rows, late, table([1, 0, 2, 3]), tensor="y")
        self.refuse("INVALID_ARGUMENT", "bfloat16, which Arrow has no columns of", cameo_onnx.ray.Scorer,
                    cameo_onnx.compile(unary("Neg", TensorProto.BFLOAT16), **QUICK), tensor="x")
        (self.folder / "text.parquet").write_text("no table")
        (self.folder / "cut.parquet").write_bytes(b"PAR1cut")
        (self.folder / "empty").mkdir()
        for code, words, source in (("IO", "missing.parquet: No such file", "missing.parquet"), ("IO", "no files of .*parquet", "empty"),
                                    ("MALFORMED", "text.parquet: no file of Parquet's", "text.parquet"),
                                    ("MALFORMED", "cut.parquet: ", "cut.parquet")):
            self.refuse(code, words, cameo_onnx.score, self.folder / source, model, self.folder / "sink")
        self.refuse("UNSUPPORTED", "files of this machine", cameo_onnx.score, "s3://bucket/rows.parquet", model, self.folder / "sink")
        self.write("source/a.parquet", table([1])), self.write("source/b.parquet", table(["a"]))
        self.refuse("MALFORMED", "b.parquet has other columns than", cameo_onnx.score, self.folder / "source", model, self.folder / "sink")
        self.assertFalse((self.folder / "sink").exists())

    def test_a_bad_row(self):
        """Ends the run with its place; what else was done stays, and is not done again."""
        table = image_table(500)
        pixels = table["pixels"].to_pylist()
        pixels[250] = None
        path = self.write("rows.parquet", pa.table({"row": table["row"], "pixels": pa.array(pixels, pa.list_(pa.float32()))}))
        self.refuse("INVALID_ARGUMENT", "rows.parquet, row group 2: 'pixels' has nulls", self.score, path, workers=1, tensor="pixels")
        self.assertEqual(sorted(file.name for file in (self.folder / "sink").glob("part-*"))[:2], ["part-00000.parquet", "part-00001.parquet"])
        self.assertFalse((self.folder / "sink" / "_SUCCESS").exists())

    def test_whose_a_sink_is(self):
        path = self.write("rows.parquet", image_table(200))
        self.score(path)
        self.refuse("POLICY", "was begun with another keep", self.score, path, keep=[])
        self.refuse("POLICY", "was begun with another model", cameo_onnx.score, path, cameo_onnx.compile(DIGITS / "digits.onnx", cxxflags="-O1"),
                    self.folder / "sink", {"image": "pixels"}, keep=["row"])
        os.utime(path)
        self.refuse("POLICY", "was begun with another source", self.score, path)
        self.refuse("POLICY", "has 'rows.parquet' in it, and `score` did not make it", cameo_onnx.score, path, self.digits, self.folder,
                    {"image": "pixels"})
        held = []
        shutil.rmtree(self.folder / "sink")
        self.score(path, progress=lambda *_: held or held.append(self.refuse("BUSY", "another process", self.score, path)))
        self.assertTrue(held)

    def test_a_killed_run(self):
        whole = image_table(2000)
        path = self.write("rows.parquet", whole)
        script = ("import sys, time, cameo_onnx\nsource, model, sink = sys.argv[1:]\n"
                  "cameo_onnx.score(source, cameo_onnx.load(model), sink, {'image': 'pixels'}, 50, keep=['row'], workers=2,"
                  " progress=lambda done, total: time.sleep(0.1))")
        child = subprocess.Popen([sys.executable, "-c", script, path, self.digits.path, self.folder / "sink"])
        done = lambda: sorted((self.folder / "sink").glob("part-*.parquet"))
        limit = time.monotonic() + 60
        while len(done()) < 5 and child.poll() is None and time.monotonic() < limit:
            time.sleep(0.005)
        child.send_signal(signal.SIGKILL)
        self.assertEqual(child.wait(), -signal.SIGKILL)
        kept = {file: file.stat().st_mtime_ns for file in done()}
        self.assertLess(len(kept), 20)
        resumed = self.score(path)
        self.assertEqual(resumed.resumed, 100 * len(kept))
        self.assertEqual({file: file.stat().st_mtime_ns for file in kept}, kept)
        self.agree(self.sink(), whole)
        self.assertFalse([name for name in os.listdir(self.folder / "sink") if name.startswith(".")])

    def test_without_the_extra(self):
        for module, statement, extra in (("pyarrow", "cameo_onnx.score", "score"), ("pyarrow", "import cameo_onnx.ray", "score"),
                                         ("ray", "import cameo_onnx.ray; cameo_onnx.ray.score(None, None)", "ray")):
            script = f"import sys; sys.modules[{module!r}] = None\nimport cameo_onnx\n{statement}"
            done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
            self.assertRegex(done.stderr, rf"Error: the package {module} is needed here .*: pip install 'cameo-onnx\[{extra}\]'")


class Deadly:
    """A model whose worker is killed at the fifth of its batches, once."""

    def __init__(self, model, folder):
        self.model, self.inputs, self.outputs, self.target = model, model.inputs, model.outputs, model.target
        self.folder = folder

    def session(self, threads):
        self.running, self.calls = self.model.session(threads=threads), 0
        return self

    def run(self, feeds):
        self.calls += 1
        (self.folder / str(os.getpid())).touch()
        if self.calls == 5:
            try:
                os.close(os.open(self.folder / "killed", os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                pass
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        return self.running.run(feeds)


class Ray(Table):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        import ray.data
        cls.ray = ray
        # Ray gives its parts half a minute to start, which is not enough where others build on all processors.
        for _ in range(3):
            try:
                ray.init(num_cpus=2, num_gpus=1, include_dashboard=False, log_to_driver=False, logging_level="error")
                break
            except Exception as error:
                if "timed out during startup" not in str(error):
                    raise
                ray.shutdown()
        else:
            print("SKIP: Ray starts no cluster on this machine in half a minute")
            sys.exit(77)
        ray.data.DataContext.get_current().enable_progress_bars = False
        ray.data.DataContext.get_current().execution_options.preserve_order = True

    @classmethod
    def tearDownClass(cls):
        cls.ray.shutdown()

    def test_a_killed_worker(self):
        """Two actors and their readers on two processors; one is killed, and another goes on: no row is lost, none is there twice."""
        whole = image_table(4000)
        for number in range(8):
            self.write(f"source/{number}.parquet", whole.slice(500 * number, 500))
        pids = self.folder / "pids"
        pids.mkdir()
        rows = self.ray.data.read_parquet(str(self.folder / "source")).repartition(8)
        scored = cameo_onnx.ray.score(rows, Deadly(self.digits, pids), {"image": "pixels"}, 50, keep=["row"])
        scored.write_parquet(str(self.folder / "sink"))
        self.assertTrue((pids / "killed").exists())
        self.assertEqual(len(os.listdir(pids)) - 1, 3, "two actors, and the one that took the place of the killed")
        self.agree(self.sink().sort_by("row"), whole)

    def test_datasets(self):
        """Ray's own tensors, in order; fixed runs; an actor with the GPU that the cluster says it has."""
        pixels = images(300).reshape(-1, 1, 8, 8)
        digits = self.theirs.run(["digit"], {"image": pixels})[0].tolist()
        rows = self.ray.data.from_items([{"image": image} for image in pixels])
        scored = cameo_onnx.ray.score(rows, self.digits, outputs=["digit"], batch=64, actors=1, num_gpus=1)
        self.assertEqual([row["digit"] for row in scored.take_all()], digits)
        scored = rows.map_batches(cameo_onnx.ray.Scorer, batch_format="pyarrow", num_cpus=0.5,
                                  compute=self.ray.data.ActorPoolStrategy(size=1),
                                  fn_constructor_kwargs={"model": self.digits, "outputs": ["digit"]})
        self.assertEqual([row["digit"] for row in scored.take_all()], digits)


if __name__ == "__main__":
    unittest.main()
