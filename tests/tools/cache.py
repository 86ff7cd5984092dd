#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What verify and run keep of their builds: used again, mended when damaged, limited in size."""
import os
import platform
import shutil
import subprocess
import unittest

import numpy as np
from onnx import helper

from small import CAMEO, Case, model

# Quick to build.
QUICK = ["--cxxflags", "-O0"]


class Cache(Case):
    def setUp(self):
        super().setUp()
        self.cache = self.folder / "cache"
        self.data = self.save_data("data", [np.ones((1, 2))], [-np.ones((1, 2))])
        self.given = ["--in", f"x={self.data / 'input_0.pb'}"]

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

    def test_a_cache_that_cannot_be_written(self):
        # Nothing can be made there, not even by root.
        cache = f"/proc/{os.getpid()}"
        before = sorted(os.listdir("/"))
        for verb in (["verify", "--data", self.data], ["run", *self.given], ["bench", *self.given]):
            with self.subTest(verb[0]):
                done = self.cameo(verb[0], self.model, *verb[1:], code=3, env={**os.environ, "CAMEO_CACHE": cache})
                self.assertIn(f"the cache {cache} cannot be written", done.stderr)
        self.assertEqual(sorted(os.listdir("/")), before)

    def test_a_cache_of_others(self):
        """Without HOME the cache has a name that anybody can make first, with a program in it."""
        temporary = self.folder / "tmp"
        temporary.mkdir()
        cache = temporary / f"cameo-{os.getuid()}"
        unset = ("CAMEO_CACHE", "XDG_CACHE_HOME", "HOME")
        environment = {**{name: value for name, value in os.environ.items() if name not in unset}, "TMPDIR": str(temporary)}

        def refuse(word):
            done = self.cameo("run", self.model, *self.given, code=3, env=environment)
            self.assertIn(f"the cache {cache} {word}", done.stderr)
            self.assertEqual(list(cache.glob("*")), [])

        cache.mkdir()
        for mode in (0o777, 0o770):
            cache.chmod(mode)
            refuse("may be written by others")
        cache.rmdir()
        cache.write_text("")
        refuse("is no folder")
        cache.unlink()
        if os.geteuid() == 0:
            cache.mkdir(mode=0o700)
            os.chown(cache, 12345, 12345)
            refuse("belongs to user 12345")
            cache.rmdir()
            (self.folder / "mine").mkdir(mode=0o700)
            cache.symlink_to(self.folder / "mine")
            os.lchown(cache, 12345, 12345)
            refuse("belongs to user 12345")
            cache.unlink()
        old = os.umask(0o002)
        self.addCleanup(os.umask, old)
        self.cameo("run", self.model, *self.given, env=environment)
        self.assertEqual(cache.stat().st_mode & 0o777, 0o700)

    @unittest.skipUnless(platform.machine() == "x86_64" and shutil.which("qemu-x86_64"), "needs tools/setup --embedded")
    def test_another_processor(self):
        """Machines that share a cache take `native` code of their own kind only."""
        environment = {**os.environ, "CAMEO_CACHE": str(self.cache)}
        for flags, is_shared in (("-O0", True), ("-O0 -march=native", False)):
            with self.subTest(flags):
                paths = []
                for start in ([], ["qemu-x86_64", "-cpu", "qemu64"]):
                    done = subprocess.run([*start, CAMEO, "build", self.model, "--cxxflags", flags], env=environment,
                                          capture_output=True, text=True, check=True)
                    paths.append(done.stdout)
                self.assertEqual(paths[0] == paths[1], is_shared, paths)

    def test_missing_model(self):
        for verb in ("verify", "run", "bench", "build", "compile", "inspect", "explain"):
            with self.subTest(verb):
                done = self.cameo(verb, "nope.onnx", code=3)
                self.assertIn("nope.onnx", done.stderr)
                self.assertIn("No such file", done.stderr)


if __name__ == "__main__":
    unittest.main()
