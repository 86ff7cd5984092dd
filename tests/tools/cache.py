#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What verify and run keep of their builds: used again, mended when damaged, limited in size."""
import os
import unittest

import numpy as np
from onnx import helper

from small import Case, model

# Quick to build.
QUICK = ["--cxxflags", "-O0"]


class Cache(Case):
    def setUp(self):
        super().setUp()
        self.cache = self.folder / "cache"
        self.data = self.save_data("data", [np.ones((1, 2))], [-np.ones((1, 2))])

    def verify(self, path=None, limit=None, code=0):
        environment = {**os.environ, "CAMEO_CACHE": str(self.cache), **({"CAMEO_CACHE_SIZE": limit} if limit else {})}
        return self.cameo("verify", path or self.model, "--data", self.data, *QUICK, code=code, env=environment)

    def entries(self, kind):
        return sorted(p for p in self.cache.glob(f"{kind}-*") if p.suffix not in (".lock", ".sum"))

    def test_damaged_entries_are_built_again(self):
        self.verify()
        (program,), (runtime,) = self.entries("program"), self.entries("runtime")
        whole = program.read_bytes()
        built = program.stat().st_ino
        self.verify()
        self.assertEqual(program.stat().st_ino, built)
        flipped = bytearray(whole)
        flipped[len(whole) // 2] ^= 0xff
        for damaged in (whole[:1000], bytes(flipped), b""):
            program.write_bytes(damaged)
            self.verify()
            self.assertNotIn(program.read_bytes(), (damaged, b""))
        # The archive is only looked at when something is linked to it.
        program.unlink()
        runtime.write_bytes(runtime.read_bytes()[:5000])
        self.verify()

    def test_size_is_limited(self):
        relu = self.save(model([helper.make_node("Neg", ["x"], ["m"]), helper.make_node("Relu", ["m"], ["a"]),
                                helper.make_node("Neg", ["a"], ["b"]), helper.make_node("Sub", ["m", "b"], ["c"]),
                                helper.make_node("Add", ["c", "b"], ["y"])], [("x", ["n", 2])], [("y", ["n", 2])]),
                         "relu.onnx")
        self.verify()
        (first,) = self.entries("program")
        self.verify(relu)
        self.assertEqual(len(self.entries("program")), 2)
        self.verify()
        # The one used last stays, all else goes.
        third = self.save(model([helper.make_node("Sub", ["z", "x"], ["y"])], [("x", ["n", 2])], [("y", ["n", 2])],
                                initializers=[helper.make_tensor("z", 1, [1], [0])]), "third.onnx")
        self.verify(third, limit="0")
        (last,) = self.entries("program")
        self.assertNotEqual(last, first)
        self.assertEqual(self.entries("runtime"), [])
        self.assertEqual([p for p in self.cache.iterdir() if p.suffix == ".sum" and p.stem != last.name], [])
        self.assertIn("CAMEO_CACHE_SIZE", self.verify(limit="lots", code=2).stderr)

    def test_missing_model(self):
        for verb in ("verify", "run", "bench", "compile", "inspect", "explain"):
            with self.subTest(verb):
                done = self.cameo(verb, "nope.onnx", code=3)
                self.assertIn("nope.onnx", done.stderr)
                self.assertIn("No such file", done.stderr)


if __name__ == "__main__":
    unittest.main()
