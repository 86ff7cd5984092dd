#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The random models of operators under test, without a compiler: what they promise of their results holds, and the judge
convicts what is wrong: planted.py."""
import os
import sys
import unittest
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[1:1] = [str(HERE.parent / folder) for folder in ("models", "conformance", "")]
from compared import Oracles, difference, in_a_process  # noqa: E402
from operators import NODES, OPERATORS, RandomModel  # noqa: E402
from values import F32, I64, ONE, DoesNotFit, Value, broadcast, static  # noqa: E402

EXACT, ROUNDED = Value("exact", F32, (ONE,), 8, 2), Value("rounded", F32, (ONE,), 8)


class Promises(unittest.TestCase):
    def test_results_are_as_promised(self):
        """Extents, bounds, and that exact values are multiples of what they say."""
        for seed in range(40):
            model = RandomModel(seed)
            self.assertGreaterEqual(len(model.main.nodes), NODES[0])
            results, _, _ = Oracles(model).expected()
            for number, arrays in enumerate(results):
                for value, array in zip(model.results, arrays):
                    self.assertEqual(array.shape, tuple(dim[number] for dim in value.shape), f"{seed} {value}")
                    if value.is_float and array.size:
                        self.assertLessEqual(np.max(np.abs(array)), value.bound * 1.01 + 1e-3, f"{seed} {value}")
                    if value.is_float and value.is_exact:
                        self.assertFalse(np.any(array.astype(np.float64) * 2.0**value.grid % 1), f"{seed} {value}")

    def test_a_seed_is_a_model(self):
        first, second = RandomModel(7), RandomModel(7)
        self.assertEqual(first.model.SerializeToString(), second.model.SerializeToString())
        for one, other in zip(first.cases(), second.cases()):
            for name, array in one.inputs.items():
                np.testing.assert_array_equal(array, other.inputs[name])

    def test_every_operator_comes(self):
        """Each function adds a node now and then."""
        for functions in OPERATORS.values():
            for function in functions:
                self.assertTrue(any(self.adds(function, seed) for seed in range(100)), function.__name__)

    def adds(self, function, seed):
        model = RandomModel(seed)
        before = len(model.main.nodes)
        try:
            function(model)
        except DoesNotFit:
            return False
        return len(model.main.nodes) > before

    def test_a_part_keeps_what_it_needs(self):
        model = RandomModel(3)
        name = model.main.nodes[-1].output[0]
        count = len(model.main.nodes)
        model.keep_only(name)
        self.assertLessEqual(len(model.main.nodes), count)
        self.assertEqual([output.name for output in model.model.graph.output], [name])

    def test_dims_meet(self):
        self.assertEqual(broadcast(((1, 5, 5), ONE), (static(3),)), ((1, 5, 5), static(3)))
        with self.assertRaises(DoesNotFit):
            broadcast(((1, 5, 5),), (static(3),))


class Judge(unittest.TestCase):
    def difference(self, value, expected, result, dtype=np.float32):
        return difference(value, np.array(expected, dtype), np.array(result, dtype), 1, 24)

    def test_a_bit_of_an_exact_value(self):
        self.assertEqual(self.difference(EXACT, [0.25], [0.25]), "")
        self.assertIn("exact", self.difference(EXACT, [0.25], [np.nextafter(np.float32(0.25), np.float32(1))]))

    def test_more_than_rounding(self):
        self.assertEqual(self.difference(ROUNDED, [1, np.nan, np.inf], [1.00001, np.nan, np.inf]), "")
        for expected, result in [([1], [1.001]), ([1], [np.nan]), ([np.nan], [1]), ([np.inf], [1])]:
            self.assertNotEqual(self.difference(ROUNDED, expected, result), "")

    def test_integers_extents_and_types(self):
        integer = Value("integer", I64, (ONE,), 8, 0)
        self.assertNotEqual(self.difference(integer, [3], [4], np.int64), "")
        self.assertNotEqual(self.difference(EXACT, [3], [[3]]), "")
        self.assertNotEqual(difference(EXACT, np.ones(1, np.float32), np.ones(1), 1, 24), "")

    def test_an_oracle_that_crashes(self):
        self.assertEqual(in_a_process(os.abort), "crashed")
        self.assertEqual(in_a_process(lambda: 1 // 0), "integer division or modulo by zero")
        self.assertEqual(in_a_process(lambda: [1]), [1])


if __name__ == "__main__":
    unittest.main()
