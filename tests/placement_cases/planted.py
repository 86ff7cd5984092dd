#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Has the judge of the placement cases convict what is wrong: planted.py CAMEO SCRATCH.

Cases are made worse than they are, by a lower ideal, other data or another side, and each must come out as that.
"""
import dataclasses
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

import run  # also makes the other folders of tests importable
import declare
import verdict
from verdict import Outcome


def variant(cases, key):
    number = int(key.partition("/")[0])
    return next(v for case in cases if case.number == number for v in case.variants if v.key == key)


class Judged(unittest.TestCase):
    """One build of all that is planted."""

    @classmethod
    def setUpClass(cls):
        cases = run.load_cases()
        shape, length, loop, streams = (variant(cases, key) for key in ("1", "25", "34", "50"))
        plant = dataclasses.replace
        cls.planted = {
            "good": plant(shape),
            "results": plant(shape, oracle=lambda i: [declare.ints(*i["image"].shape) + 1]),
            "types": plant(shape, oracle=lambda i: [declare.ints(*i["image"].shape).astype("int32")]),
            "status": plant(shape, data=[dataclasses.replace(shape.data[0], status="OUT_OF_RANGE")]),
            "copies": plant(length, ideal="0/0", limits={}),
            "bytes": plant(length, limits={"d2h_bytes": 7}),
            "side": plant(length, sides={"lens": "host"}),
            "uploads": plant(shape, data=[dataclasses.replace(shape.data[0], spaces={}, limits={"h2d": -1})]),
            "operations": plant(shape, operations={"Shape": 0}),
            "flag": plant(loop, flags=["--dim", "nothing=1"]),
            "missing": plant(loop, model=None, missing="a reason"),
            "program": plant(streams, ideal="0/0", limits={"h2d": -1}),
            "program-results": plant(streams, model=shape_of_another_operator()),
        }
        for key, planted in cls.planted.items():
            planted.key = key
        given = SimpleNamespace(cameo=Path(sys.argv[1]), jobs=2, scratch=Path(sys.argv[2]))
        cls.outcomes = run.Bench(given).take(list(cls.planted.values()))

    def expect(self, key, status, why=""):
        outcome = self.outcomes[key]
        self.assertEqual(outcome.status, status, outcome)
        self.assertIn(why, outcome.why)

    def test_good(self):
        self.expect("good", "minimum")

    def test_wrong_results(self):
        self.expect("results", "wrong", "other elements")
        self.expect("types", "wrong", "int32")
        self.expect("program-results", "wrong", "not that of its element")

    def test_status(self):
        self.expect("status", "wrong", "ended with OK")

    def test_counts(self):
        self.expect("copies", "above", "1/1, minimum 0/0")
        self.expect("bytes", "above", "d2h_bytes 8, allowed 7")
        self.expect("uploads", "above", "h2d 0, allowed -1")
        self.expect("program", "above", "h2d 0, allowed -1")

    def test_explain(self):
        self.expect("side", "above", "lens is on device, not host")
        self.expect("operations", "above", "1 of Shape, not 0")

    def test_refusal(self):
        self.expect("flag", "wrong", "exit-2")

    def test_missing(self):
        self.expect("missing", "not-built", "a reason")


def shape_of_another_operator():
    """What programs/streams.cpp takes for a negation, and is none."""
    from graph import FLOAT, Graph

    g = Graph("no_negation")
    g.input("x", FLOAT, ["n", "m"])
    g.output(g.op("Abs", "x", out="y"), FLOAT, ["n", "m"])
    return g.model()


class Lists(unittest.TestCase):
    def test_better_and_worse_are_told(self):
        kept = {"1": Outcome("minimum"), "2": Outcome("above", 1, 1), "3": Outcome("above", 2, 2)}
        now = {"1": Outcome("above", 1, 1), "2": Outcome("minimum"), "3": Outcome("above", 1, 1), "4": Outcome("minimum")}
        lines, worse = verdict.compare(kept, now)
        self.assertTrue(worse)
        self.assertEqual([line.split()[0] for line in lines], ["BROKEN", "CHANGED", "CHANGED", "NEW"])
        self.assertEqual(verdict.compare(kept, kept), ([], False))

    def test_written_and_read(self):
        kept = {"1/a": Outcome("above", 2, 1, 3, 1, "h2d 3, allowed 0: so"), "28": Outcome("refused", why="exit-5: no NonZero"),
                "4": Outcome("minimum", 1, 0, 0)}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "expected.txt"
            verdict.write_expected(kept, path)
            self.assertEqual(verdict.read_expected(path), kept)

    def test_a_case_passes_with_all_its_variants_only(self):
        self.assertEqual(verdict.describe([Outcome("minimum"), Outcome("minimum", 1)])[-1], "yes")
        self.assertEqual(verdict.describe([Outcome("minimum"), Outcome("refused")])[-1], "no: refused, 1 of 2 are")

    def test_ideals(self):
        self.assertEqual(declare.read_ideal("1e/0"), (1, 0))
        for text in ("1e/1", "1", "e/0"):
            with self.assertRaises(SystemExit):
                declare.read_ideal(text)


class Cases(unittest.TestCase):
    def test_all_numbers(self):
        self.assertEqual([case.number for case in run.load_cases()], list(range(1, 61)))

    def test_several_data_sets(self):
        for case in run.load_cases():
            for v in case.variants:
                self.assertTrue(v.missing or len(v.data) >= 3, v.key)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
